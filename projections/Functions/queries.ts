import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Scope } from "#domain/Scope.ts"
import { schemaOf } from "#ports/Projection.ts"
import { Snippets } from "../Snippets/tables.ts"
import type { FunctionRecord, KeptError, KeptRun } from "./runs.ts"
import { Functions } from "./tables.ts"

/** A function in one of the snippets that hold it, with what is known from there. */
export interface Held {
  readonly tenant: string
  readonly snippet: string
  readonly fingerprint: string
  readonly name: string
  readonly signature: string
  readonly line: number | null
  readonly place: number
  readonly position: number
  readonly agent: string | null
  /** Whether the scope sees the snippet: of others only numbers count. */
  readonly seen: boolean
  /** Whether it lives in a home of the scope, and is not only published. */
  readonly own: boolean
  readonly up: number
  readonly down: number
  readonly reviewed: boolean
  readonly executions: number
  readonly succeeded_at: Date | null
  readonly record: FunctionRecord | null
  /** Of runs whose errors name no function, when they are this one's: the entrypoint's, or everyone's where there is none. */
  readonly failed_at: Date | null
  readonly errors: ReadonlyArray<KeptError> | null
  /** The fingerprint of what bore its name before it, where it was first seen. */
  readonly derived_from: string | null
}

/** The same with what a page about the function shows. */
export interface HeldInFull extends Held {
  readonly snippet_name: string
  readonly found_at: Date
  readonly recent: ReadonlyArray<KeptRun> | null
}

const functions = `"${schemaOf(Functions)}".functions`
const runs = `"${schemaOf(Functions)}".runs`
const reviewed = `"${schemaOf(Functions)}".reviewed`
const snippets = `"${schemaOf(Snippets)}".snippets`
const votes = `"${schemaOf(Snippets)}".votes`

/** SQL for whether a scope sees a snippet; `$1` homes, `$2` public ones too, `$3` agent. */
const seen = (snippet: string) =>
  `((${snippet}.home = ANY ($1::text[]) OR ($2::boolean AND ${snippet}.published))
    AND ($3::text IS NULL OR ${snippet}.agent IS NULL OR ${snippet}.agent = $3))`

const seenBy = ({ homes, includePublic, agent }: Scope) => [homes, includePublic, agent] as const

/**
 * SQL for functions in all snippets that hold them: all of the caller's tenant (`$4`), the published ones of another. `wanted`
 * selects tenants and fingerprints. What bore a function's name before it is looked for where the function was first seen.
 */
const held = (wanted: string, more: string) =>
  `WITH wanted AS (${wanted}),
   held AS (
     SELECT f.*, s.name AS snippet_name, s.entrypoint, ${seen("s")} AS seen,
       s.home = ANY ($1::text[]) AND ${seen("s")} AS own
     FROM wanted w JOIN ${functions} f ON f.fingerprint = w.fingerprint AND f.tenant = w.tenant
       JOIN ${snippets} s ON s.id = f.snippet
     WHERE f.tenant = $4::text OR s.published),
   first AS (
     SELECT DISTINCT ON (tenant, fingerprint) tenant, fingerprint, home, name, position
     FROM held WHERE seen ORDER BY tenant, fingerprint, position),
   lineage AS (
     SELECT first.tenant, first.fingerprint, (
       SELECT e.fingerprint FROM ${functions} e JOIN ${snippets} s ON s.id = e.snippet
       WHERE e.home = first.home AND e.name = first.name AND e.position < first.position
         AND e.fingerprint <> first.fingerprint AND ${seen("s")}
       ORDER BY e.position DESC, e.place LIMIT 1) AS derived_from
     FROM first)
   SELECT h.tenant, h.snippet, h.fingerprint, h.name, h.signature, h.line, h.place, h.position::float8 AS position, h.agent,
     h.seen, h.own, v.up, v.down, p.id IS NOT NULL AS reviewed, coalesce(r.executions, 0) AS executions, r.succeeded_at,
     r.functions -> h.fingerprint AS record, l.derived_from,
     CASE WHEN o.blamed THEN r.failed_at END AS failed_at, CASE WHEN o.blamed THEN r.errors END AS errors${more}
   FROM held h JOIN ${votes} v ON v.id = h.snippet
     LEFT JOIN lineage l ON l.tenant = h.tenant AND l.fingerprint = h.fingerprint
     LEFT JOIN ${runs} r ON r.id = h.snippet LEFT JOIN ${reviewed} p ON p.id = h.snippet
     CROSS JOIN LATERAL (SELECT h.name = h.entrypoint OR NOT EXISTS (
       SELECT 1 FROM ${functions} e WHERE e.snippet = h.snippet AND e.name = h.entrypoint) AS blamed) o
   ORDER BY h.position, h.snippet, h.place`

const inSnippets = held(`SELECT DISTINCT tenant, fingerprint FROM ${functions} WHERE snippet = ANY ($5::text[])`, "")

const byFingerprint = held(
  `SELECT f.tenant, f.fingerprint FROM ${functions} f JOIN ${snippets} s ON s.id = f.snippet
   WHERE f.fingerprint = $5 AND ${seen("s")} ORDER BY f.tenant <> $4, f.position LIMIT 1`,
  ", h.snippet_name, h.found_at, r.recent"
)

/** The functions of snippets, in all snippets that hold them; those of the snippets themselves are among them. */
export const functionsHeld = (tenant: string, scope: Scope, ids: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    ids.length === 0
      ? Effect.succeed<ReadonlyArray<Held>>([])
      : sql.unsafe<Held>(inSnippets, [...seenBy(scope), tenant, ids])
  )

/**
 * A function in all snippets that hold it, the first one first: the caller's own when the scope sees one of them, else those
 * of whoever published it first. Empty when the scope sees none.
 */
export const functionHeld = (tenant: string, scope: Scope, fingerprint: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<HeldInFull>(byFingerprint, [...seenBy(scope), tenant, fingerprint])
  )

const generations = 20

/** The fingerprints that a function came from, the nearest first; `tenant` is that of the snippets that hold it. */
export const lineageOf = (tenant: string, scope: Scope, fingerprint: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ readonly fingerprint: string }>(
        `WITH RECURSIVE lineage AS (
           SELECT $5::text AS fingerprint, 0 AS depth
           UNION ALL
           SELECT before.fingerprint, l.depth + 1 FROM lineage l CROSS JOIN LATERAL (
             SELECT e.fingerprint FROM (
               SELECT f.* FROM ${functions} f JOIN ${snippets} s ON s.id = f.snippet
               WHERE f.fingerprint = l.fingerprint AND f.tenant = $4 AND ${seen("s")}
               ORDER BY f.position LIMIT 1) first
             JOIN ${functions} e ON e.home = first.home AND e.name = first.name AND e.position < first.position
               AND e.fingerprint <> first.fingerprint
             JOIN ${snippets} s ON s.id = e.snippet
             WHERE ${seen("s")} ORDER BY e.position DESC, e.place LIMIT 1) before
           WHERE l.depth < ${generations})
         SELECT fingerprint FROM lineage WHERE depth > 0 ORDER BY depth`,
        [...seenBy(scope), tenant, fingerprint]
      ),
      (rows) => rows.map((row) => row.fingerprint)
    )
  )
