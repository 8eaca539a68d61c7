import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { beginning, positionOf } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { Claims } from "#engine/ports/Claims.ts"
import { EventStore, StoreUnavailable } from "#engine/ports/EventStore.ts"
import { type Build, type BuildMoved, ReadModels, ReadModelsUnavailable } from "#engine/ports/ReadModels.ts"
import { admit } from "#infra/belonging.ts"
import * as PostgresHold from "#infra/postgres/hold.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import * as PostgresRequests from "#infra/postgres/requests/layer.ts"
import { transaction } from "#infra/postgres/transaction.ts"
import { onOne } from "#infra/postgres/watched.ts"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import { Requests } from "#ports/Requests.ts"
import { table } from "#projections/table.ts"
import { freshDatabase } from "#test/postgres.ts"
import { recorded } from "#test/recorded.ts"
import { command, fresh, noted, to, typed } from "../../engine/appends.ts"
import { rest } from "../../engine/EventStore.reading.ts"
import { storeOn } from "../stores.ts"
import { stillLine } from "./stillLine.ts"

/** A second, with time for what the server answers meanwhile. */
const secondPasses = Effect.andThen(TestClock.adjust("1 seconds"), TestClock.withLive(Effect.sleep("30 millis")))

/** Lets seconds pass, each with time for what the server answers, until the fiber has ended. */
const ended = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>, most = 60) {
  for (let second = 0; fiber.pollUnsafe() === undefined; second++) {
    if (second === most) return assert.fail(`it has not ended in ${most} seconds`)
    yield* secondPasses
  }
  return yield* fiber.pollUnsafe()!
})

it.effect.each([
  ["is sent on", "dieAt"],
  ["was answered on", "dieBehind"]
] as const)("an append that %s a dead connection goes in on another one, once", ([, dies]) =>
  Effect.gen(function* () {
    const line = yield* stillLine(yield* freshDatabase)
    yield* Effect.gen(function* () {
      const { append } = yield* EventStore
      const stream = fresh()
      yield* append(to(stream, "none"))
      line[dies](stream)
      const asked = yield* Effect.forkChild(append(to(stream, 0)))
      yield* line.said
      // others wait behind it, and go in with it
      const other = yield* Effect.forkChild(append(to(fresh(), "none")))
      assert.strictEqual((yield* ended(asked)).revision, 1)
      assert.strictEqual((yield* ended(other)).revision, 0)
      assert.lengthOf(yield* rest(beginning), 3)
      line.cut()
    }).pipe(Effect.provide(storeOn(line.url)))
  }).pipe(Effect.scoped)
)

it.effect("an append that was answered on a dead connection is looked for on another one, which may be dead, too", () =>
  Effect.gen(function* () {
    const line = yield* stillLine(yield* freshDatabase)
    yield* Effect.gen(function* () {
      const { append } = yield* EventStore
      const stream = fresh()
      yield* append(to(stream, "none"))
      line.dieBehind(stream)
      const asked = yield* Effect.forkChild(append(to(stream, 0)))
      yield* line.said
      line.dieAt("SELECT e.revision FROM events e WHERE e.event_id")
      assert.strictEqual((yield* ended(asked)).revision, 1)
      line.cut()
    }).pipe(Effect.provide(storeOn(line.url)))
  }).pipe(Effect.scoped)
)

it.effect("an append on a dead connection has longer for many bytes, also alone", () =>
  Effect.gen(function* () {
    const line = yield* stillLine(yield* freshDatabase)
    yield* Effect.gen(function* () {
      const { append } = yield* EventStore
      line.dieAt("es_append_one(")
      const payload = typed("someone", "x".repeat(500_000))
      const asked = yield* Effect.forkChild(append(to(fresh(), "none", [command({ events: [noted({ payload })] })])))
      yield* line.said
      // two looks after nearly 6 s each, where a slight one has 5
      for (let second = 0; second < 11; second++) {
        yield* secondPasses
      }
      assert.isUndefined(asked.pollUnsafe())
      assert.strictEqual((yield* ended(asked)).revision, 0)
      line.cut()
    }).pipe(Effect.provide(storeOn(line.url)))
  }).pipe(Effect.scoped)
)

