import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Stored } from "#domain/bounded.ts"
import { schemaOf } from "#engine/Projection.ts"
import { Consumption } from "./tables.ts"

const schema = schemaOf(Consumption)

/** What a tenant, or one key of it, has stored. */
export const storedBy = (tenant: string, key: string | null) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ snippets: string; bytes: string }>(
        `SELECT
           (SELECT count(*) FROM ${schema}.snippets WHERE tenant = $1 AND ($2::text IS NULL OR key = $2)) AS snippets,
           (SELECT coalesce(sum(bytes), 0) FROM ${schema}.committed
            WHERE tenant = $1 AND ($2::text IS NULL OR key = $2)) AS bytes`,
        [tenant, key]
      ),
      ([row]): Stored => ({ snippets: Number(row!.snippets), bytes: Number(row!.bytes) })
    )
  )

/** Which of these snippets are stored. */
export const thoseThere = (ids: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ id: string }>(
        `SELECT id FROM ${schema}.snippets WHERE id IN (SELECT json_array_elements_text($1::json))`,
        [JSON.stringify(ids)]
      ),
      (rows) => new Set(rows.map(({ id }) => id))
    )
  )
