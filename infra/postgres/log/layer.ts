import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Cause, Clock, Deferred, Effect, Layer, Metric, PubSub, Queue, Schedule } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { beginning, latest, type Position } from "#engine/Position.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { type Append, type Appended, EventStore, StoreUnavailable, WrongRevision } from "#engine/ports/EventStore.ts"
import { batchUnits } from "#ports/metrics.ts"
import { passes } from "#ports/passes.ts"
import { onOne } from "../watched.ts"
import { within } from "../within.ts"
import { appendBatch } from "./append.ts"
import { ended } from "./callResult.ts"
import { groupCommit } from "./groupCommit.ts"
import * as Read from "./read.ts"
import { Writers } from "./Writers.ts"
import { weightOf } from "./weight.ts"

interface Waiting {
  readonly append: Append
  readonly answer: Deferred.Deferred<Appended, WrongRevision | StoreUnavailable>
}

const reconnect = Schedule.upTo(Schedule.exponential("20 millis"), { duration: "5 seconds", times: 8 })
/**
 * Retries at once when a connection is lost, and then for about 5 s in all, however long each try takes. The schedule
 * is made only on a failure: the first few hundred take 50 µs of processor time each.
 */
const patient = <A, R>(effect: Effect.Effect<A, SqlError, R>) =>
  Effect.catchIf(effect, passes, () => Effect.retry(effect, { while: passes, schedule: reconnect }))

const channel = "cairn_events"
/** Unlike an append, it does not wait for the disk: a notification has nothing that a crash could lose. */
const tell = "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)"

const unavailable = () => new StoreUnavailable({ message: "the event store can't be reached" })

