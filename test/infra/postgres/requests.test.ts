import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { assert, it, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Redacted, Scope } from "effect"
import { vi } from "vitest"
import { Given } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import * as PostgresEventStore from "#infra/postgres/log/layer.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import * as PostgresRequests from "#infra/postgres/requests/layer.ts"
import { type KnownRequest, Requests, type RequestsUnavailable } from "#ports/Requests.ts"
import { freshDatabase } from "#test/postgres.ts"
import { command, fresh, noted, to, upTo } from "../../engine/appends.ts"
import { freshStore } from "../stores.ts"

/** Statements that look requests up, of all layers on `watched`. */
let lookups = 0
/** What the answer of each of them waits for. */
let arrived = Effect.void
/** What each of them has to do, once it was answered, before whoever asked hears of it. */
let leaving = Effect.void
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
            return Effect.tap(Effect.andThen(arrived, ask() as Effect.Effect<unknown>), () => leaving)
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

/** The log as it is without the adapter, which notes what is written through its own. */
class Bare extends Context.Service<Bare, EventStore["Service"]>()("test/Bare") {}

const models = PostgresReadModels.layer.pipe(Layer.provide(Layer.succeed(Given, undefined)))
const requests = PostgresRequests.layer.pipe(Layer.provide(models), Layer.provide(watched))
const store = Layer.provideMerge(Layer.effect(Bare, EventStore), freshStore)

/**
 * The adapter as another process would have it, on the log as all have it, in small pages; it is closed with the scope.
 */
const another = Effect.flatMap(Bare, (bare) => {
  const paged = EventStore.of({ ...bare, readAll: (after, options) => bare.readAll(after, { ...options, limit: 7 }) })
  return Effect.map(
    Layer.build(Layer.fresh(requests.pipe(Layer.provide(Layer.succeed(EventStore, paged))))),
    (context) => Context.get(context, Requests)
  )
})

/** A write with this digest, for the n-th time. */
const written = Effect.fnUntraced(function* (
  digest: string,
  n = 0,
  fingerprint: string | null = null,
  stream = fresh()
) {
  const { append } = yield* EventStore
  const request = { digest, n, fingerprint }
  const { recordedAt } = yield* append(to(stream, "none", [command({ request, events: [noted(), noted()] })]))
  return recordedAt
})

/** The same by a process that ends before it has told anybody. */
const writtenElsewhere = (...of: Parameters<typeof written>) =>
  Effect.flatMap(Bare, (bare) => Effect.provideService(written(...of), EventStore, bare))

/** Keeps others from changing the table, until the scope is closed. */
const held = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [open, holding] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const lock = Effect.andThen(sql`LOCK TABLE requests IN EXCLUSIVE MODE`, Deferred.succeed(holding, undefined))
  const fiber = yield* Effect.forkChild(sql.withTransaction(Effect.andThen(lock, Deferred.await(open))))
  yield* Deferred.await(holding)
  yield* Effect.addFinalizer(() => Effect.andThen(Deferred.succeed(open, undefined), Fiber.await(fiber)))
})

/** Whether the table has it. */
const inTable = (digest: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.map(sql`SELECT 1 FROM requests WHERE digest = ${digest}`, (rows) => rows.length > 0)
  )

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

