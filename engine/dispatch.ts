import { Cause, Clock, Context, Deferred, Effect, Layer } from "effect"
import { Bounds } from "#engine/ports/Bounds.ts"
import { type Appended, EventStore, type StoredEvent } from "#engine/ports/EventStore.ts"
import type { CommandEnvelope } from "./CommandEnvelope.ts"
import { Codec } from "./codec.ts"
import type { Decider } from "./Decider.ts"
import {
  type Answer,
  type AnyDecider,
  Busy,
  type Decision,
  decideAll,
  encodeAll,
  Idle,
  type Led,
  type QueuedCommand,
  type Refused
} from "./decide.ts"
import type { AnyEvent } from "./Event.ts"
import { eachOfStream } from "./pages.ts"

/** One stream's queue and its fold, which the queue alone changes. */
interface Line {
  readonly decider: AnyDecider
  readonly stream: string
  readonly queue: Array<QueuedCommand>
  state: unknown
  /** Of the last event that `state` holds; -1: none. */
  revision: number
  /** False until the stream has been read, and after anything went another way than thought. */
  loaded: boolean
  running: boolean
}

/** Milliseconds for which a command is decided again when others were first. */
const patience = 5_000
/** Streams whose fold is kept. */
const linesKept = 4_096
/** Commands of a stream that are decided together. */
const atOnce = 256

/** What was decided, where it went. */
const ledNow = (decisions: ReadonlyArray<Decision>, { revision, positions, recordedAt }: Appended) => {
  let next = revision + 1 - decisions.reduce((sum, { events }) => sum + events.length, 0)
  return decisions.map(({ events }, index) =>
    events.map((event): Led<AnyEvent> => ({ event, revision: next++, position: positions[index]!, recordedAt }))
  )
}

/**
 * The one way to write. Commands of a stream are decided one after the other against its fold, kept from the last
 * time, and go to the log together; when another process was there first, they are decided again. A command that was
 * queued is carried out whatever becomes of its caller.
 */
export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /**
     * Decides a command and appends what it leads to. Answers with those events, or with those of the first time when
     * the log knows its id; with none when it was so already. Fails with the decider's refusal, and with `Busy` when
     * the log can't be reached, or when others were first for 5 s: giving it again is safe.
     */
    readonly dispatch: <C, E extends AnyEvent, S, R extends Refused>(
      decider: Decider<C, E, S, R>,
      envelope: CommandEnvelope<C>
    ) => Effect.Effect<ReadonlyArray<Led<E>>, R | Busy>
    /** The state of a stream after everything that is in the log now. `Busy`: the log can't be read. */
    readonly state: <C, E extends AnyEvent, S, R extends Refused>(
      decider: Decider<C, E, S, R>,
      stream: string
    ) => Effect.Effect<S, Busy>
  }