it.effect("an append in pieces whose connection goes dead leaves the log's lock to others, and goes in once", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const line = yield* stillLine(database)
    yield* Effect.gen(function* () {
      const { append } = yield* EventStore
      const stream = fresh()
      const payload = typed("someone", "x".repeat(600_000))
      // it is in, but for its end, and has the lock
      line.dieBehind("es_append(")
      const asked = yield* Effect.forkChild(append(to(stream, "none", [command({ events: [noted({ payload })] })])))
      yield* line.said
      const others = Effect.flatMap(EventStore, (store) => store.append(to(fresh(), "none")))
      const other = yield* Effect.forkChild(Effect.provide(others, storeOn(database)))
      assert.strictEqual((yield* ended(other)).revision, 0)
      assert.strictEqual((yield* ended(asked)).revision, 0)
      assert.lengthOf(yield* rest(beginning), 2)
      line.cut()
    }).pipe(Effect.provide(storeOn(line.url)))
  }).pipe(Effect.scoped)
)

const letters: Projection = {
  name: "letters",
  version: 1,
  tables: {
    letters: table<{ readonly id: string }>({
      columns: { id: "text" },
      on: { SnippetPublished: { rows: ({ snippet }) => [snippet], to: (_, { snippet }) => ({ id: snippet }) } }
    })
  }
}

const published = [recorded(1, SnippetEvent.cases.SnippetPublished.make({ snippet: "a" }))]

const modelsOn = (url: Parameters<typeof storeOn>[0]) =>
  PostgresReadModels.layer.pipe(Layer.provide(EmbeddingTable.layer), Layer.provideMerge(storeOn(url)))

it.effect.each([
  ["when it begins", "BEGIN", "dieAt"],
  ["at its first statement", "UPDATE read_models", "dieAt"],
  ["with the read model's row in its hands", "UPDATE read_models", "dieBehind"],
  ["when it ends", "COMMIT", "dieAt"]
] as const)(
  "events whose transaction's connection goes dead %s are a fault, and go in on another one",
  ([, at, dies]) =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const line = yield* stillLine(database)
      // by somebody else: a connection names each statement in full once only
      const build = yield* Effect.provide(
        Effect.flatMap(ReadModels, ({ live }) => live(letters)),
        modelsOn(database)
      )
      yield* Effect.gen(function* () {
        const { apply } = yield* ReadModels
        line[dies](at)
        const asked = yield* Effect.forkChild(Effect.flip(apply([build], published, positionOf(1))))
        yield* line.said
        assert.instanceOf(yield* ended(asked), ReadModelsUnavailable)
        const again = yield* Effect.forkChild(apply([build], published, positionOf(1)))
        assert.deepStrictEqual(
          (yield* ended(again)).map(({ position }) => position),
          [1]
        )
        line.cut()
      }).pipe(Effect.provide(modelsOn(line.url)))
    }).pipe(Effect.scoped)
)

type Ports = EventStore["Service"] & ReadModels["Service"] & Requests["Service"]
const build: Build = { projection: letters, build: 7, position: beginning, live: false }
const asks: ReadonlyArray<readonly [string, string, (ports: Ports) => Effect.Effect<unknown, unknown>]> = [
  ["readAll", "WITH ending AS", ({ readAll }) => readAll(beginning)],
  ["readAll of some events", "WITH ending AS", ({ readAll }) => readAll(beginning, { types: ["SnippetPublished"] })],
  ["newest", "ORDER BY position DESC", ({ newest }) => newest({ types: ["SnippetPublished"], limit: 1 })],
  ["eventAt", "SELECT event_id FROM events", ({ eventAt }) => eventAt(positionOf(1))],
  ["since", "GROUP BY tenant, type", ({ since }) => since(beginning)],
  ["live", "CREATE SCHEMA", ({ live }) => live(letters)],
  ["live, looked up", "SELECT build, position, live FROM read_models", ({ live }) => live(letters)],
  ["begin", "INSERT INTO read_models", ({ begin }) => begin(letters)],
  ["checkpoints", "json_to_recordset", ({ checkpoints }) => checkpoints([letters])],
  ["unfinished", "WHERE NOT live ORDER BY", ({ unfinished }) => unfinished],
  ["others", "FROM read_models", ({ others }) => others([letters])],
  ["drop", "DELETE FROM read_models", ({ drop }) => drop(build)],
  ["promote", "FOR UPDATE", ({ promote }) => promote(letters, () => Effect.succeed(build))],
  ["reaction", "SELECT position FROM reactions", ({ reaction }) => reaction("letters")],
  ["advance", "UPDATE reactions", ({ advance }) => advance("letters", beginning, positionOf(1))],
  ["advanceAll", "UPDATE reactions", ({ advanceAll }) => advanceAll([])],
  ["find", "SELECT DISTINCT ON (digest)", ({ find }) => find("aa")]
]

