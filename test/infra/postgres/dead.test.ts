import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, type Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { beginning, positionOf } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { type BuildMoved, ReadModels, ReadModelsUnavailable } from "#engine/ports/ReadModels.ts"
import * as PostgresReadModels from "#infra/postgres/readModels/layer.ts"
import { transaction } from "#infra/postgres/transaction.ts"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import { table } from "#projections/table.ts"
import { freshDatabase } from "#test/postgres.ts"
import { recorded } from "#test/recorded.ts"
import { command, fresh, noted, to, typed } from "../../engine/appends.ts"
import { rest } from "../../engine/EventStore.reading.ts"
import { storeOn } from "../stores.ts"
import { stillLine } from "./stillLine.ts"

/** Lets seconds pass, each with time for what the server answers, until the fiber has ended. */
const ended = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>, most = 60) {
  for (let second = 0; fiber.pollUnsafe() === undefined; second++) {
    if (second === most) return assert.fail(`it has not ended in ${most} seconds`)
    yield* TestClock.adjust("1 seconds")
    yield* TestClock.withLive(Effect.sleep("30 millis"))
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
        yield* TestClock.adjust("1 seconds")
        yield* TestClock.withLive(Effect.sleep("30 millis"))
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