>()("cairn/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function* () {
      const store = yield* EventStore
      const codec = yield* Codec
      const log = Context.make(EventStore, store).pipe(Context.add(Codec, codec))
      const most = yield* Bounds
      const scope = yield* Effect.scope
      const lines = new Map<string, Line>()

      /** Brings the fold up to the stream's last event. */
      const load = Effect.fnUntraced(function* (line: Line) {
        yield* eachOfStream(line.stream, line.revision, ({ event, revision }) => {
          line.state = line.decider.evolve(line.state, event)
          line.revision = revision
        }).pipe(Effect.provideContext(log))
        line.loaded = true
      })

      const ledBefore = (before: ReadonlyArray<StoredEvent>): ReadonlyArray<Led<AnyEvent>> =>
        before.map((stored) => {
          const { event, revision, recordedAt } = codec.decode(stored)
          return { event, revision, recordedAt, position: before.at(-1)!.position }
        })

      /** A command that changes nothing now may have done so before: then it is answered as then. */
      const asBefore = Effect.fnUntraced(function* (queued: QueuedCommand, otherwise: Effect.Effect<unknown>) {
        const before = yield* store.outcome(queued.stream, queued.commandId)
        if (before.length === 0) return yield* otherwise
        return yield* Deferred.succeed(queued.answer, ledBefore(before))
      })

      const answered = Idle.$match({
        Refusal: ({ queued, refusal }) => asBefore(queued, Deferred.fail(queued.answer, refusal)),
        Already: ({ queued }) => asBefore(queued, Deferred.succeed(queued.answer, [])),
        Twin: ({ queued, of }) => Effect.asVoid(Effect.forkIn(Deferred.into(Deferred.await(of), queued.answer), scope))
      })

      /**
       * One round: decide what waits, append it as far as it goes into one call, answer. Gives back the commands that
       * have to be decided again, or later.
       */
      const round = Effect.fnUntraced(function* (line: Line, waiting: ReadonlyArray<QueuedCommand>) {
        const cached = line.loaded
        if (!cached) yield* load(line)
        let decided = decideAll(line.decider, line.state, waiting)
        if (cached && decided.idle.length > 0) {
          // nothing will be appended that could tell a stale fold: look before saying no
          yield* load(line)
          decided = decideAll(line.decider, line.state, waiting)
        }
        const { commands, later } = yield* Effect.provideContext(encodeAll(decided.decisions, most.bytes), log)
        const left = later === undefined ? [] : waiting.slice(waiting.indexOf(later))
        if (left.length > 0) decided = decideAll(line.decider, line.state, waiting.slice(0, -left.length))
        const { decisions, idle, state } = decided
        if (decisions.length > 0) {
          const appended = yield* store.append({
            tenant: decisions[0]!.queued.tenant,
            stream: line.stream,
            expected: line.revision === -1 ? "none" : line.revision,
            commands
          })
          const { before, revision } = appended
          const led = before === undefined ? ledNow(decisions, appended) : before.map(ledBefore)
          if (before === undefined) {
            line.state = state
            line.revision = revision
          } else line.loaded = false
          yield* Effect.forEach(decisions, ({ queued }, index) => Deferred.succeed(queued.answer, led[index]!))
          if (before !== undefined) return [...idle.map(({ queued }) => queued), ...left]
        }
        // not before the append: a no may rest on what was decided just before it, and that has to hold first
        yield* Effect.forEach(idle, answered, { discard: true })
        return left
      })

      const fail = (waiting: ReadonlyArray<QueuedCommand>) =>
        Effect.forEach(waiting, ({ answer }) => Deferred.fail(answer, new Busy()), { discard: true })

      /**
       * Rounds until all commands are answered; after a wrong revision one at a time, for as long as they have time.
       */
      const settle = Effect.fnUntraced(function* (line: Line, waiting: ReadonlyArray<QueuedCommand>) {
        let groups: ReadonlyArray<ReadonlyArray<QueuedCommand>> = [waiting]
        for (let attempt = 1; groups.length > 0; attempt++) {
          const [group, ...rest] = groups
          const left = yield* round(line, group!).pipe(Effect.catchTag("WrongRevision", () => Effect.undefined))
          if (left !== undefined) {
            groups = left.length === 0 ? rest : [left, ...rest]
            continue
          }
          line.loaded = false
          const now = yield* Clock.currentTimeMillis
          const inTime = group!.filter(({ deadline }) => deadline > now)
          yield* fail(group!.filter(({ deadline }) => deadline <= now))
          groups = [...inTime.map((queued) => [queued]), ...rest]
          yield* Effect.sleep(Math.random() * Math.min(attempt * 5, 100))
        }
      })

      /** Answers all commands, whatever happens. */
      const carryOut = (line: Line, waiting: ReadonlyArray<QueuedCommand>): Effect.Effect<void> =>
        settle(line, waiting).pipe(
          Effect.catchCause((cause) => {
            line.loaded = false
            if (!Cause.hasDies(cause)) return fail(waiting)
            const open = waiting.filter(({ answer }) => !Deferred.isDoneUnsafe(answer))
            // a command that can't be decided must not take its neighbours with it
            if (open.length > 1) return Effect.forEach(open, (queued) => carryOut(line, [queued]), { discard: true })
            const defect = Cause.squash(cause)
            return Effect.andThen(
              Effect.logError("a command could not be decided", cause),
              Effect.forEach(open, ({ answer }) => Deferred.die(answer, defect), { discard: true })
            )
          })
        )

      const run = Effect.fnUntraced(function* (line: Line) {
        while (line.queue.length > 0) yield* carryOut(line, line.queue.splice(0, atOnce))
        line.running = false
      })

      const lineOf = (decider: AnyDecider, stream: string): Line => {
        const known = lines.get(stream)
        lines.delete(stream)
        const line: Line = known ?? {
          decider,
          stream,
          queue: [],
          state: decider.initial,
          revision: -1,
          loaded: false,
          running: false
        }
        // the least recently used goes first
        lines.set(stream, line)
        if (lines.size > linesKept) {
          for (const [name, { running }] of lines) {
            if (!running) {
              lines.delete(name)
              break
            }
          }
        }
        return line
      }

      const enqueue = Effect.fnUntraced(function* (decider: AnyDecider, envelope: CommandEnvelope<unknown>) {
        const answer: Answer = yield* Deferred.make<ReadonlyArray<Led<AnyEvent>>, Refused | Busy>()
        const deadline = (yield* Clock.currentTimeMillis) + patience
        const line = lineOf(decider, envelope.stream)
        line.queue.push({ ...envelope, answer, deadline })
        if (!line.running) {
          line.running = true
          yield* Effect.forkIn(run(line), scope)
        }
        return answer
      }, Effect.uninterruptible)

      /** Folds what is new on top of the kept fold, without touching it: its queue may be at work. */
      const state = (decider: AnyDecider, stream: string) =>
        Effect.suspend(() => {
          const { state, revision } = lines.get(stream) ?? { state: decider.initial, revision: -1 }
          let folded = state
          return Effect.map(
            eachOfStream(stream, revision, ({ event }) => {
              folded = decider.evolve(folded, event)
            }),
            () => folded
          )
        }).pipe(
          Effect.provideContext(log),
          Effect.mapError(() => new Busy())
        )

      return Dispatcher.of({
        state: (decider, stream) => state(decider as never, stream) as never,
        dispatch: (decider, envelope) =>
          Effect.flatMap(enqueue(decider as never, envelope), (answer) => Deferred.await(answer)) as never
      })
    })
  )
}

/** `Dispatcher.dispatch`: the events that a command led to, now or the first time that it was given. */
export const dispatch = <C, E extends AnyEvent, S, R extends Refused>(
  decider: Decider<C, E, S, R>,
  envelope: CommandEnvelope<C>
) => Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.dispatch(decider, envelope))
