import type { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, PubSub, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { EventStore } from "#engine/ports/EventStore.ts"
import { command, fresh, noted, revisions, to, upTo } from "../../engine/appends.ts"
import { ClusterDouble } from "../../kurrent/ClusterDouble.ts"
import { storeAt } from "../../kurrent/stores.ts"
import { freshClient } from "../stores.ts"

type Needed = Scope.Scope | PgClient.PgClient | SqlClient.SqlClient
type Store = EventStore["Service"]

const storeOn = (url: string) =>
  Effect.map(Layer.build(Layer.fresh(storeAt(url))), (built) => Context.get(built, EventStore))

const scene = <A, E>(proof: (cluster: ClusterDouble) => Effect.Effect<A, E, Needed>) =>
  Effect.gen(function* () {
    const started = Effect.promise(async () => {
      const cluster = new ClusterDouble()
      await cluster.start()
      return cluster
    })
    const cluster = yield* Effect.acquireRelease(started, (cluster) => Effect.sync(() => cluster.stop()))
    yield* proof(cluster)
    assert.deepStrictEqual(cluster.refused, [])
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(freshClient, Logger.layer([]))))

const until = (holds: () => boolean) =>
  Effect.gen(function* () {
    while (!holds()) yield* Effect.sleep("2 millis")
  })

/** Until a store answers again; what fails meanwhile says that it is away. */
const answering = <A>(call: Effect.Effect<A, { readonly _tag: string }>): Effect.Effect<A> =>
  Effect.catch(call, (error) => {
    assert.strictEqual(error._tag, "StoreUnavailable")
    return Effect.andThen(Effect.sleep("20 millis"), answering(call))
  })

const subscribedTo = (store: Store, stream: string) =>
  Effect.gen(function* () {
    const hinted = yield* store.hints
    const before = yield* store.head
    return {
      heard: Effect.gen(function* () {
        while ((yield* answering(store.since(before))).kinds.length === 0) yield* PubSub.take(hinted)
        return (yield* store.readStream(stream, -1)).events.length
      })
    }
  })

describe.skipIf(process.versions["deno"] !== undefined)("a cluster of KurrentDB", () => {
  it.live("of which any node is named, the one that leads is found", () =>
    scene((cluster) =>
      Effect.gen(function* () {
        const [first, second] = cluster.nodes
        cluster.elect(second!)
        const store = yield* storeOn(`kurrentdb://127.0.0.1:${first!.port}?tls=false`)
        const stream = fresh()
        yield* store.append(to(stream))
        assert.deepStrictEqual(revisions((yield* store.readStream(stream, -1)).events), [0])
        yield* until(() => second!.subscribed === 1)
        assert.strictEqual(first!.subscribed, 0)
        // and by the subscription alone, of one that writes nothing
        yield* storeOn(`kurrentdb://127.0.0.1:${first!.port}?tls=false`)
        yield* until(() => first!.subscribed + second!.subscribed === 2)
        assert.strictEqual(first!.subscribed, 0)
      })
    )
  )

  it.live("whose leader is killed and does not come back is gone on with, by reads, writes and the subscription", () =>
    scene((cluster) =>
      Effect.gen(function* () {
        const store = yield* storeOn(cluster.url)
        const stream = fresh()
        yield* store.append(to(stream))
        yield* until(() => cluster.leader!.subscribed === 1)
        for (const round of [1, 2]) {
          const { heard } = yield* subscribedTo(store, stream)
          const [gone, next, other] = [cluster.leader!, ...cluster.nodes.filter((node) => node !== cluster.leader)]
          cluster.kill(gone)
          // until they have elected another, the others send whoever comes to the one that is gone
          yield* Effect.flip(store.head)
          cluster.elect(next!, [gone])
          const given = command({ events: [noted({ type: `After${round}` })] })
          yield* answering(store.append(to(stream, "any", [given])))
          assert.strictEqual(yield* answering(heard), round + 1)
          yield* until(() => next!.subscribed === 1)
          assert.strictEqual(other!.subscribed, 0)
          yield* Effect.promise(() => cluster.revive(gone))
        }
      })
    )
  )

  it.live("whose leader changes in the middle of appends has each of them once", () =>
    scene((cluster) =>
      Effect.gen(function* () {
        const store = yield* storeOn(cluster.url)
        const streams = upTo(3).map(() => fresh())
        const writer = (stream: string) =>
          Effect.forEach(upTo(12), (n) => answering(store.append(to(stream, n === 0 ? "none" : n - 1, [command()]))))
        const elections = Effect.gen(function* () {
          for (const round of upTo(4)) {
            yield* until(() => cluster.records.all.length >= round * 8 + 4)
            const [old, next] = [cluster.leader!, cluster.nodes[(round + 1) % 3]!]
            old.loseAnswers = 1
            if (round % 2 === 0) cluster.elect(next)
            else {
              cluster.kill(old)
              cluster.elect(next, [old])
              yield* Effect.promise(() => cluster.revive(old))
            }
          }
        })
        yield* Effect.all([elections, ...streams.map(writer)], { concurrency: "unbounded" })
        for (const stream of streams)
          assert.deepStrictEqual(
            cluster.records.stream(stream).map(({ revision }) => revision),
            upTo(12)
          )
      })
    )
  )

  it.live(
    "whose leader was cut off from the others, and still answers, is left for the one that they have elected",
    () =>
      scene((cluster) =>
        Effect.gen(function* () {
          const store = yield* storeOn(cluster.url)
          const stream = fresh()
          yield* store.append(to(stream))
          const [cut, next] = cluster.nodes
          yield* until(() => cut!.subscribed === 1)
          cluster.elect(next!)
          cut!.leader = null
          yield* answering(store.append(to(stream, 0)))
          assert.deepStrictEqual(revisions((yield* answering(store.readStream(stream, -1))).events), [0, 1])
          yield* until(() => next!.subscribed === 1)
          yield* until(() => cut!.subscribed === 0)
        })
      )
  )

  it.live("without a leader for a moment is asked again", () =>
    scene((cluster) =>
      Effect.gen(function* () {
        const store = yield* storeOn(cluster.url)
        const stream = fresh()
        yield* store.append(to(stream))
        for (const node of cluster.nodes) node.leader = null
        const late = Effect.andThen(
          Effect.sleep("300 millis"),
          Effect.sync(() => cluster.elect(cluster.nodes[2]!))
        )
        yield* Effect.all([late, store.append(to(stream, 0))], { concurrency: "unbounded" })
        assert.deepStrictEqual(revisions((yield* store.readStream(stream, -1)).events), [0, 1])
      })
    )
  )
})