it.effect.each(asks)("%s ends on a dead connection, as on one that was lost", ([, word, ask]) =>
  Effect.gen(function* () {
    const line = yield* stillLine(yield* freshDatabase)
    const requests = PostgresRequests.layer.pipe(Layer.provideMerge(modelsOn(line.url)))
    yield* Effect.gen(function* () {
      const ports = { ...(yield* EventStore), ...(yield* ReadModels), ...(yield* Requests) }
      line.dieAt(word)
      const asked = yield* Effect.forkChild(Effect.exit(ask(ports)))
      yield* line.said
      // the requests' own step may have been first
      const exit = yield* ended(asked)
      if (Exit.isFailure(exit)) assert.match(String(Cause.squash(exit.cause)), /Unavailable/)
      assert.isFalse(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      line.cut()
    }).pipe(Effect.provide(requests))
  }).pipe(Effect.scoped)
)

it.effect("an answer that is long on its way is waited for, and another connection for ten seconds", () =>
  Effect.gen(function* () {
    const line = yield* stillLine(yield* freshDatabase)
    yield* Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { head } = yield* EventStore
      // the server is done with it at once, which is all that it can say
      const slow = Effect.andThen(
        sql`SELECT 1`,
        Effect.sync(() => line.slow(true))
      )
      const long = sql<{ text: string }>`SELECT repeat('x', 4000000) AS text`
      const asked = yield* Effect.forkChild(onOne(sql)(Effect.andThen(slow, long)))
      let seconds = 0
      for (; asked.pollUnsafe() === undefined && seconds < 600; seconds++) {
        line.pass()
        yield* TestClock.adjust("1 seconds")
        yield* TestClock.withLive(Effect.sleep("10 millis"))
      }
      assert.isAbove(seconds, 30)
      assert.lengthOf((yield* Fiber.join(asked))[0]!.text, 4_000_000)
      line.slow(false)
      // five of the pool's six, or all: one may listen
      let had = 0
      const held = Effect.andThen(
        sql.reserve,
        Effect.sync(() => had++)
      )
      for (let n = 0; n < 6; n++) yield* Effect.forkScoped(Effect.scoped(Effect.andThen(held, Effect.never)))
      for (let second = 0; had < 5; second++) {
        if (second === 60) return assert.fail(`only ${had} connections in a minute`)
        yield* secondPasses
      }
      assert.instanceOf(yield* ended(yield* Effect.forkChild(Effect.flip(head)), 12), StoreUnavailable)
    }).pipe(Effect.scoped, Effect.provide(storeOn(line.url)))
  }).pipe(Effect.scoped)
)

