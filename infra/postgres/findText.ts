import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** A table that holds a text, and in how many rows. */
export interface TextFound {
  /** `schema.table`. */
  readonly table: string
  readonly rows: number
}

/**
 * Looks for a text in every column of every table of the database: in texts, JSON, arrays and bytes (as UTF-8). Case
 * counts. Bytes on disk that no query reads any more (dead tuples, the write-ahead log) are not looked at.
 */
export const findText = Effect.fnUntraced(function* (text: string) {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ table: string; bytes: ReadonlyArray<string> | null }>`
    SELECT format('%I.%I', c.table_schema, c.table_name) AS table,
      array_agg(format('%I', c.column_name)::text) FILTER (WHERE c.data_type = 'bytea') AS bytes
    FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE t.table_type = 'BASE TABLE' AND c.table_schema NOT IN ('pg_catalog', 'information_schema')
    GROUP BY 1 ORDER BY 1`
  const found: Array<TextFound> = []
  for (const { table, bytes } of columns) {
    const inBytes = (bytes ?? []).map((column) => `OR position(convert_to($1, 'UTF8') IN r.${column}) > 0`)
    const [row] = yield* sql.unsafe<{ rows: bigint }>(
      `SELECT count(*) AS rows FROM ${table} r WHERE position($1::text IN r::text) > 0 ${inBytes.join(" ")}`,
      [text]
    )
    if (Number(row!.rows) > 0) found.push({ table, rows: Number(row!.rows) })
  }
  return found
})
