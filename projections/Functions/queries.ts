import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Scope } from "#domain/Scope.ts"
import { schemaOf } from "#engine/Projection.ts"
import { Snippets } from "../Snippets/tables.ts"
import type { FunctionRecord, KeptError, KeptRun } from "./runs.ts"
import { Functions } from "./tables.ts"

/** A function in one of the snippets that hold it, with what is known from that snippet. */
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
  /** Whether the scope sees the snippet; of snippets that it does not see, only numbers count. */
  readonly seen: boolean
  /** Whether the snippet lives in a home of the scope, and is not only public. */
  readonly own: boolean
  /** Whether all matches count it; otherwise only its own snippet does. */
  readonly counted: boolean
  readonly up: number
  readonly down: number
  readonly reviewed: boolean
  readonly executions: number
  readonly succeeded_at: Date | null
  readonly record: FunctionRecord | null
  /**
   * With `errors`, from runs whose errors went through no function. Such runs count for the entrypoint, or for every
   * function if the snippet has none.
   */
  readonly failed_at: Date | null
  readonly errors: ReadonlyArray<KeptError> | null
  /** The fingerprint of the function that had its name before it, in the home where it was first seen. */
  readonly derived_from: string | null
}

/** The same for a search's snippets. */
export interface HeldOfSearch extends Held {
  /** Whether its snippet is one whose functions are told; in other snippets it only counts. */
  readonly told: boolean
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

/** Snippets that are looked at for one function: the first one that the scope sees, and so many of the latest. */
export const mostHolders = 100
/** Functions that one answer tells, those of the best matches first. */
export const mostTold = 2_000
/** Snippets that are looked at for all functions of a search together: with very many functions, fewer for each. */
const mostHeld = 2_000

/**
 * SQL for functions in the snippets that hold them: all snippets of the caller's tenant (`$4`), public ones of others.
 * `tables` is what the other parts read (`name AS (…), `), `wanted` selects tenants and fingerprints, `besides` adds
 * rows in any case. The function that had the name before is looked for in the home where this one was first seen.
 */
const held = (tables: string, wanted: string, besides: string, more: string) => {
  const holding = `SELECT f.* FROM ${functions} f JOIN ${snippets} s ON s.id = f.snippet
     WHERE f.fingerprint = w.fingerprint AND f.tenant = w.tenant AND (f.tenant = $4::text OR s.published)`
  const most = `SELECT greatest(2, least(${mostHolders}, ${mostHeld} / greatest(1, count(*)))) FROM wanted`
  return `WITH ${tables}wanted AS (${wanted}),
   held AS (
     SELECT f.*, s.name AS snippet_name, s.entrypoint, ${seen("s")} AS seen,
       s.home = ANY ($1::text[]) AND ${seen("s")} AS own
     FROM (SELECT DISTINCT ON (id) * FROM (
       SELECT h.*, true AS counted FROM wanted w CROSS JOIN LATERAL (
         (${holding} AND ${seen("s")} ORDER BY f.position LIMIT 1)
         UNION (${holding} ORDER BY f.position DESC LIMIT (${most}))) h
       ${besides}) any_of ORDER BY id, counted DESC) f JOIN ${snippets} s ON s.id = f.snippet),
   first AS (
     SELECT DISTINCT ON (tenant, fingerprint) tenant, fingerprint, home, name, position
     FROM held WHERE seen ORDER BY tenant, fingerprint, position),
   lineage AS (
     SELECT first.tenant, first.fingerprint, (
       SELECT e.fingerprint FROM ${functions} e JOIN ${snippets} s ON s.id = e.snippet
       WHERE e.home = first.home AND e.name = first.name AND e.position < first.position
         AND e.fingerprint <> first.fingerprint AND ${seen("s")}
       ORDER BY e.position DESC, e.place LIMIT 1) AS derived_from
     FROM first),
   records AS (
     SELECT r.id AS snippet, e.key AS fingerprint, e.value AS record FROM ${runs} r, json_each(r.functions) e
     WHERE r.id IN (SELECT snippet FROM held) AND e.key IN (SELECT fingerprint FROM wanted))
   SELECT h.tenant, h.snippet, h.fingerprint, h.name, h.signature, h.line, h.place, h.position::float8 AS position, h.agent,
     h.seen, h.own, h.counted, v.up, v.down, p.id IS NOT NULL AS reviewed, coalesce(r.executions, 0) AS executions, r.succeeded_at,
     c.record, l.derived_from,
     CASE WHEN o.blamed THEN r.failed_at END AS failed_at, CASE WHEN o.blamed THEN r.errors END AS errors${more}
   FROM held h JOIN ${votes} v ON v.id = h.snippet
     LEFT JOIN lineage l ON l.tenant = h.tenant AND l.fingerprint = h.fingerprint
     LEFT JOIN ${runs} r ON r.id = h.snippet LEFT JOIN ${reviewed} p ON p.id = h.snippet
     LEFT JOIN records c ON c.snippet = h.snippet AND c.fingerprint = h.fingerprint
     CROSS JOIN LATERAL (SELECT h.name = h.entrypoint OR NOT EXISTS (
       SELECT 1 FROM ${functions} e WHERE e.snippet = h.snippet AND e.name = h.entrypoint) AS blamed) o
   ORDER BY h.position, h.snippet, h.place`
}

/** SQL for those snippets of a search whose functions are told. */
const told = `SELECT snippet FROM (
     SELECT snippet, sum(count(*)) OVER (ORDER BY array_position($5::text[], snippet)) AS total
     FROM ${functions} WHERE snippet = ANY ($5::text[]) GROUP BY snippet) counted
   WHERE total <= $6::int`

const inSnippets = held(
  `told AS (${told}), `,
  `SELECT DISTINCT tenant, fingerprint FROM ${functions} WHERE snippet IN (TABLE told)`,
  `UNION ALL SELECT *, false AS counted FROM ${functions} WHERE snippet IN (TABLE told)`,
  ", h.snippet IN (TABLE told) AS told"
)

const byFingerprint = held(
  "",
  `SELECT f.tenant, f.fingerprint FROM ${functions} f JOIN ${snippets} s ON s.id = f.snippet
   WHERE f.fingerprint = $5 AND ${seen("s")} ORDER BY f.tenant <> $4, f.position LIMIT 1`,
  "",
  ", h.snippet_name, h.found_at, r.recent"
)

/**
 * The functions of a search's snippets (`ids`, the best match first), in all snippets that hold them, these included.
 * At most `most` functions are told: all functions of each of the first snippets.
 */
export const functionsHeld = (tenant: string, scope: Scope, ids: ReadonlyArray<string>, most: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    ids.length === 0 || most <= 0
      ? Effect.succeed<ReadonlyArray<HeldOfSearch>>([])
      : sql.unsafe<HeldOfSearch>(inSnippets, [...seenBy(scope), tenant, ids, most])
  )

/**
 * A function in the snippets that hold it, the first one first: those of the caller's tenant if the scope sees one of
 * them, otherwise those of the tenant that published it first. Empty if the scope sees none.
 */
export const functionHeld = (tenant: string, scope: Scope, fingerprint: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<HeldInFull>(byFingerprint, [...seenBy(scope), tenant, fingerprint])
  )

const generations = 20

/** The fingerprints that a function came from, nearest first; `tenant` owns the snippets that hold it. */
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
