import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Logger, Redacted, Scope } from "effect"
import { Claims } from "#engine/ports/Claims.ts"
import * as PostgresHold from "#infra/postgres/hold.ts"
import { freshDatabase } from "#test/postgres.ts"
import { claims } from "../../engine/Claims.contract.ts"

const lock = 5_020_718

const inSchema = (url: Redacted.Redacted<string>, schema: string) => {
  const to = new URL(Redacted.value(url))
  to.searchParams.set("options", `-c search_path=${schema}`)
  return Redacted.make(to.toString())
}

/** A process on a database, and its end as far as the database knows: its session is ended. */
const processOn = Effect.fnUntraced(function* (url: Effect.Success<typeof freshDatabase>, schema = "public") {
  const client = PgClient.layer({ url: inSchema(url, schema) })
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

it.live("installations in two schemas of a database have claims of the same name, each its own", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* Effect.provide(
      Effect.flatMap(PgClient.PgClient, (sql) => sql`CREATE SCHEMA beside`),
      PgClient.layer({ url })
    )
    const [one, beside] = [yield* processOn(url), yield* processOn(url, "beside")]
    yield* one.claim("a")
    const asked = yield* Effect.forkChild(beside.claim("a"), { startImmediately: true })
    // what was asked for later is not had before
    yield* beside.claim("b")
    yield* Effect.yieldNow
    assert.isDefined(asked.pollUnsafe())
  }).pipe(Effect.scoped)
)

it.live("a process that ends has said what it gave up just before", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const other = yield* processOn(url)
    const [ending, having] = [yield* Scope.make(), yield* Scope.make()]
    const one = yield* Scope.provide(processOn(url), ending)
    const { begin } = yield* Scope.provide(one.claim("a"), having)
    yield* begin
    const waiting = yield* Effect.forkChild(other.claim("a"), { startImmediately: true })
    yield* Scope.close(having, Exit.void)
    yield* Scope.close(ending, Exit.void)
    assert.isTrue((yield* Fiber.join(waiting)).handedOver)
  }).pipe(Effect.scoped)
)
