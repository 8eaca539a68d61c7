import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { Snippets } from "./Snippets/tables.ts"
import { table } from "./table.ts"

/** A grading of one snippet that was asked for. */
export interface GradingRow {
  /** `request/snippet`. */
  readonly id: string
  readonly request: string
  readonly snippet: string
  readonly tenant: string
  /** How many votes its verdict counts as. */
  readonly count: number
  readonly state: "pending" | "done" | "failed" | "cancelled"
  /** 1 or -1 once it is done. */
  readonly verdict: number | null
  /** Of the verdict, or why there is none. */
  readonly reason: string | null
  readonly requested_at: string
  /** Of the request: snippets are graded in this order. */
  readonly position: number
}

const idOf = (request: string, snippet: string) => `${request}/${snippet}`
const one = ({ request, snippet }: { readonly request: string; readonly snippet: string }) => [idOf(request, snippet)]

/** Read model `gradings`: which verdicts are due, and what became of the others. */
export const Gradings = {
  name: "gradings",
  version: 1,
  tables: {
    gradings: table<GradingRow>({
      columns: {
        id: "text",
        request: "text",
        snippet: "text",
        tenant: "text",
        count: "integer",
        state: "text",
        verdict: "integer",
        reason: "text",
        requested_at: "timestamptz",
        position: "bigint"
      },
      indexes: ["(request)", "(snippet)", "(position) WHERE state = 'pending'"],
      on: {
        VoteRequested: {
          rows: one,
          to: (row, { snippet, request, count }, { tenant, recordedAt, position }) =>
            row ?? {
              id: idOf(request, snippet),
              request,
              snippet,
              tenant,
              count,
              state: "pending",
              verdict: null,
              reason: null,
              requested_at: new Date(recordedAt).toISOString(),
              position
            }
        },
        VoteCast: {
          rows: ({ request, snippet }) => (request === null ? [] : [idOf(request, snippet)]),
          to: (row, { value, text }) => row && { ...row, state: "done", verdict: value, reason: text?.reason ?? null }
        },
        GradingFailed: {
          rows: one,
          to: (row, { text }) => row && { ...row, state: "failed", reason: text?.error ?? null }
        },
        GradingCancelled: { rows: one, to: (row) => row && { ...row, state: "cancelled" } }
      },
      drops: { SnippetDeleted: { column: "snippet", value: ({ snippet }) => snippet } }
    })
  }
} satisfies Projection

/** A grading that is due. */
export interface DueGrading extends Pick<GradingRow, "id" | "request" | "snippet" | "tenant" | "count"> {
  readonly requested_at: Date
}

/** Gradings that are due, oldest request first. */
export const dueGradings = (limit: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<DueGrading>(
      `SELECT id, request, snippet, tenant, count, requested_at FROM ${schemaOf(Gradings)}.gradings
       WHERE state = 'pending' ORDER BY position LIMIT $1::int`,
      [limit]
    )
  )

/** A grading with what its snippet is called. */
export interface ListedGrading extends Pick<GradingRow, "snippet" | "state" | "verdict" | "reason"> {
  readonly path: string
  readonly name: string
  readonly language: string
}

/** A tenant's gradings of one request, in the order in which their snippets were stored. */
export const gradingsOf = (tenant: string, request: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<ListedGrading>(
      `SELECT g.snippet, g.state, g.verdict, g.reason, coalesce(s.path, '') AS path, coalesce(s.name, '') AS name,
         coalesce(s.language, '') AS language
       FROM ${schemaOf(Gradings)}.gradings g LEFT JOIN ${schemaOf(Snippets)}.snippets s ON s.id = g.snippet
       WHERE g.tenant = $1 AND g.request = $2 ORDER BY g.position`,
      [tenant, request]
    )
  )
