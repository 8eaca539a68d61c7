import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { positionOf } from "#engine/Position.ts"
import { schemaOf } from "#engine/Projection.ts"
import type { Other } from "#engine/ports/ReadModels.ts"

/** Live read models of other projections than `known` lists, which is JSON with name and version. */
export const others = Effect.fnUntraced(function* (known: string) {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql.unsafe<Omit<Other, "position"> & { readonly position: bigint }>(
    `SELECT name, version, position FROM read_models m WHERE live AND NOT EXISTS (
       SELECT FROM json_to_recordset($1::text::json) AS p (name text, version int)
       WHERE (p.name, p.version) = (m.name, m.version))`,
    [known]
  )
  return rows.map((row): Other => ({ ...row, position: positionOf(row.position) }))
})

/** Drops all builds of a version, and its views, unless its live build has moved; tells whether it did. */
export const retire = Effect.fnUntraced(function* ({ name, version, position }: Other) {
  const sql = yield* PgClient.PgClient
  const gone = yield* sql<{ build: number }>`DELETE FROM read_models
    WHERE name = ${name} AND version = ${version} AND live AND position = ${BigInt(position)} RETURNING build`
  if (gone.length === 0) return false
  yield* sql`DELETE FROM read_models WHERE name = ${name} AND version = ${version}`
  // gives way to a reader that still uses them, and is tried again
  yield* sql`SET LOCAL lock_timeout = '200ms'`
  const views = schemaOf({ name, version, tables: {} })
  const schemas = yield* sql<{ nspname: string }>`SELECT nspname FROM pg_namespace
    WHERE nspname = ${views} OR starts_with(nspname, ${`${views}_b`})`
  for (const { nspname } of schemas) yield* sql.unsafe(`DROP SCHEMA "${nspname}" CASCADE`)
  return true
})