it.effect("a service whose locks' session ends takes them again, though a connection goes dead meanwhile", () =>
  Effect.gen(function* () {
    const line = yield* stillLine(yield* freshDatabase)
    const directory = mkdtempSync(join(tmpdir(), "cairn-dead-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true })))
    const hold = PostgresHold.shared(admit(directory)).pipe(Layer.provideMerge(storeOn(line.url)))
    yield* Effect.gen(function* () {
      const { claim } = yield* Claims
      const before = yield* Effect.forkChild(Effect.scoped(claim("before")))
      yield* ended(before)
      line.dieAt("SELECT folder FROM installation FOR UPDATE")
      line.cut()
      const after = yield* Effect.forkChild(Effect.scoped(claim("after")))
      yield* ended(after)
      yield* line.said
      // and what holds the lock is one that dies, too
      for (const word of ["pg_try_advisory_lock_shared", "idle_session_timeout", "LISTEN"]) {
        line.dieAt(word)
        line.cut()
        const last = yield* Effect.forkChild(Effect.scoped(claim("last")))
        yield* ended(last)
      }
      line.cut()
    }).pipe(Effect.provide(hold))
  }).pipe(Effect.scoped)
)

it.effect("a transaction that is at work between two statements goes on, however long that takes", () =>
  Effect.gen(function* () {
    const line = yield* stillLine(yield* freshDatabase)
    yield* Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const work = Effect.andThen(sql`SELECT 1`, Effect.sleep("50 seconds"))
      // what this connection has said meanwhile
      const said = sql`SELECT 1 AS said FROM pg_prepared_statements WHERE statement = 'SHOW server_version'`
      const asked = yield* Effect.forkChild(transaction(sql)(Effect.andThen(work, said)))
      assert.deepStrictEqual(yield* ended(asked), [{ said: 1 }])
    }).pipe(Effect.provide(storeOn(line.url)))
  }).pipe(Effect.scoped)
)

it.effect("events that wait for a read model that somebody holds are none, however long that takes", () =>
  Effect.gen(function* () {
    yield* Effect.gen(function* () {
      const { apply, live, promote, begin } = yield* ReadModels
      const sql = yield* SqlClient.SqlClient
      const build = yield* live(letters)
      const waits = sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
      const other = yield* begin(letters)
      const taken = Effect.fnUntraced(function* () {
        const asked = yield* Effect.forkDetach(apply([build], published, positionOf(1)))
        while ((yield* waits).length === 0) yield* TestClock.withLive(Effect.sleep("10 millis"))
        for (let second = 0; second < 60; second++) {
          yield* TestClock.adjust("1 seconds")
          yield* TestClock.withLive(Effect.sleep("10 millis"))
          assert.isUndefined(asked.pollUnsafe())
        }
        // what holds it has said something meanwhile, and taken no snapshot
        const said = yield* sql`SELECT backend_xmin FROM pg_stat_activity
          WHERE query = 'SHOW server_version' AND state = 'idle in transaction' AND datname = current_database()`
        assert.deepStrictEqual(said, [{ backend_xmin: null }])
        return asked
      })
      const asked: Array<Fiber.Fiber<unknown, BuildMoved | ReadModelsUnavailable>> = []
      yield* promote(letters, () =>
        Effect.map(taken(), (fiber) => {
          asked.push(fiber)
          return other
        })
      ).pipe(Effect.orDie)
      // another build is live by now
      assert.strictEqual((yield* Effect.flip(ended(asked[0]!)))._tag, "BuildMoved")
    }).pipe(Effect.provide(modelsOn(yield* freshDatabase)))
  }).pipe(Effect.scoped)
)

it.effect("a transaction gives what it gives, or how it fails, and then nothing of it is there", () =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const inOne = transaction(sql)
    yield* sql`CREATE TABLE numbers (n int)`
    const put = (n: number) => sql`INSERT INTO numbers VALUES (${n})`
    assert.strictEqual(yield* inOne(Effect.as(put(1), "given")), "given")
    assert.strictEqual(yield* Effect.flip(inOne(Effect.andThen(put(2), Effect.fail("failed" as const)))), "failed")
    // COMMIT rolls back what a statement that failed has broken
    yield* Effect.flip(inOne(Effect.andThen(put(3), Effect.ignore(sql`SELECT 1 / 0`))))
    assert.deepStrictEqual(yield* sql`SELECT n FROM numbers`, [{ n: 1 }])
  }).pipe(Effect.provide(Layer.unwrap(Effect.map(freshDatabase, storeOn))))
)
