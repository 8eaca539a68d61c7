import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Stream } from "effect"
import { BackupFault, BesideRows } from "#ports/Backup.ts"

type Client = PgClient.PgClient

/** Rows of one page. */
const some = 2_000

/** Tables whose rows are in no event, with the columns of their keys. */
export const tables = [
  { table: "requests", key: ["digest", "n"] },
  { table: "key_sightings", key: ["key"] }
] as const

export type Table = (typeof tables)[number]

interface Page {
  readonly rows: string | null
  readonly last: string | null
  readonly count: bigint
}

/** The page of rows behind a row; all are JSON, which names their columns, so their order does not matter. */
export const pageAfter = (from: Client, { table, key }: Table, after: string | null) => {
  const keys = key.join(", ")
  const page = from.unsafe<Page>(
    `WITH page AS (SELECT * FROM ${table} t
       WHERE $1::text IS NULL OR (${keys}) > (SELECT ${keys} FROM json_populate_record(NULL::${table}, $1::text::json))
       ORDER BY ${keys} LIMIT ${some})
     SELECT json_agg(page)::text AS rows, count(*) AS count,
       (SELECT row_to_json(l)::text FROM (SELECT * FROM page ORDER BY ${key.map((name) => `${name} DESC`).join(", ")} LIMIT 1) l) AS last
     FROM page`,
    [after]
  )
  return Effect.map(page, ([found]) => ({ rows: found!.rows, next: found!.count < some ? null : found!.last }))
}

/** Puts rows, a JSON array, in place of those with the same keys. */
export const putRows = (to: Client, { table, key }: Table, rows: string) => {
  const keys = key.join(", ")
  return Effect.andThen(
    to.unsafe(
      `DELETE FROM ${table} WHERE (${keys}) IN
        (SELECT ${keys} FROM json_populate_recordset(NULL::${table}, $1::text::json))`,
      [rows]
    ),
    to.unsafe(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1::text::json)`, [rows])
  )
}

const linesOf = (table: string, rows: string | null): ReadonlyArray<string> =>
  (JSON.parse(rows ?? "[]") as ReadonlyArray<object>).map((row) => JSON.stringify({ table, row }))

/** The rows of a database. */
export const layer = (from: Client) =>
  Layer.succeed(BesideRows, {
    pages: Stream.mapError(
      Stream.concat(
        // reactions first: positions read before everything else are behind all that the reactions have done
        Stream.fromEffect(
          Effect.map(
            from.unsafe<{ rows: string | null }>(
              "SELECT json_agg(json_build_object('name', name, 'position', position))::text AS rows FROM reactions"
            ),
            ([found]) => linesOf("reactions", found!.rows)
          )
        ),
        Stream.flatMap(Stream.fromIterable(tables), (table) =>
          Stream.paginate(null as string | null, (after) =>
            Effect.map(pageAfter(from, table, after), ({ rows, next }) => [
              [linesOf(table.table, rows)],
              Option.fromNullishOr(next)
            ])
          )
        )
      ),
      () => new BackupFault({ message: "The database can't be read." })
    )
  })
