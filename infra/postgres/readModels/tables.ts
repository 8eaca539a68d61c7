import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { AnyEvent, Recorded } from "#engine/Event.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import type { Bound } from "#engine/ports/Bounds.ts"
import type { Difference } from "#engine/ports/ReadModels.ts"
import { applyTo } from "./apply.ts"

/** The schema that holds one build's tables. */
const buildSchema = (projection: Projection, build: number): string => `${schemaOf(projection)}_b${build}`

const oldViews = (projection: Projection, build: number): string => `${buildSchema(projection, build)}_views`

/** Makes a build's empty tables. */
export const createTables = Effect.fnUntraced(function* (projection: Projection, build: number) {
  const sql = yield* PgClient.PgClient
  const schema = buildSchema(projection, build)
  yield* sql.unsafe(`CREATE SCHEMA "${schema}"`)
  for (const [name, { columns, indexes }] of Object.entries(projection.tables)) {
    const lines = Object.entries(columns).map(
      ([column, type]) => `"${column}" ${type}${column === "id" ? " PRIMARY KEY" : ""}`
    )
    yield* sql.unsafe(`CREATE TABLE "${schema}"."${name}" (${lines.join(", ")})`)
    for (const index of indexes ?? []) yield* sql.unsafe(`CREATE INDEX ON "${schema}"."${name}" ${index}`)
  }
})

/**
 * Makes the schema that readers query: views on a build. If there is one already, it is renamed, which no reader waits
 * for. Replacing its views would lock them one after the other, in another order than some query locks them.
 */
export const showBuild = Effect.fnUntraced(function* (projection: Projection, build: number, before?: number) {
  const sql = yield* PgClient.PgClient
  const views = schemaOf(projection)
  if (before !== undefined) yield* sql.unsafe(`ALTER SCHEMA "${views}" RENAME TO "${oldViews(projection, before)}"`)
  yield* sql.unsafe(`CREATE SCHEMA "${views}"`)
  for (const name of Object.keys(projection.tables)) {
    yield* sql.unsafe(`CREATE VIEW "${views}"."${name}" AS SELECT * FROM "${buildSchema(projection, build)}"."${name}"`)
  }
})

/** Drops a build's tables, and the views that showed them when it was live. */
export const dropTables = Effect.fnUntraced(function* (projection: Projection, build: number) {
  const sql = yield* PgClient.PgClient
  // gives way to a reader that still uses them, so that Postgres need not end one of the two
  yield* sql`SET LOCAL lock_timeout = '200ms'`
  for (const schema of [oldViews(projection, build), buildSchema(projection, build)]) {
    yield* sql.unsafe(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
  }
})

/** Takes events into all tables of a build; tells whether any row may have changed. */
export const applyEvents = Effect.fnUntraced(function* (
  projection: Projection,
  build: number,
  events: ReadonlyArray<Recorded<AnyEvent>>,
  given: unknown,
  most: Bound
) {
  const schema = buildSchema(projection, build)
  let changed = false
  for (const [name, table] of Object.entries(projection.tables)) {
    changed = (yield* applyTo(`"${schema}"."${name}"`, table, events, given, most)) || changed
  }
  return changed
})

/** Copies a build's tables into a schema that several read models share. */
export const keepTables = Effect.fnUntraced(function* (projection: Projection, build: number, schema: string) {
  const sql = yield* PgClient.PgClient
  yield* sql.unsafe(`CREATE SCHEMA IF NOT EXISTS "${schema}"`)
  const kept = []
  for (const table of Object.keys(projection.tables)) {
    const name = `"${schema}"."${projection.name}_${table}"`
    yield* sql.unsafe(`DROP TABLE IF EXISTS ${name}`)
    yield* sql.unsafe(`CREATE TABLE ${name} AS TABLE "${buildSchema(projection, build)}"."${table}"`)
    yield* sql.unsafe(`ALTER TABLE ${name} ADD PRIMARY KEY (id)`)
    const [counted] = yield* sql.unsafe<{ rows: bigint }>(`SELECT count(*) AS rows FROM ${name}`)
    kept.push({ table, name: name.replaceAll('"', ""), rows: Number(counted!.rows) })
  }
  return kept
})

/** Removes the tables that were kept in a schema; tells whether there was one. */
export const forgetTables = Effect.fnUntraced(function* (schema: string) {
  const sql = yield* PgClient.PgClient
  const found = yield* sql`SELECT 1 FROM pg_namespace WHERE nspname = ${schema}`
  yield* sql.unsafe(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
  return found.length > 0
})

/**
 * Rows that differ between two builds, or that only one has: at most `limit` a table. They are compared by digest, so
 * that not all texts are held at once. Rows are given whole as far as the bound goes; behind it, only their ids are.
 */
export const differences = Effect.fnUntraced(function* (
  projection: Projection,
  live: number,
  rebuilt: number,
  limit: number,
  most: Bound
) {
  const sql = yield* PgClient.PgClient
  const found: Array<Difference> = []
  let bytes = 0
  for (const name of Object.keys(projection.tables)) {
    const [a, b] = [live, rebuilt].map((build) => `"${buildSchema(projection, build)}"."${name}"`)
    const digests = (table: string) => `(SELECT id, md5(to_json(t)::text) AS digest FROM ${table} t)`
    const ids = yield* sql.unsafe<{ id: string; a: boolean; b: boolean }>(
      `SELECT id, a.digest IS NOT NULL AS a, b.digest IS NOT NULL AS b FROM ${digests(a!)} a FULL JOIN ${digests(b!)} b USING (id)
       WHERE a.digest IS DISTINCT FROM b.digest ORDER BY id LIMIT $1::int`,
      [limit]
    )
    for (const { id, ...has } of ids) {
      const read = (table: string) =>
        Effect.map(
          sql.unsafe<{ row: string }>(`SELECT to_json(t)::text AS row FROM ${table} t WHERE id = $1`, [id]),
          ([one]) => one!.row
        )
      const full = bytes < most.bytes
      const row = (there: boolean, table: string) =>
        there ? (full ? read(table) : Effect.succeed(JSON.stringify({ id }))) : Effect.succeed(null)
      const difference = { table: name, id, live: yield* row(has.a, a!), rebuilt: yield* row(has.b, b!) }
      bytes += (difference.live?.length ?? 0) + (difference.rebuilt?.length ?? 0)
      found.push(difference)
    }
  }
  return found
})
