import { Clock, Context, Data, Deferred, Effect, Layer, Result } from "effect"
import type { Decider } from "#domain/Decider.ts"
import type { Actor, Recorded } from "#domain/Event.ts"
import type { DomainEvent } from "#domain/events.ts"
import { type Command as Appending, EventStore, type StoredEvent, type StoreUnavailable } from "#ports/EventStore.ts"
import * as Codec from "./codec.ts"

/** A command for one stream, with who gave it and why. The same `commandId` again changes nothing more. */
export interface Command<C> {
  readonly tenant: string
  readonly stream: string
  readonly command: C
  readonly commandId: string
  readonly actor: Actor
  readonly correlationId: string
  readonly causationId?: string | null
  readonly request?: Appending["request"]
}

/** The log could not take the command in time; giving it again is safe. */
export class Busy extends Data.TaggedError("Busy") {}

type Refused = { readonly _tag: string }
type AnyDecider = Decider<unknown, DomainEvent, unknown, Refused>
type Answer = Deferred.Deferred<ReadonlyArray<Recorded<DomainEvent>>, Refused | Busy>

interface Job extends Command<unknown> {
  readonly answer: Answer
  readonly deadline: number
}

/** One stream's queue and its fold, which the queue alone changes. */
interface Line {
  readonly decider: AnyDecider
  readonly stream: string
  readonly jobs: Array<Job>
  state: unknown
  /** Of the last event that `state` holds; -1: none. */
  revision: number
  /** False until the stream has been read, and after anything went another way than thought. */
  loaded: boolean
  running: boolean
}

interface Decision {
  readonly job: Job
  readonly events: ReadonlyArray<DomainEvent>
}

const patience = 5_000
const linesKept = 4_096
const jobsAtOnce = 256

/**
 * The one way to write. Commands of a stream are decided one after the other against its fold, kept from the last
 * time, and go to the log together; when another process was there first, they are decided again. A command that was
 * queued is carried out whatever becomes of its caller.
 */
