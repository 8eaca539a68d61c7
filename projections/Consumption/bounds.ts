import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { BoundsOf } from "#domain/Bounds.ts"
import { schemaOf } from "#engine/Projection.ts"
import { type BoundsRow, Consumption } from "./tables.ts"

const schema = schemaOf(Consumption)
const whole = (value: number | bigint | null) => (value === null ? null : Number(value))

/** Bounds and the key that they are for; `null`: the whole tenant. */
export interface KeyBounds {
  readonly key: string | null
  readonly bounds: BoundsOf
}

/** Bounds of a tenant and of one of its keys (`null`: of all its keys); at most `limit` of them. */
export const boundsOf = (tenant: string, key: string | null, limit = 1_000) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<BoundsRow>(
        `SELECT * FROM ${schema}.bounds WHERE tenant = $1 AND ($2::text IS NULL OR key IS NULL OR key = $2)
         ORDER BY key NULLS FIRST LIMIT $3::int`,
        [tenant, key, limit]
      ),
      (rows) =>
        rows.map(
          (row): KeyBounds => ({
            key: row.key,
            bounds: {
              chatsPerDay: whole(row.chats_per_day),
              tokensPerMonth: whole(row.tokens_per_month),
              costPerMonth: row.cost_per_month,
              maxTurns: row.max_turns,
              models: row.models === null ? null : JSON.parse(row.models),
              snippets: whole(row.snippets),
              repositoryBytes: whole(row.repository_bytes)
            }
          })
        )
    )
  )