layer(requests.pipe(Layer.provideMerge(store)), { excludeTestServices: true })("PostgresRequests", (it) => {
  it.effect("finds the latest write of a digest, and nothing of one that has none", () =>
    Effect.gen(function* () {
      const { find } = yield* Requests
      const [digest, other] = [fresh(), fresh()]
      assert.isUndefined(yield* find(digest))
      yield* written(digest, 0, null, fresh())
      yield* written(other, 0, "of a body")
      const stream = fresh()
      const recordedAt = yield* written(digest, 1, null, stream)
      const last = { n: 1, fingerprint: null, delivered: false, stream, recordedAt }
      const rows = Effect.map(
        Effect.flatMap(
          PgClient.PgClient,
          (sql) => sql`SELECT FROM requests WHERE (digest = ${digest} AND n = 1) OR (digest = ${other} AND n = 0)`
        ),
        ({ length }) => length === 2
      )
      // by heart, and from the table
      assert.deepInclude(yield* find(digest), last)
      yield* eventually(rows)
      for (const from of [find, (yield* another).find]) {
        assert.deepInclude(yield* from(digest), last)
        assert.deepInclude(yield* from(other), { n: 0, fingerprint: "of a body" })
      }
    })
  )

  it.effect("finds what was written here at once, before the table has it, and without asking it", () =>
    Effect.gen(function* () {
      const { find, delivered } = yield* Requests
      const digest = fresh()
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* held
          const recordedAt = yield* written(digest, 3, "of a body", "stream of the first")
          const known = { n: 3, fingerprint: "of a body", stream: "stream of the first", recordedAt }
          lookups = 0
          assert.deepStrictEqual(yield* find(digest), { ...known, delivered: false })
          delivered(digest, 3)
          assert.deepStrictEqual(yield* find(digest), { ...known, delivered: true })
          assert.strictEqual(lookups, 0)
          assert.isFalse(yield* stored(digest, 3))
        })
      )
      yield* eventually(stored(digest, 3))
      assert.deepInclude(yield* find(digest), { n: 3, stream: "stream of the first", delivered: true })
    })
  )

  it.effect("takes of several commands that one request led to the first", () =>
    Effect.gen(function* () {
      const { find } = yield* Requests
      const [digest, first] = [fresh(), fresh()]
      yield* written(digest, 2, "of the body", first)
      yield* written(digest, 2, "of the body")
      assert.deepInclude(yield* find(digest), { n: 2, stream: first })
      yield* eventually(Effect.map((yield* another).find(digest), (known) => known?.stream === first))
    })
  )

  it.effect("takes the first of them, too, when the table has it before the next one is written", () =>
    Effect.gen(function* () {
      const { find } = yield* Requests
      const [digest, first] = [fresh(), fresh()]
      yield* written(digest, 2, "of the body", first)
      yield* eventually(inTable(digest))
      // what was noted by heart is forgotten a moment after
      yield* written(fresh())
      yield* eventually(Effect.map(find(digest), (known) => known?.stream === first))
      yield* written(digest, 2, "of the body")
      assert.deepInclude(yield* find(digest), { n: 2, stream: first })
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
      yield* eventually(Effect.map(sql`SELECT FROM requests WHERE digest = ${digest}`, ({ length }) => length === 1))
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

  it.effect("forgets no delivery that came while the one before it was being stored", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { delivered } = yield* Requests
      const digest = fresh()
      yield* written(digest)
      yield* eventually(Effect.map(sql`SELECT FROM requests WHERE digest = ${digest}`, ({ length }) => length === 1))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* held
          stores.length = 0
          delivered(digest, 0)
          yield* eventually(Effect.sync(() => stores.length === 1))
          yield* written(digest, 1)
          delivered(digest, 1)
        })
      )
      yield* eventually(stored(digest, 1))
    })
  )

  it.effect("knows what was delivered before a lookup that it overtakes, or during it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { find, delivered } = yield* Requests
      const [before, during, other] = [fresh(), fresh(), fresh()]
      for (const digest of [before, during, other]) {
        yield* written(digest)
        yield* eventually(Effect.map(sql`SELECT FROM requests WHERE digest = ${digest}`, ({ length }) => length === 1))
      }
      /** Looks a digest up; something is done when the table has answered, and nobody has heard of it. */
      const found = Effect.fnUntraced(function* <E, R>(digest: string, meanwhile: Effect.Effect<void, E, R>) {
        const [looked, answered] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        leaving = Effect.andThen(Deferred.succeed(looked, undefined), Deferred.await(answered))
        const finding = yield* Effect.forkChild(find(digest))
        yield* Deferred.await(looked)
        leaving = Effect.void
        yield* meanwhile
        yield* Deferred.succeed(answered, undefined)
        return yield* Fiber.join(finding)
      })
      failing = Number.POSITIVE_INFINITY
      delivered(before, 0)
      const overtaken = Effect.gen(function* () {
        failing = 0
        yield* eventually(stored(before))
        // a round later it is no longer known by heart
        delivered(other, 0)
        yield* eventually(stored(other))
      })
      assert.deepInclude(yield* found(before, overtaken), { delivered: true })
      failing = Number.POSITIVE_INFINITY
      const later = Effect.sync(() => delivered(during, 0))
      assert.deepInclude(yield* found(during, later), { delivered: true })
      failing = 0
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
      yield* Effect.forEach(digests.slice(0, 25), (digest, n) => writtenElsewhere(digest, 0, `body ${n}`))
      yield* eventually(
        Effect.map(
          Effect.flatMap(PgClient.PgClient, (sql) => sql`SELECT FROM requests WHERE digest = ${digests[24]!}`),
          ({ length }) => length === 1
        )
      )
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

  it.effect("keeps the last of a digest for good, and none before it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const digest = fresh()
      const numbers = sql<{ readonly n: number }>`SELECT n FROM requests WHERE digest = ${digest}`
      const only = (expected: number) =>
        eventually(Effect.map(numbers, (rows) => rows.length === 1 && rows[0]!.n === expected))
      yield* written(digest)
      yield* only(0)
      yield* sql`UPDATE requests SET recorded_at = now() - '400 days'::interval WHERE digest = ${digest}`
      // what goes by time would go when a process begins
      assert.deepInclude(yield* (yield* another).find(digest), { n: 0 })
      yield* written(digest, 1)
      yield* only(1)
      // read again from the beginning, the first one does not come back
      yield* sql`DELETE FROM reactions WHERE name = 'requests_v2'`
      assert.deepInclude(yield* (yield* another).find(digest), { n: 1 })
      yield* only(1)
    })
  )
})