export class Dispatcher extends Context.Service<Dispatcher, {
  readonly dispatch: <C, E extends DomainEvent, S, R extends Refused>(
    decider: Decider<C, E, S, R>,
    command: Command<C>
  ) => Effect.Effect<ReadonlyArray<Recorded<E>>, R | Busy>
}>()("cairn/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function* () {
      const store = yield* EventStore
      const scope = yield* Effect.scope
      const lines = new Map<string, Line>()

      /** Brings the fold up to the stream's last event. */
      const load = Effect.fnUntraced(function* (line: Line) {
        const news = yield* store.readStream(line.stream, line.revision)
        for (const stored of news) {
          line.state = line.decider.evolve(line.state, Codec.decode(stored).event)
          line.revision = stored.revision
        }
        line.loaded = true
      })

      /** A command that changes nothing now may have done so before: then it is answered as then. */
      const asBefore = Effect.fnUntraced(function* (job: Job, otherwise: Effect.Effect<unknown>) {
        const before = yield* store.outcome(job.commandId)
        if (before.length === 0) return yield* otherwise
        return yield* Deferred.succeed(job.answer, before.map(Codec.decode))
      })

      const decide = (line: Line, jobs: ReadonlyArray<Job>) => {
        const decisions: Array<Decision> = []
        const idle: Array<Effect.Effect<unknown, StoreUnavailable>> = []
        const first = new Map<string, Answer>()
        let state = line.state
        for (const job of jobs) {
          const twin = first.get(job.commandId)
          if (twin !== undefined) {
            idle.push(Effect.forkIn(Deferred.into(Deferred.await(twin), job.answer), scope))
            continue
          }
          const decided = line.decider.decide(job.command, state)
          if (Result.isFailure(decided)) idle.push(asBefore(job, Deferred.fail(job.answer, decided.failure)))
          else if (decided.success.length === 0) idle.push(asBefore(job, Deferred.succeed(job.answer, [])))
          else {
            first.set(job.commandId, job.answer)
            decisions.push({ job, events: decided.success })
            state = decided.success.reduce(line.decider.evolve, state)
          }
        }
        return { decisions, idle, state }
      }

      const appending = (line: Line, { job, events }: Decision): Appending => ({
        commandId: job.commandId,
        correlationId: job.correlationId,
        causationId: job.causationId ?? null,
        actor: job.actor,
        events: events.map(Codec.encode),
        erases: events.flatMap((event) => line.decider.erases?.(event) ?? []),
        request: job.request ?? null
      })

      const recorded = ({ data, payload, ...envelope }: StoredEvent, event: DomainEvent) => ({ ...envelope, event })

      /** One round: decide what waits, append it, answer. Jobs that came too early are put back. */
      const round = Effect.fnUntraced(function* (line: Line, jobs: ReadonlyArray<Job>) {
        const cached = line.loaded
        if (!cached) yield* load(line)
        let decided = decide(line, jobs)
        if (cached && decided.idle.length > 0) {
          // nothing will be appended that could tell a stale fold: look before saying no
          yield* load(line)
          decided = decide(line, jobs)
        }
        const { decisions, idle, state } = decided
        yield* Effect.forEach(idle, (effect) => effect, { discard: true })
        if (decisions.length === 0) return true
        const stored = yield* store.append({
          tenant: decisions[0]!.job.tenant,
          stream: line.stream,
          expected: line.revision === -1 ? "none" : line.revision,
          commands: decisions.map((decision) => appending(line, decision))
        })
        const fresh = stored[0]![0]!.revision === line.revision + 1
        if (fresh) {
          line.state = state
          line.revision = stored.at(-1)!.at(-1)!.revision
        } else line.loaded = false
        yield* Effect.forEach(decisions, ({ job, events }, index) =>
          Deferred.succeed(
            job.answer,
            stored[index]!.map((event, place) => (fresh ? recorded(event, events[place]!) : Codec.decode(event)))
          )
        )
        return true
      })

      const fail = (jobs: ReadonlyArray<Job>) => Effect.forEach(jobs, ({ answer }) => Deferred.fail(answer, new Busy()))

      /** Rounds until all jobs are answered; after a wrong revision one job at a time, for as long as they have time. */
      const settle = Effect.fnUntraced(function* (line: Line, jobs: ReadonlyArray<Job>) {
        let groups: ReadonlyArray<ReadonlyArray<Job>> = [jobs]
        for (let attempt = 1; groups.length > 0; attempt++) {
          const [group, ...rest] = groups
          const done = yield* round(line, group!).pipe(Effect.catchTag("WrongRevision", () => Effect.succeed(false)))
          if (done) {
            groups = rest
            continue
          }
          line.loaded = false
          const now = yield* Clock.currentTimeMillis
          const inTime = group!.filter(({ deadline }) => deadline > now)
          yield* fail(group!.filter(({ deadline }) => deadline <= now))
          groups = [...inTime.map((job) => [job]), ...rest]
          yield* Effect.sleep(Math.random() * Math.min(attempt * 5, 100))
        }
      })

      const run = Effect.fnUntraced(function* (line: Line) {
        while (line.jobs.length > 0) {
          const jobs = line.jobs.splice(0, jobsAtOnce)
          yield* settle(line, jobs).pipe(
            Effect.catchCause((cause) => {
              line.loaded = false
              const logged = cause.reasons.some((reason) => reason._tag === "Die")
                ? Effect.logError("a command could not be decided", cause)
                : Effect.void
              return Effect.andThen(logged, fail(jobs))
            })
          )
        }
        line.running = false
      })

      const lineOf = (decider: AnyDecider, stream: string): Line => {
        const known = lines.get(stream)
        lines.delete(stream)
        const line: Line = known ?? {
          ...{ decider, stream, jobs: [], state: decider.initial, revision: -1, loaded: false, running: false }
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

      const enqueue = Effect.fnUntraced(function* (decider: AnyDecider, command: Command<unknown>) {
        const answer: Answer = yield* Deferred.make<ReadonlyArray<Recorded<DomainEvent>>, Refused | Busy>()
        const deadline = (yield* Clock.currentTimeMillis) + patience
        const line = lineOf(decider, command.stream)
        line.jobs.push({ ...command, answer, deadline })
        if (!line.running) {
          line.running = true
          yield* Effect.forkIn(run(line), scope)
        }
        return answer
      }, Effect.uninterruptible)

      return Dispatcher.of({
        dispatch: (decider, command) =>
          Effect.flatMap(enqueue(decider as never, command), (answer) => Deferred.await(answer)) as never
      })
    })
  )
}

/** Gives a command to its stream; answers with the events it led to, now or the first time it was given. */
export const dispatch = <C, E extends DomainEvent, S, R extends Refused>(
  decider: Decider<C, E, S, R>,
  command: Command<C>
) => Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.dispatch(decider, command))
