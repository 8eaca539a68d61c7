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

/** One stream: its queue of commands, and its fold, which changes only while the queue is carried out. */
interface Line {
  readonly decider: AnyDecider
  readonly stream: string
  readonly queue: Array<QueuedCommand>
  state: unknown
  /** Revision of the last event in `state`; -1: none. */
  revision: number
  /** False until the stream is read, and again after anything unexpected: then the stream is read on first. */
  loaded: boolean
  running: boolean
}

/** Milliseconds for which a command is decided anew while other processes append first. */
const patience = 5_000
/** How many streams' folds are kept. */
const linesKept = 4_096
/** How many commands of a stream are decided together. */
const atOnce = 256

/** The decided events, with where the append put them. */
const ledNow = (decisions: ReadonlyArray<Decision>, { revision, positions, recordedAt }: Appended) => {
  let next = revision + 1 - decisions.reduce((sum, { events }) => sum + events.length, 0)
  return decisions.map(({ events }, index) =>
    events.map((event): Led<AnyEvent> => ({ event, revision: next++, position: positions[index]!, recordedAt }))
  )
}

/**
 * The one way to write. A stream's commands are decided one after the other on its fold, which is kept between
 * commands, and their events are appended together. If another process appends first, they are decided again. A queued
 * command is carried out even if its caller is interrupted.
 */
export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /**
     * Decides a command and appends the events that it leads to. Gives those events; if the log knows the command, the
     * events of the first time; none if it was already so. Fails with the decider's refusal, and with `Busy` if the log
     * can't be reached or others append first for 5 s: giving the command again is safe.
     */
    readonly dispatch: <C, E extends AnyEvent, S, R extends Refused>(
      decider: Decider<C, E, S, R>,
      envelope: CommandEnvelope<C>
    ) => Effect.Effect<ReadonlyArray<Led<E>>, R | Busy>
    /** A stream's state after every event that is in the log now. `Busy`: the log can't be read. */
    readonly state: <C, E extends AnyEvent, S, R extends Refused>(
      decider: Decider<C, E, S, R>,
      stream: string
    ) => Effect.Effect<S, Busy>
  }
>()("engine/Dispatcher") {
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

      /** A command that changes nothing now may have led to events before: then those are its answer. */
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
       * One round: decides the waiting commands, appends what fits into one call, answers. Gives the commands that are
       * still to be decided, or to be decided again.
       */
      const round = Effect.fnUntraced(function* (line: Line, waiting: ReadonlyArray<QueuedCommand>) {
        const cached = line.loaded
        if (!cached) yield* load(line)
        let decided = decideAll(line.decider, line.state, waiting)
        if (cached && decided.idle.length > 0) {
          // a command that appends nothing can't reveal a stale fold: read on before answering it
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
        // only after the append: a refusal may rest on events decided just before it, which must be in the log first
        yield* Effect.forEach(idle, answered, { discard: true })
        return left
      })

      const fail = (waiting: ReadonlyArray<QueuedCommand>) =>
        Effect.forEach(waiting, ({ answer }) => Deferred.fail(answer, new Busy()), { discard: true })

      /** Runs rounds until all commands are answered; after a wrong revision one by one, until their deadlines. */
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
            // a command that can't be decided must not fail the others with it
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

      /** Folds new events on top of the kept fold without changing it: its queue may be at work. */
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
