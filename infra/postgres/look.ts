import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { type Connections, DatabaseLook } from "#ports/DatabaseLook.ts"

export const layer = Layer.effect(
  DatabaseLook,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const connections = Effect.map(
      sql<Connections>`SELECT
          count(*) FILTER (WHERE state = 'active')::int AS active,
          count(*) FILTER (WHERE state = 'idle')::int AS idle,
          count(*) FILTER (WHERE state LIKE 'idle in transaction%')::int AS in_transaction
        FROM pg_stat_activity WHERE application_name = 'cairn' AND datname = current_database()`,
      ([row]) => row!
    )
    return DatabaseLook.of({ connections })
  })
)
