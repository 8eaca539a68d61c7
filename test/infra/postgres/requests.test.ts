import { PgClient } from "@effect/sql-pg"
import { assert, it, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Redacted, Scope } from "effect"
import { vi } from "vitest"
import { EventStore } from "#engine/ports/EventStore.ts"
import * as PostgresRequests from "#infra/postgres/requests.ts"
import { type KnownRequest, Requests, type RequestsUnavailable } from "#ports/Requests.ts"
import { command, fresh, noted, to, upTo } from "../../engine/appends.ts"
import { freshStore } from "../stores.ts"

/** Statements that look requests up, of all layers on `watched`. */
let lookups = 0
/** What the answer of each of them waits for. */
let arrived = Effect.void
/** How many deliveries each statement brought that stores them. */
const stores: Array<number> = []
/** So many of these are to fail. */
let failing = 0

/** The client, with its statements watched. */
const watched = Layer.effect(
  PgClient.PgClient,
  Effect.map(
    PgClient.PgClient,
    (sql) =>
      new Proxy(sql, {
        apply: (target, self, given: ReadonlyArray<ReadonlyArray<string>>) => {
          const statement = given[0]!.join("")
          const ask = () => Reflect.apply(target as (...given: ReadonlyArray<unknown>) => unknown, self, given)
          if (statement.includes("FROM requests WHERE digest")) {
            lookups += 1
            return Effect.andThen(arrived, ask() as Effect.Effect<unknown>)
          }
          if (statement.includes("UPDATE requests")) {
            stores.push(given[1]!.length)
            if (failing-- > 0) return Effect.fail("the table is away")
          }
          return ask()
        }
      })
  )
)

const requests = PostgresRequests.layer.pipe(Layer.provide(watched))

/** The adapter as another process would have it; it is closed with the scope. */
const another = Effect.map(Layer.build(Layer.fresh(requests)), (context) => Context.get(context, Requests))

/** A write with this digest, for the n-th time. */
const written = Effect.fnUntraced(function* (digest: string, n = 0, fingerprint: string | null = null) {
  const { append } = yield* EventStore
  const request = { digest, n, fingerprint }
  const [events] = yield* append(to(fresh(), "none", [command({ request, events: [noted()] })]))
  return events![0]!.recordedAt
})

/** Whether the table knows that it was delivered. */
const stored = (digest: string, n = 0) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.map(
      sql<{ readonly at: Date | null }>`SELECT delivered_at AS at FROM requests WHERE digest = ${digest} AND n = ${n}`,
      ([row]) => row !== undefined && row.at !== null
    )
  )

const eventually = Effect.fnUntraced(function* <E, R>(condition: Effect.Effect<boolean, E, R>) {
  const context = yield* Effect.context<R>()
  const look = () => Effect.runPromise(Effect.provide(condition, context))
  yield* Effect.promise(() => vi.waitFor(async () => assert.isTrue(await look()), { timeout: 60_000 }))
})

