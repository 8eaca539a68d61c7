import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import * as Postgres from "#infra/postgres/client.ts"
import { Writers } from "#infra/postgres/log/Writers.ts"
import { transaction } from "#infra/postgres/transaction.ts"
import { passes } from "#ports/passes.ts"
import { connectTo, freshDatabase } from "#test/postgres.ts"

const values = `SELECT current_setting('idle_in_transaction_session_timeout') || ' ' ||
  current_setting('tcp_keepalives_idle') || ' ' || current_setting('tcp_user_timeout') AS said`

it.live("a client of which nothing is heard loses its transaction, and with it the locks that others wait for", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    yield* Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const has = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      // as a process does that is stopped in its tracks: it has the lock, and says no more
      const stopped = yield* Effect.forkChild(
        sql`SELECT pg_advisory_xact_lock(5020717)`.pipe(
          Effect.andThen(Deferred.succeed(has, undefined)),
          Effect.andThen(Deferred.await(goOn)),
          Effect.andThen(sql`SELECT 1`),
          transaction(sql)
        )
      )
      yield* Deferred.await(has)
      const other = yield* Effect.promise(() => connectTo({ database }))
      yield* Effect.promise(() => other.query("SET lock_timeout = '20s'"))
      yield* Effect.promise(() => other.query("SELECT pg_advisory_lock(5020717)"))
      yield* Effect.promise(other.close)
      yield* Deferred.succeed(goOn, undefined)
      // and what it was at may be tried again
      assert.isTrue(passes(yield* Effect.flip(Fiber.join(stopped))))
    }).pipe(Effect.provide(Postgres.layer(database, { silence: 500 })))
  }).pipe(Effect.scoped)
)

it.live("each session of a service is one whose client's end the server notices", () =>
  Effect.gen(function* () {
    const all = Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { call } = yield* Writers
      const [row] = yield* sql.unsafe<{ said: string }>(values)
      return [row!.said, ...(yield* call(values, [])).flat()]
    })
    const on = (layer: ReturnType<typeof Postgres.unmigratedOn>) =>
      Effect.provide(all, Layer.provideMerge(Writers.layer, layer))
    const url = yield* freshDatabase
    assert.deepStrictEqual(yield* on(Postgres.unmigratedOn(url, {})), ["30s 10 25000", "30s 10 25000"])
    const [embedded] = yield* Effect.provide(all, Layer.provideMerge(Writers.layer, Postgres.layer(url)))
    assert.match(embedded as string, /^30s /)
  }).pipe(Effect.scoped)
)