/** The log in Postgres; it appends through the `Writers` of its context. */
export const layerBy = Layer.effect(
  EventStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const context = yield* Effect.context<PgClient.PgClient | Writers>()
    const most = yield* Bounds
    // how long the server may be silent is not for the clock of whoever asks
    const clock = yield* Clock.Clock
    const self = randomUUID()
    // all followers of the log wait for some of these, and all appends for others
    const one = onOne(sql)
    const news = yield* PubSub.sliding<void>(1)
    const told = yield* Queue.sliding<void>(1)
    /** The position up to which all listeners of this process have been hinted to look. */
    let seen: Position | undefined

    /** The last position that this process has appended. */
    let own = beginning
    const succeed = ({ answer }: Waiting, appended: Appended) => {
      own = latest(own, ...appended.positions)
      return Deferred.succeed(answer, appended)
    }

    /** Appends one unit in a call of its own, so that it gets an answer of its own. */
    const alone = Effect.fnUntraced(function* (unit: Waiting) {
      const { append, answer } = unit
      const result = yield* appendBatch([append])
      const { trouble, actual } = result
      if (trouble.length === 0) return yield* succeed(unit, ended(append, result, 0, actual[0]!))
      // searches all streams, because the ids of events are unique in the log
      const before = yield* Effect.forEach(append.commands, ({ commandId }) => one(Read.readCommand(commandId)))
      if (before.every((events) => events.length > 0)) {
        const positions = before.map((events) => events.at(-1)!.position)
        const { revision, recordedAt } = before.at(-1)!.at(-1)!
        return yield* succeed(unit, { revision, positions, recordedAt, before })
      }
      const { stream, expected } = append
      return yield* Deferred.fail(answer, new WrongRevision({ stream, expected, actual: actual[0]! }))
    })

    const commit = Effect.fnUntraced(function* (batch: ReadonlyArray<Waiting>) {
      if (batch.length === 1) return yield* alone(batch[0]!)
      const result = yield* appendBatch(batch.map(({ append }) => append))
      const { trouble, actual } = result
      if (trouble.length > 0) {
        // nothing went in: append the good units first, again as one, then each unit in trouble
        const troubled = new Set(trouble)
        const good = batch.filter((_, unit) => !troubled.has(unit))
        if (good.length > 0) yield* commitOrFail(good)
        yield* Effect.forEach(troubled, (unit) => commitOrFail([batch[unit]!]))
        return
      }
      let first = 0
      for (const [unit, one] of batch.entries()) {
        const end = ended(one.append, result, first, actual[unit]!)
        yield* succeed(one, end)
        first += end.events
      }
    })

    const failAll = (batch: ReadonlyArray<Waiting>) =>
      Effect.forEach(batch, ({ answer }) => Deferred.fail(answer, unavailable()), { discard: true })

    const commitOrFail = (batch: ReadonlyArray<Waiting>): Effect.Effect<void, never, PgClient.PgClient | Writers> =>
      // retries even if the lost connection may have committed: es_append knows which commands the log has
      patient(commit(batch)).pipe(
        Effect.asVoid,
        Effect.catchCause((cause) =>
          // a fault of one unit (text that Postgres refuses) must not harm its neighbours
          batch.length > 1 && !cause.reasons.some((reason) => Cause.isFailReason(reason) && passes(reason.error))
            ? Effect.forEach(batch, (one) => commitOrFail([one]), { discard: true })
            : Effect.andThen(Effect.logError("append failed", cause), failAll(batch))
        )
      )

    const offer = yield* groupCommit<Waiting>({
      most: most.bytes,
      bytes: ({ append }) => weightOf(append),
      send: (batch) =>
        commitOrFail(batch).pipe(
          Effect.provideContext(context),
          Effect.provideService(Clock.Clock, clock),
          Effect.andThen(Metric.update(batchUnits(), batch.length)),
          Effect.andThen(PubSub.publish(news, undefined)),
          Effect.tap(() =>
            Effect.sync(() => {
              // own appends need no second hint; set after the first one, not before
              seen = latest(seen ?? beginning, own)
            })
          ),
          Effect.andThen(Queue.offer(told, undefined))
        ),
      // nobody is left waiting for a store that was closed
      refuse: failAll
    })

    // Other processes are told after the commit, and seldom: a NOTIFY inside it would serialise all commits again.
    yield* Effect.forkScoped(
      Effect.forever(
        Queue.take(told).pipe(
          Effect.andThen(Effect.ignore(sql.unsafe(tell, [channel, self]))),
          Effect.andThen(Effect.sleep("20 millis"))
        )
      )
    )
    yield* sql.listen(channel).pipe(
      Effect.flatMap((notifications) =>
        Effect.forever(
          Effect.flatMap(Queue.take(notifications), ({ payload }) =>
            payload === self ? Effect.void : PubSub.publish(news, undefined)
          )
        )
      ),
      Effect.scoped,
      Effect.ignore,
      Effect.repeat(Schedule.spaced("1 second")),
      Effect.forkScoped
    )
    const here = <A, E>(effect: Effect.Effect<A, E, PgClient.PgClient>) =>
      effect.pipe(
        Effect.provideService(PgClient.PgClient, sql),
        Effect.provideService(Clock.Clock, clock),
        Effect.catch(() => Effect.fail(unavailable()))
      )

    // A hint may be lost; this look is not. One look serves all listeners: most seconds bring nothing new.
    const hint = PubSub.publish(news, undefined)
    const look = Effect.matchCauseEffect(within(here(Read.head), "2 seconds", unavailable), {
      onFailure: () => hint,
      onSuccess: (head) => {
        const isNew = head !== seen
        seen = head
        return isNew ? hint : Effect.void
      }
    })
    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced("1 second")))

    return EventStore.of({
      append: (append) =>
        Effect.uninterruptible(
          Effect.gen(function* () {
            const answer = yield* Deferred.make<Appended, WrongRevision | StoreUnavailable>()
            const taken = yield* offer({ append, answer })
            return yield* taken ? Deferred.await(answer) : Effect.fail(unavailable())
          })
        ),
      // these two are retried, because commands can't be decided without them
      outcome: (stream, commandId) => here(patient(one(Read.readCommand(commandId, stream)))),
      readStream: (stream, after, options = {}) => here(patient(one(Read.readStream(stream, after, options, most)))),
      readAll: (after, options = {}) => {
        // of all events, a page is one look into an index; of some, it may have to pass many others
        const isOfAll = Object.keys(options).every((name) => name === "limit" || name === "bytes")
        return here(onOne(sql, !isOfAll)(Read.readAll(after, options, most)))
      },
      newest: (which) => here(onOne(sql, true)(Read.newest(which))),
      eventAt: (position) => here(one(Read.eventAt(position))),
      head: here(one(Read.head)),
      since: (after) => here(one(Read.since(after))),
      hints: PubSub.subscribe(news)
    })
  })
)

/** The log in Postgres. Positions are dense. */
export const layer = layerBy.pipe(Layer.provide(Writers.layer))
