import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { AnyEvent, Recorded } from "#engine/Event.ts"
import { hasText, jsonPieces } from "#engine/jsonPieces.ts"
import { dropped, folding, type Row, type Table, touched } from "#engine/Projection.ts"
import { parseJson } from "#engine/parseJson.ts"
import type { Bound } from "#engine/ports/Bounds.ts"
import { beginSending, isLong, sent } from "../sending.ts"

// Postgres takes no NUL in text and no lone surrogates in JSON; what a model wrote may hold either. On a text with many
// line breaks, `includes` takes ten times as long as this pattern.
const hasEscape = /\\u[0d]/i
const storable = (json: string) =>
  hasEscape.test(json) ? json.replaceAll(/(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f]..)/gi, "$1\\ufffd") : json

type Rows = Map<string, Row | undefined>

/** Types whose values take a few bytes. */
const small = /^(boolean|smallint|integer|bigint|real|double precision|timestamptz|uuid)$/

/** SQL for a row's approximate size in bytes. Of text columns it does not read what is stored outside of the row. */
const sizeOf = (table: Table): string =>
  Object.entries(table.columns as { readonly [column: string]: string })
    .filter(([, type]) => !small.test(type))
    .map(([column, type]) => `coalesce(octet_length("${column}"${type === "text" ? "" : "::text"}), 0)`)
    .join(" + ")

/** A row that a statement found; `size` is about how many bytes it has in the database. */
interface Found {
  readonly id: string
  readonly size: number
  /** JSON; `null`: it did not fit into the bound any more. */
  readonly row: string | null
}

const take = (rows: Rows, found: ReadonlyArray<Found>): void => {
  for (const { row } of found) {
    if (row === null) continue
    const parsed = parseJson(row) as Row
    rows.set(parsed.id, parsed)
  }
}

/** The ids of rows, in groups of about `bytes` bytes each. */
const grouped = (found: ReadonlyArray<Found>, bytes: number): Array<Array<string>> => {
  const groups: Array<Array<string>> = []
  let size = bytes
  for (const one of found) {
    if (size >= bytes) {
      groups.push([])
      size = 0
    }
    groups.at(-1)!.push(one.id)
    size += one.size
  }
  return groups
}

const utf8 = new TextEncoder()

/** Characters of text from which on a row is written in pieces. */
const long = 131_072

/** Milliseconds for which folding, or writing its result, may hold up everything else. */
const turn = 10

/** Folds events into the given rows. Yields to other work in between, because some events take long. */
const foldInto = Effect.fnUntraced(function* (
  table: Table,
  rows: Rows,
  events: ReadonlyArray<Recorded<AnyEvent>>,
  given: unknown
) {
  let since = performance.now()
  for (const _ of folding(table, rows, events, given)) {
    if (performance.now() - since < turn) continue
    yield* Effect.yieldNow
    since = performance.now()
  }
})

/** Writes the folded rows, in statements of about so many bytes, and deletes those that are gone. */
const write = Effect.fnUntraced(function* (name: string, table: Table, rows: Rows, bytes: number) {
  const sql = yield* PgClient.PgClient
  const removed = [...rows].flatMap(([id, row]) => (row === undefined ? [id] : []))
  if (removed.length > 0) yield* sql.unsafe(`DELETE FROM ${name} WHERE id = ANY ($1::text[])`, [removed])
  const others = Object.keys(table.columns).filter((column) => column !== "id")
  const set = others.map((column) => `"${column}" = excluded."${column}"`).join(", ")
  const insert = (json: string, parameters: ReadonlyArray<string>) =>
    sql.unsafe(
      `INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, ${json}::json)
       ON CONFLICT (id) DO ${others.length > 0 ? `UPDATE SET ${set}` : "NOTHING"}`,
      parameters
    )
  let sending: Effect.Success<typeof beginSending> | undefined
  /** Of the current statement's rows: how many characters were sent, and those that follow. */
  let gone = 0
  let kept = ""
  const send = Effect.gen(function* () {
    sending ??= yield* beginSending
    gone += kept.length
    const bytes = utf8.encode(kept)
    kept = ""
    yield* sending.put(1, bytes)
  })
  const flush = Effect.gen(function* () {
    kept += "]"
    if (gone === 0) yield* insert("$1::text", [kept])
    else {
      yield* send
      yield* insert(`convert_from(${sent("1")}, 'UTF8')`, [])
      yield* sending!.clear
    }
    gone = 0
    kept = ""
  })
  let since = performance.now()
  for (const row of rows.values()) {
    if (row === undefined) continue
    kept += gone === 0 && kept === "" ? "[" : ","
    for (const piece of hasText(row, long) ? jsonPieces(row) : [JSON.stringify(row)]) {
      kept += storable(piece)
      if (isLong(kept)) yield* send
      if (performance.now() - since < turn) continue
      yield* Effect.yieldNow
      since = performance.now()
    }
    if (gone + kept.length >= bytes) yield* flush
  }
  if (gone > 0 || kept !== "") yield* flush
})

/**
 * Takes events into one table: reads the rows they touch, folds, and writes the result, at most as much at once as the
 * bound allows. Tells whether any row may have changed.
 */
export const applyTo = Effect.fnUntraced(function* (
  name: string,
  table: Table,
  events: ReadonlyArray<Recorded<AnyEvent>>,
  given: unknown,
  most: Bound
) {
  const ids = touched(table, events)
  const drops = dropped(table, events)
  if (ids.length === 0 && drops.length === 0) return false
  const sql = yield* PgClient.PgClient
  // deletes only rows that no event names: the fold has the others, and may make them again
  for (const column of new Set(drops.map(({ column }) => column))) {
    const values = drops.flatMap((drop) => (drop.column === column ? [drop.value] : []))
    // in a generic plan, `<> ALL` compares each row with each id; the ids of a subquery are looked up by hash
    yield* sql.unsafe(
      `DELETE FROM ${name} WHERE "${column}" = ANY ($1::text[]) AND id NOT IN (SELECT unnest($2::text[]))`,
      [values, ids]
    )
  }
  const size = sizeOf(table) || "0"
  for (let from = 0; from < ids.length; from += most.count) {
    const some = ids.slice(from, from + most.count)
    const found = yield* sql.unsafe<Found>(
      `SELECT id, size::float8 AS size,
         CASE WHEN total - size < $2 THEN (SELECT to_json(t)::text FROM ${name} t WHERE t.id = summed.id) END AS row
       FROM (SELECT id, size, sum(size) OVER (ORDER BY id) AS total
             FROM (SELECT id, ${size} AS size FROM ${name} WHERE id = ANY ($1::text[])) sized) summed`,
      [some, BigInt(most.bytes)]
    )
    const left = found.filter(({ row }) => row === null)
    const later = new Set(left.map(({ id }) => id))
    const rows: Rows = new Map(some.flatMap((id) => (later.has(id) ? [] : [[id, undefined]])))
    take(rows, found)
    yield* foldInto(table, rows, events, given)
    yield* write(name, table, rows, most.bytes)
    for (const group of grouped(left, most.bytes)) {
      const more = yield* sql.unsafe<Found>(
        `SELECT id, 0::float8 AS size, to_json(t)::text AS row FROM ${name} t WHERE id = ANY ($1::text[])`,
        [group]
      )
      const big: Rows = new Map()
      take(big, more)
      yield* foldInto(table, big, events, given)
      yield* write(name, table, big, most.bytes)
    }
  }
  return true
})
