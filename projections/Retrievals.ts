import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Position } from "#engine/Position.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { schema as catalogue } from "./Snippets/tables.ts"
import { table } from "./table.ts"

/** Searches whose text is kept for the snippets that they found. */
interface SearchesRow {
  /** Their subject. */
  readonly id: string
  readonly tenant: string
  readonly stream: string
  readonly snippets: ReadonlyArray<string>
  /** Of the first of them. */
  readonly position: number
}

const gone = {
  rows: ({ subjects }: { readonly subjects: ReadonlyArray<string> }) => subjects,
  to: () => undefined
}

/** Read model `retrievals`: which texts of searches go with which snippets. */
export const Retrievals = {
  name: "retrievals",
  version: 1,
  tables: {
    searches: table<SearchesRow>({
      columns: { id: "text", tenant: "text", stream: "text", snippets: "text[]", position: "bigint" },
      indexes: ["USING gin (snippets)", "(position)"],
      on: {
        SearchAnswered: {
          // the day's own text goes with the day
          rows: ({ subject, text }, { stream }) => (text === null || subject === stream ? [] : [subject]),
          to: (row, { subject, snippets }, { tenant, stream, position }) =>
            row ?? { id: subject, tenant, stream, snippets: [...new Set(snippets)], position }
        },
        SearchesErased: gone,
        TextErased: gone
      }
    })
  }
} satisfies Projection

/** Searches that share a subject. */
export type Searches = Pick<SearchesRow, "id" | "tenant" | "stream">

const deserted = `FROM "${schemaOf(Retrievals)}".searches s
  WHERE NOT EXISTS (SELECT 1 FROM unnest(s.snippets) AS found (id)
    WHERE NOT EXISTS (SELECT 1 FROM ${catalogue}.removed r WHERE r.id = found.id))`

/** A page of what is deserted, in order of stream and subject, from behind one of them. */
const page = (condition: string, of: string | bigint, after: Searches | undefined, most: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<Searches>(
      `SELECT s.id, s.tenant, s.stream ${deserted} AND ${condition} AND (s.tenant, s.stream, s.id) > ($2::text, $3::text, $4::text)
       ORDER BY s.tenant, s.stream, s.id LIMIT $5::int`,
      [of, after?.tenant ?? "", after?.stream ?? "", after?.id ?? "", most]
    )
  )

/** Searches that found this snippet, and of what they found none is there any more. */
export const searchesDesertedBy = (snippet: string, after: Searches | undefined, most: number) =>
  page("s.snippets @> ARRAY[$1::text]", snippet, after, most)

/** Searches whose first note is at a position or behind it, when all that they found had been deleted already. */
export const searchesDesertedFrom = (position: Position, after: Searches | undefined, most: number) =>
  page("s.position >= $1", BigInt(position), after, most)
