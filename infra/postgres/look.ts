import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { type Connections, DatabaseLook, type ReadModelSize } from "#ports/DatabaseLook.ts"

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
    // an estimate: counting the rows would read all of them
    const readModels = Effect.map(
      sql<ReadModelSize & { readonly name: string }>`SELECT m.name || '_v' || m.version AS name,
          sum(coalesce(pg_total_relation_size(c.oid), 0))::float8 AS bytes,
          sum(greatest(s.n_live_tup, c.reltuples, 0))::float8 AS rows
        FROM read_models m
        JOIN pg_namespace n ON n.nspname = m.name || '_v' || m.version || '_b' || m.build
        JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'r'
        LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
        WHERE m.live GROUP BY m.name, m.version`,
      (found) => new Map(found.map(({ name, bytes, rows }) => [name, { bytes, rows }]))
    )
    return DatabaseLook.of({ connections, readModels })
  })
)
