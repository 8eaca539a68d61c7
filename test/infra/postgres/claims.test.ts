import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { Claims } from "#engine/ports/Claims.ts"
import * as PostgresHold from "#infra/postgres/hold.ts"
import { freshDatabase } from "#test/postgres.ts"
import { claims } from "../../engine/Claims.contract.ts"

const lock = 5_020_718

/** A process on a database, and its end as far as the database knows: its session is ended. */
const processOn = Effect.fnUntraced(function* (url: Effect.Success<typeof freshDatabase>) {
  const client = PgClient.layer({ url })
  let pid = 0
  const admit: PostgresHold.Admit = (token) =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const [row] = yield* sql<{ pid: number }>`
        SELECT pid FROM pg_stat_activity WHERE application_name LIKE ${`cairn %${token}`}`
      pid = row!.pid
    }) as ReturnType<PostgresHold.Admit>
  const held = Layer.provideMerge(PostgresHold.shared(admit), client)
  const context = yield* Layer.build(Layer.fresh(held)).pipe(Effect.provide(Logger.layer([])))
  return yield* Effect.gen(function* () {
    const claiming = yield* Claims
    const sql = yield* PgClient.PgClient
    return { ...claiming, lose: Effect.orDie(Effect.asVoid(sql`SELECT pg_terminate_backend(${pid}::int)`)) }
  }).pipe(Effect.provideContext(context))
})

const processes = Effect.gen(function* () {
  const url = yield* freshDatabase
  return [yield* processOn(url), yield* processOn(url), yield* processOn(url)] as const
})

claims("in Postgres", processes)

it.live("what a process has, it has under its session's locks, of which none is left when it gives all up", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const process = yield* processOn(url)
    const locks = Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const rows = yield* sql`SELECT 1 FROM pg_locks JOIN pg_database d ON d.oid = database
        WHERE locktype = 'advisory' AND datname = current_database() AND classid <> ${lock}`
      return rows.length
    }).pipe(Effect.provide(PgClient.layer({ url })))
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* process.claim("a")
        yield* process.claim("b")
        assert.strictEqual(yield* locks, 2)
      })
    )
    yield* Effect.repeat(locks, { until: (left) => left === 0 })
  })
)
