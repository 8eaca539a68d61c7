import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import * as Postgres from "#infra/postgres/client.ts"
import { passes } from "#ports/passes.ts"
import { freshDatabase } from "#test/postgres.ts"

const own = "SELECT pg_terminate_backend(pg_backend_pid())"

it.live("a transaction whose connection is lost fails, within another one too, and may be tried again", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    yield* Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      assert.isTrue(passes(yield* Effect.flip(sql.withTransaction(sql.unsafe(own)))))
      assert.isTrue(passes(yield* Effect.flip(sql.withTransaction(sql.withTransaction(sql.unsafe(own))))))
      // what failed for a reason of its own says that one
      const lostMeanwhile = Effect.andThen(Effect.ignore(sql.unsafe(own)), Effect.fail("ours"))
      assert.deepStrictEqual(yield* Effect.exit(sql.withTransaction(lostMeanwhile)), Exit.fail("ours"))
      const dying = yield* Effect.exit(sql.withTransaction(Effect.die("a fault of ours")))
      assert.deepStrictEqual(dying, Exit.die("a fault of ours"))
      const interrupted = yield* Effect.exit(sql.withTransaction(Effect.interrupt))
      assert.isTrue(Exit.isFailure(interrupted) && Cause.hasInterruptsOnly(interrupted.cause))
      assert.deepStrictEqual(yield* sql.withTransaction(sql`SELECT 1 AS one`), [{ one: 1 }])
    }).pipe(Effect.provide(Postgres.layer(database)))
  }).pipe(Effect.scoped)
)