it.live(
  "PostgresRequests knows from its first answer on what a process had written that was killed before it told anybody",
  () =>
    Effect.gen(function* () {
      const digests = upTo(20).map(() => fresh())
      for (const digest of digests) yield* writtenElsewhere(digest, 1)
      const { find } = yield* another
      const found = yield* Effect.forEach(digests, find, { concurrency: "unbounded" })
      for (const known of found) assert.deepInclude(known, { n: 1, delivered: false })
      // and the next one goes on behind it
      const sql = yield* PgClient.PgClient
      yield* eventually(
        Effect.map(
          sql`SELECT FROM reactions WHERE name = 'requests_v2' AND position = (SELECT max(position) FROM events)`,
          ({ length }) => length === 1
        )
      )
      yield* sql`DELETE FROM requests`
      assert.isUndefined(yield* (yield* another).find(digests[0]!))
    }).pipe(Effect.scoped, Effect.provide(store))
)

const migrations = join(import.meta.dirname, "../../../infra/postgres/migrations")

it.live("PostgresRequests knows what was known before the log told of requests", () =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    for (const file of readdirSync(migrations).sort()) {
      if (file.startsWith("0008")) {
        // as the function of that time left them
        for (const [n, digest] of ["one", "two", "old"].entries()) {
          yield* sql`INSERT INTO events (position, tenant, stream, revision, event_id, type, schema_version, data, has_text,
              command_id, correlation_id, recorded_at)
            VALUES (${n + 1}, 'tenant', ${digest}, 0, gen_random_uuid(), 'Noted', 1, '{}', false,
              gen_random_uuid(), gen_random_uuid(), now() - ${digest === "old" ? "26 hours" : "23 hours"}::interval)`
          yield* sql`INSERT INTO requests SELECT stream, 4, command_id, 'body', recorded_at,
              CASE WHEN stream = 'one' THEN now() END
            FROM events WHERE stream = ${digest}`
        }
      }
      if (file.startsWith("0013")) {
        // written, delivered and dropped after a day, while the table was followed
        yield* sql`INSERT INTO events (position, tenant, stream, revision, event_id, type, schema_version, data, has_text,
            command_id, correlation_id, recorded_at, request)
          VALUES (4, 'tenant', 'dropped', 0, gen_random_uuid(), 'Noted', 1, '{}', false,
            gen_random_uuid(), gen_random_uuid(), now() - '30 hours'::interval, '{"digest":"dropped","n":2,"fingerprint":null}')`
        yield* sql`UPDATE reactions SET position = 4 WHERE name = 'requests'`
      }
      yield* sql.unsafe(`DO $migration$ BEGIN\n${readFileSync(join(migrations, file), "utf8")}\nEND $migration$`)
    }
    const program = Effect.gen(function* () {
      const { find } = yield* Requests
      assert.deepInclude(yield* find("one"), { n: 4, fingerprint: "body", stream: "one", delivered: true })
      assert.deepInclude(yield* find("two"), { n: 4, fingerprint: "body", stream: "two", delivered: false })
      assert.isUndefined(yield* find("old"))
      assert.deepInclude(yield* find("dropped"), { n: 2, stream: "dropped", delivered: false })
      yield* written("two", 5)
      assert.deepInclude(yield* find("two"), { n: 5, fingerprint: null })
    })
    const layers = PostgresRequests.layer.pipe(Layer.provide(models), Layer.provide(PostgresEventStore.layer))
    yield* Effect.provide(program, Layer.provide(layers, Layer.succeed(PgClient.PgClient, sql)))
  }).pipe(Effect.provide(Layer.unwrap(Effect.map(freshDatabase, (url) => PgClient.layer({ url, maxConnections: 6 })))))
)

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
  }).pipe(
    Effect.provide(
      PostgresRequests.layer.pipe(
        Layer.provide(models),
        Layer.provide(PostgresEventStore.layer),
        Layer.provide(nowhere)
      )
    )
  )
)
