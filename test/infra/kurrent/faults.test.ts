import { randomUUID } from "node:crypto"
import type { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, PubSub, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { beginning } from "#engine/Position.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { command, fresh, noted, revisions, to, upTo } from "../../engine/appends.ts"
import type { ProtocolDouble } from "../../kurrent/ProtocolDouble.ts"
import { doubleOf, storeAt } from "../../kurrent/stores.ts"
import { freshClient } from "../stores.ts"

type Needed = Scope.Scope | PgClient.PgClient | SqlClient.SqlClient
type Store = EventStore["Service"]

/** A store on a double that a proof may stop and start, and others beside it. */
const scene = <A, E>(
  proof: (
    double: ProtocolDouble,
    store: Store,
    another: Effect.Effect<Store, unknown, Needed>
  ) => Effect.Effect<A, E, Needed>,
  version?: string
) =>
  Effect.gen(function* () {
    const double = yield* doubleOf(version)
    const store = Effect.map(Layer.build(Layer.fresh(storeAt(double.url))), (built) => Context.get(built, EventStore))
    yield* proof(double, yield* store, store)
    assert.deepStrictEqual(double.refused, [])
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(freshClient, Logger.layer([]))))

const until = (holds: () => boolean) =>
  Effect.gen(function* () {
    while (!holds()) yield* Effect.sleep("2 millis")
  })

const unavailable = ["StoreUnavailable", "the event store can't be reached"]

describe.skipIf(process.versions["deno"] !== undefined)("a KurrentDB that goes away", () => {
  it.live(
    "all calls fail as the port has it, with no word of the client's, and go on by themselves when it is back",
    () =>
      scene((double, store) =>
        Effect.gen(function* () {
          const [stream, given] = [fresh(), command()]
          yield* store.append(to(stream, "none", [given]))
          double.stop()
          const calls: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string; readonly message: string }>> = [
            store.append(to(stream, 0)),
            store.append(to(fresh())),
            store.readStream(stream, -1),
            store.outcome(stream, given.commandId),
            store.readAll(beginning),
            store.head,
            store.since(beginning)
          ]
          const errors = yield* Effect.forEach(calls, (call) => Effect.flip(Effect.asVoid(call)), {
            concurrency: "unbounded"
          })
          assert.deepStrictEqual(
            errors.map(({ _tag, message }) => [_tag, message]),
            calls.map(() => unavailable)
          )
          yield* Effect.promise(() => double.start())
          yield* store.append(to(stream, 0))
          assert.deepStrictEqual(revisions((yield* store.readStream(stream, -1)).events), [0, 1])
          assert.isAbove(yield* store.head, 0)
        })
      )
  )

  it.live("what is under way when it goes, and comes back, goes in once", () =>
    scene((double, store) =>
      Effect.gen(function* () {
        const streams = upTo(4).map(() => fresh())
        const writer = (stream: string) =>
          Effect.forEach(upTo(10), (n) =>
            store.append(to(stream, n === 0 ? "none" : n * 2 - 1, [command({ events: [noted(), noted()] })]))
          )
        const restarts = Effect.gen(function* () {
          for (const round of upTo(3)) {
            yield* until(() => double.records.all.length >= round * 20 + 5)
            double.loseAnswers = 2
            double.stop()
            yield* Effect.promise(() => double.start())
          }
        })
        yield* Effect.all([restarts, ...streams.map(writer)], { concurrency: "unbounded" })
        for (const stream of streams) assert.lengthOf(double.records.stream(stream), 20)
      })
    )
  )

  it.live("an append that the majority does not hear of in time, and one that goes in meanwhile, are asked again", () =>
    scene((double, store) =>
      Effect.gen(function* () {
        const stream = fresh()
        double.unheard = 3
        yield* store.append(to(stream))
        assert.strictEqual(double.unheard, 0)
        assert.lengthOf(double.records.stream(stream), 1)
        // no leader is known for a moment
        double.leader = null
        const elected = Effect.andThen(
          Effect.sleep("100 millis"),
          Effect.sync(() => {
            double.leader = undefined
          })
        )
        yield* Effect.all([elected, store.append(to(stream, 0))], { concurrency: "unbounded" })
        assert.lengthOf((yield* store.readStream(stream, -1)).events, 2)
      })
    )
  )

  it.live("a node that is not ready yet, or has no leader for a moment, is asked again", () =>
    scene((double, store) =>
      Effect.gen(function* () {
        const stream = fresh()
        double.unready = 2
        yield* store.append(to(stream))
        double.unready = 1
        assert.lengthOf((yield* store.readStream(stream, -1)).events, 1)
        assert.strictEqual(double.unready, 0)
      })
    )
  )

  it.live("nobody waits for longer than a timeout for one that stands still", () =>
    scene((double, store) =>
      Effect.gen(function* () {
        double.silent = true
        const calls = [Effect.asVoid(store.head), Effect.asVoid(store.readAll(beginning))]
        for (const call of calls) assert.strictEqual((yield* Effect.flip(call))._tag, "StoreUnavailable")
        double.silent = false
        yield* store.head
      })
    )
  )

  it.live.each(["26.1.0", "23.10.6"])(
    "a subscription goes on where it was: each event is known once, and whoever waits is given a hint (%s)",
    (version) =>
      scene(
        (double, mine, another) =>
          Effect.gen(function* () {
            const other = yield* another
            const [before, tenant] = [yield* mine.head, fresh("tenant")]
            const of = (type: string) => to(fresh(), "none", [command({ events: [noted({ type })] })], tenant)
            const types = upTo(3).flatMap((round) => [`T${round}`, `U${round}`])
            yield* until(() => double.subscribed === 2)
            for (const round of upTo(3)) {
              yield* other.append(of(`T${round}`))
              double.stop()
              yield* until(() => double.subscribed === 0)
              // another process was heard by the server, and by nobody else any more
              const last = double.records.all.at(-1)!
              double.records.append(fresh(), "no_stream", [{ ...last, id: randomUUID(), type: `U${round}` }])
              yield* Effect.promise(() => double.start())
              yield* until(() => double.subscribed === 2)
            }
            yield* other.append(of("V"))
            // it is the subscription that is asked: whoever reads on by themselves would see what it has passed over
            const hinted = yield* mine.hints
            const sent = () => double.seen.sent.reduce((sum, events) => sum + events, 0)
            yield* until(() => sent() >= 2 * (types.length + 1))
            const { kinds, head } = yield* mine.since(before)
            assert.deepStrictEqual(
              kinds.map(({ type }) => type),
              [...types, "V"]
            )
            assert.strictEqual(head, yield* mine.head)
            yield* other.append(of("last"))
            while ((yield* mine.since(head)).kinds.length === 0) yield* PubSub.take(hinted)
            // by then the subscription has it, and nothing is read but the head
            const reads = () => double.calls.filter((call) => call === "read").length
            const counted = reads()
            assert.deepStrictEqual(
              (yield* mine.since(head)).kinds.map(({ type }) => type),
              ["last"]
            )
            assert.strictEqual(reads(), counted + 1)
          }),
        version
      )
  )

  it.live.each(["26.1.0", "23.10.6"])(
    "a subscription goes on behind what the server has looked at, and no event is known of (%s)",
    (version) =>
      scene(
        (double, store) =>
          Effect.gen(function* () {
            yield* until(() => double.subscribed === 1)
            yield* store.append(to(fresh()))
            const last = double.records.all.at(-1)!.position
            double.foreign(
              "$stats",
              upTo(3_000).map(() => ({ type: "$statsCollected" }))
            )
            const restart = Effect.gen(function* () {
              double.stop()
              yield* until(() => double.subscribed === 0)
              yield* Effect.promise(() => double.start())
              yield* until(() => double.subscribed === 1)
              return double.seen.from.at(-1) as { readonly commit: number }
            })
            // it may be told of it a moment later than it is there again
            let tries = 0
            while ((yield* restart).commit <= last) assert.isBelow(tries++, 40)
            yield* store.append(to(fresh()))
            yield* until(() => double.seen.sent.at(-1) === 1)
          }),
        version
      )
  )
})
