import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { type AsOfTable, AsOfTables } from "#ports/AsOfTables.ts"

export const layer = Layer.effect(
  AsOfTables,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return AsOfTables.of({
      // reltuples is exact: the tables were made with their rows in them, and building the keys' indexes counted those
      all: sql<AsOfTable>`SELECT n.nspname AS schema, c.relname AS name,
            greatest(c.reltuples, 0)::float8 AS rows, pg_total_relation_size(c.oid)::float8 AS bytes
          FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'r'
          WHERE n.nspname ~ '^as_of_[0-9]{1,15}$' ORDER BY n.nspname, c.relname`,
      rows: ({ schema, name, without, id, after, limit, characters }) =>
        Effect.gen(function* () {
          // the columns that are there: a copy may be of another release
          const found = yield* sql<{ name: string }>`SELECT a.attname AS name
            FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'r'
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            WHERE n.nspname = ${schema} AND c.relname = ${name} ORDER BY a.attnum`
          if (found.length === 0) return undefined
          const columns = found.map((column) => column.name).filter((column) => !without.has(column))
          const values = columns.map(
            (column) =>
              sql`CASE WHEN length(${sql(column)}::text) > ${characters}::int
                THEN left(${sql(column)}::text, ${characters}::int) || '…' ELSE ${sql(column)}::text END`
          )
          const rows = yield* sql<{
            id: string
            row: ReadonlyArray<string | null>
          }>`SELECT id, json_build_array(${sql.csv(values)}) AS row
            FROM ${sql(schema)}.${sql(name)}
            WHERE (${id ?? null}::text IS NULL OR id = ${id ?? null}::text)
              AND (${after ?? null}::text IS NULL OR id > ${after ?? null}::text)
            ORDER BY id LIMIT ${limit}::int`
          return { columns, rows: rows.map(({ row }) => row), ids: rows.map(({ id }) => id) }
        })
    })
  })
)
