import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Recorded } from "#domain/Event.ts"
import type { DomainEvent } from "#domain/events.ts"
import type { Bound } from "#ports/Bounds.ts"
import { type Given, type Projection, schemaOf } from "#ports/Projection.ts"
import { applyTo } from "./apply.ts"

/** The schema that holds one build's tables. */
export const buildSchema = (projection: Projection, build: number): string => `${schemaOf(projection)}_b${build}`

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
 * Makes the schema that readers ask: views on a build. A schema that is in its place already is renamed, which no reader
 * waits for; replacing the views themselves would lock one after the other, in another order than some query's.
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
  // rather give way to a reader that is still at it than have Postgres end one of the two
  yield* sql`SET LOCAL lock_timeout = '200ms'`
  for (const schema of [oldViews(projection, build), buildSchema(projection, build)]) {
    yield* sql.unsafe(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
  }
})

/** Takes events into all tables of a build; answers whether any row may have changed. */
export const applyEvents = Effect.fnUntraced(function* (
  projection: Projection,
  build: number,
  events: ReadonlyArray<Recorded<DomainEvent>>,
  given: Given,
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

/** Removes what was kept in a schema; answers whether there was any. */
export const forgetTables = Effect.fnUntraced(function* (schema: string) {
  const sql = yield* PgClient.PgClient
  const found = yield* sql`SELECT 1 FROM pg_namespace WHERE nspname = ${schema}`
  yield* sql.unsafe(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
  return found.length > 0
})

/** Rows that are in one build's table and not, or otherwise, in the other's. */
export const differences = Effect.fnUntraced(function* (
  projection: Projection,
  live: number,
  rebuilt: number,
  limit: number
) {
  const sql = yield* PgClient.PgClient
  const found = []
  for (const name of Object.keys(projection.tables)) {
    const [a, b] = [live, rebuilt].map((build) => `"${buildSchema(projection, build)}"."${name}"`)
    found.push(
      ...(yield* sql.unsafe<{ table: string; id: string; live: string | null; rebuilt: string | null }>(
        `SELECT $1::text AS table, coalesce(a.id, b.id) AS id, to_json(a)::text AS live, to_json(b)::text AS rebuilt
         FROM ${a} a FULL JOIN ${b} b ON a.id = b.id
         WHERE to_json(a)::text IS DISTINCT FROM to_json(b)::text ORDER BY 2 LIMIT $2::int`,
        [name, limit]
      ))
    )
  }
  return found
})
