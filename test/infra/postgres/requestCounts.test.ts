import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Postgres from "#infra/postgres/client.ts"
import * as PostgresRequestCounts from "#infra/postgres/requestCounts.ts"
import { RequestCounts } from "#ports/RequestCounts.ts"
import { contract } from "#test/infra/requestCounts/contract.ts"
import { freshDatabase } from "#test/postgres.ts"

const database = Layer.unwrap(Effect.map(freshDatabase, (url) => Postgres.layer(url)))
/** Another process: nothing is shared but the database. */
const another = Effect.map(Layer.build(Layer.fresh(PostgresRequestCounts.layer)), (built) =>
  Context.get(built, RequestCounts)
)

/** To the database, what was counted is so much longer ago; to the process, time has gone by. */
const passing = (seconds: number) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* Effect.orDie(sql`UPDATE request_counts SET at = at - ${seconds}::integer`)
    yield* TestClock.adjust(seconds * 1000)
  })

layer(Layer.provideMerge(PostgresRequestCounts.layer, database))("request counts in Postgres", (it) => {
  contract(it, passing)

  it.effect("are of all processes together: they race, and no limit is passed", () =>
    Effect.gen(function* () {
      const processes = yield* Effect.all([another, another, another, another])
      for (let round = 0; round < 5; round++) {
        const names = Array.from({ length: 8 }, (_, n) => `race ${round} ${n}`)
        const waits = yield* Effect.forEach(
          processes.flatMap(({ count }) =>
            names.flatMap((name) => Array.from({ length: 10 }, () => ({ count, name })))
          ),
          ({ count, name }) => Effect.map(count(name, 25), (wait) => ({ name, wait })),
          { concurrency: "unbounded" }
        )
        for (const name of names)
          assert.lengthOf(
            waits.filter((one) => one.name === name && one.wait === 0),
            25
          )
      }
      const { count } = processes[1]!
      assert.isAbove(yield* count("race 0 0", 25), 0)
    })
  )

  it.effect("take one round trip for all that come while one is under way, and none for who is at the limit", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const counted = yield* another
      yield* counted.count("held", 500)
      const holding = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT FROM request_counts FOR UPDATE`
            return yield* Effect.never
          })
        )
      )
      // its row is held: the first waits, the others gather
      const asking = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 300 }), () => counted.count("held", 200), { concurrency: "unbounded" })
      )
      yield* Fiber.interrupt(holding)
      const waits = yield* Fiber.join(asking)
      assert.lengthOf(
        waits.filter((wait) => wait === 0),
        199
      )
      yield* sql`UPDATE request_counts SET at = at - 1000`
      // the database would let it in by now; it is not asked before the time is over
      assert.isAbove(yield* counted.count("held", 200), 0)
      yield* TestClock.adjust("62 seconds")
      assert.strictEqual(yield* counted.count("held", 200), 0)
    })
  )

  it.effect("keep no name as it is, and nothing of who has not come for two minutes", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { count } = yield* RequestCounts
      yield* count("address 203.0.113.7", 5)
      const rows = Effect.map(sql<{ row: string }>`SELECT r::text AS row FROM request_counts r`, (all) => all.length)
      assert.isAbove(yield* rows, 0)
      const [row] = yield* sql<{
        found: number
      }>`SELECT count(*)::int AS found FROM request_counts r WHERE r::text LIKE '%203.0%'`
      assert.strictEqual(row!.found, 0)
      yield* sql`UPDATE request_counts SET at = at - 180`
      yield* another
      while ((yield* rows) > 0) yield* Effect.yieldNow
    })
  )

  it.effect("begin anew where the clock was set back a lot, and stand still where it was a little", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const counted = yield* another
      yield* counted.count("clock", 2)
      yield* sql`UPDATE request_counts SET at = at + 20`
      assert.strictEqual(yield* counted.count("clock", 2), 0)
      assert.isAbove(yield* counted.count("clock", 2), 0)
      yield* sql`UPDATE request_counts SET at = at + 3600`
      const other = yield* another
      assert.strictEqual(yield* other.count("clock", 2), 0)
    })
  )
})