layer(requests.pipe(Layer.provideMerge(freshStore)), { excludeTestServices: true })("PostgresRequests", (it) => {
  it.effect("finds the latest write of a digest, and nothing of one that has none", () =>
    Effect.gen(function* () {
      const { find } = yield* Requests
      const [digest, other] = [fresh(), fresh()]
      assert.isUndefined(yield* find(digest))
      const first = yield* written(digest)
      yield* written(other, 0, "of a body")
      assert.deepInclude(yield* find(digest), { n: 0, fingerprint: null, delivered: false, recordedAt: first })
      const second = yield* written(digest, 1)
      assert.deepInclude(yield* find(digest), { n: 1, delivered: false, recordedAt: second })
      assert.deepInclude(yield* find(other), { n: 0, fingerprint: "of a body" })
    })
  )

  it.effect("knows at once what was delivered, and everybody does soon", () =>
    Effect.gen(function* () {
      const { find, delivered } = yield* Requests
      const [digest, other] = [fresh(), fresh()]
      yield* written(digest)
      yield* written(other)
      delivered(digest, 0)
      assert.isTrue((yield* find(digest))!.delivered)
      yield* eventually(stored(digest))
      assert.isTrue((yield* find(digest))!.delivered)
      assert.isTrue((yield* (yield* another).find(digest))!.delivered)
      assert.deepStrictEqual([(yield* find(other))!.delivered, yield* stored(other)], [false, false])
      // the next one of the digest has an answer of its own, which the delivery of the first says nothing of
      yield* written(digest, 1)
      delivered(digest, 0)
      assert.deepInclude(yield* find(digest), { n: 1, delivered: false })
      delivered(digest, 1)
      assert.deepInclude(yield* find(digest), { n: 1, delivered: true })
      yield* eventually(stored(digest, 1))
    })
  )

  it.effect("keeps when a delivery was noted first", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { delivered } = yield* Requests
      const [digest, later] = [fresh(), fresh()]
      yield* written(digest)
      yield* written(later)
      yield* sql`UPDATE requests SET delivered_at = '2020-02-02' WHERE digest = ${digest}`
      delivered(digest, 0)
      delivered(later, 0)
      yield* eventually(stored(later))
      const [row] =
        yield* sql`SELECT delivered_at::text LIKE '2020-02-02%' AS first FROM requests WHERE digest = ${digest}`
      assert.deepStrictEqual(row, { first: true })
    })
  )

  it.effect("stores each delivery once, none when there is none, and goes on behind a failure", () =>
    Effect.gen(function* () {
      const { delivered } = yield* Requests
      stores.length = 0
      failing = 2
      for (const digest of [fresh(), fresh(), fresh()]) {
        yield* written(digest)
        delivered(digest, 0)
        yield* eventually(stored(digest))
      }
      assert.deepStrictEqual(stores, [1, 1, 1, 1, 1])
    })
  )

  it.effect("loses no delivery when it is closed", () =>
    Effect.gen(function* () {
      const digests = upTo(20).map(() => fresh())
      yield* Effect.forEach(digests, (digest) => written(digest), { concurrency: "unbounded" })
      const scope = yield* Scope.make()
      const { delivered } = yield* Effect.provideService(another, Scope.Scope, scope)
      for (const digest of digests) delivered(digest, 0)
      yield* Scope.close(scope, Exit.void)
      for (const digest of digests) assert.isTrue(yield* stored(digest), digest)
    })
  )

  it.effect("asks once for all that are looked up while one lookup is under way", () =>
    Effect.gen(function* () {
      const { find } = yield* Requests
      const digests = upTo(50).map(() => fresh())
      yield* Effect.forEach(digests.slice(0, 25), (digest, n) => written(digest, 0, `body ${n}`))
      lookups = 0
      const answer = yield* Deferred.make<void>()
      arrived = Deferred.await(answer)
      const fibers: Array<Fiber.Fiber<KnownRequest | undefined, RequestsUnavailable>> = []
      for (const digest of digests) {
        fibers.push(yield* Effect.forkChild(find(digest), { startImmediately: true }))
        yield* Effect.yieldNow
      }
      assert.strictEqual(lookups, 1)
      yield* Deferred.succeed(answer, undefined)
      arrived = Effect.void
      const found = yield* Effect.forEach(fibers, Fiber.join)
      assert.strictEqual(lookups, 2)
      assert.deepStrictEqual(
        found.map((known) => known?.fingerprint),
        digests.map((_, n) => (n < 25 ? `body ${n}` : undefined))
      )
    })
  )

  it.effect("drops what is older than any window", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const [old, kept] = [fresh(), fresh()]
      for (const [digest, age] of [
        [old, "25 hours 1 minute"],
        [kept, "24 hours 59 minutes"]
      ] as const) {
        yield* written(digest)
        yield* sql`UPDATE requests SET recorded_at = now() - ${age}::interval WHERE digest = ${digest}`
      }
      const { find } = yield* another
      yield* eventually(Effect.map(find(old), (known) => known === undefined))
      assert.isDefined(yield* find(kept))
    })
  )
})

// nobody listens on port 1
const nowhere = PgClient.layer({
  url: Redacted.make("postgres://nobody@127.0.0.1:1/none"),
  connectTimeout: "2 seconds"
})

it.live("PostgresRequests says so when the table can't be reached, to each who asks", () =>
  Effect.gen(function* () {
    const { find } = yield* Requests
    const errors = yield* Effect.forEach(upTo(3), (n) => Effect.flip(find(`${n}`)), { concurrency: "unbounded" })
    for (const error of errors) assert.strictEqual(error._tag, "RequestsUnavailable")
  }).pipe(Effect.provide(PostgresRequests.layer.pipe(Layer.provide(nowhere))))
)
