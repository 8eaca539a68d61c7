import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Recalled, type Shown, shownBefore, withRecalled, withShown } from "#domain/search/recalled.ts"
import { voterOf } from "#domain/search/votesForTasks.ts"
import type { Position } from "#engine/Position.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { Learned } from "./Learned.ts"
import { schema as catalogue } from "./Snippets/tables.ts"
import { ofErased, table } from "./table.ts"

/** Searches with one subject, whose text is kept as long as a snippet that they found is there. */
interface SearchesRow {
  /** Their subject. */
  readonly id: string
  readonly tenant: string
  readonly stream: string
  readonly snippets: ReadonlyArray<string>
  /** Of the first of them. */
  readonly position: number
}

/** What was shown to a person lately, and which of it they then voted on. No text: it belongs to the search. */
interface ShownRow {
  /** `tenant/user` */
  readonly id: string
  readonly tenant: string
  /** Their latest searches, oldest first. */
  readonly recent: ReadonlyArray<Shown>
  /** Their latest votes on what was shown to them, oldest first. */
  readonly recalled: ReadonlyArray<Recalled>
  /** Of the last of these votes. */
  readonly changed: number
}

const gone = {
  rows: ({ subjects }: { readonly subjects: ReadonlyArray<string> }) => subjects,
  to: () => undefined
}

const leaver = {
  rows: ({ user }: { readonly user: string }, { tenant }: { readonly tenant: string }) => [`${tenant}/${user}`],
  to: () => undefined
}

/**
 * Read model `retrievals`: which texts of searches go with which snippets, and what was shown to whom before they voted
 * on it.
 */
export const Retrievals = {
  name: "retrievals",
  version: 2,
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
    }),
    shown: table<ShownRow>({
      columns: { id: "text", tenant: "text", recent: "json", recalled: "json", changed: "bigint" },
      indexes: ["(changed)", "(tenant)"],
      drops: ofErased,
      on: {
        SearchAnswered: {
          rows: ({ subject, snippets }, { tenant, stream, actor }) =>
            actor.user === null || snippets.length === 0 || subject === stream ? [] : [`${tenant}/${actor.user}`],
          to: (row, { subject, snippets }, { tenant, stream, revision, recordedAt }, id) => ({
            id,
            tenant,
            recalled: row?.recalled ?? [],
            changed: row?.changed ?? 0,
            recent: withShown(row?.recent ?? [], { subject, stream, revision, at: recordedAt, snippets })
          })
        },
        VoteCast: {
          rows: ({ voter, home }, { tenant }) => (voter === null ? [] : [voterOf(home ?? tenant, voter)]),
          to: (row, { snippet, home, value, source }, { tenant, position, recordedAt }) => {
            if (row === undefined) return undefined
            const found = shownBefore(row.recent, snippet, recordedAt)
            if (found === undefined) return row
            const vote = { snippet, home: home ?? tenant, value, source, position, search: found }
            return { ...row, recalled: withRecalled(row.recalled, vote), changed: position }
          }
        },
        MemberErased: leaver,
        UserErased: leaver
      }
    })
  }
} satisfies Projection

/** Searches that share a subject. */
export type Searches = Pick<SearchesRow, "id" | "tenant" | "stream">

const deserted = `FROM "${schemaOf(Retrievals)}".searches s
  WHERE NOT EXISTS (SELECT 1 FROM unnest(s.snippets) AS found (id)
    WHERE NOT EXISTS (SELECT 1 FROM ${catalogue}.removed r WHERE r.id = found.id))`

/** A page of searches of whose snippets none is left, in order of tenant, stream and subject, after one of them. */
const page = (condition: string, of: string | bigint, after: Searches | undefined, most: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<Searches>(
      `SELECT s.id, s.tenant, s.stream ${deserted} AND ${condition} AND (s.tenant, s.stream, s.id) > ($2::text, $3::text, $4::text)
       ORDER BY s.tenant, s.stream, s.id LIMIT $5::int`,
      [of, after?.tenant ?? "", after?.stream ?? "", after?.id ?? "", most]
    )
  )

/** Searches that found this snippet, if none of the snippets that they found is left. */
export const searchesDesertedBy = (snippet: string, after: Searches | undefined, most: number) =>
  page("s.snippets @> ARRAY[$1::text]", snippet, after, most)

/** Searches whose first note is at a position or after it, if none of the snippets that they found is left. */
export const searchesDesertedFrom = (position: Position, after: Searches | undefined, most: number) =>
  page("s.position >= $1", BigInt(position), after, most)

/** A vote on what a search had shown, with its voter. */
export interface RecalledVote extends Recalled {
  readonly voter: string
}

const retrievals = `"${schemaOf(Retrievals)}"`
/** SQL for where this read model stands. */
const stand = `SELECT position FROM read_models
  WHERE name = '${Retrievals.name}' AND version = ${Retrievals.version} AND live`
/** SQL for the position of the last erasure of voters or votes that `learned` has. */
const lastLeft = `SELECT coalesce(max(changed), 0) FROM "${schemaOf(Learned)}".leavers`

/**
 * Voters who have voted, since a position, on what was shown to them, in the order of their last such vote. The list is
 * complete up to the last position that it gives. It is empty while this read model, as one that is just being built,
 * has not come as far as the last voter who is known to have left: until then it has votes of those who were erased,
 * and whoever took them in now would not hear again that they are gone.
 */
export const recallingSince = (after: number, most: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<{ id: string; changed: bigint }>(
      `SELECT id, changed FROM ${retrievals}.shown WHERE changed > $1 AND (${stand}) >= (${lastLeft})
       ORDER BY changed, id LIMIT $2::int`,
      [BigInt(after), most]
    )
  )

/** Searches that found a snippet, with the votes on it of those who searched. */
export interface SearchesFor extends Pick<SearchesRow, "stream" | "position"> {
  readonly up: number
  readonly down: number
}

/** A tenant's searches that found a snippet and whose text is kept, latest first, before a position if one is given. */
export const searchesFor = (tenant: string, snippet: string, before: number | null, most: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<SearchesFor>(
      `WITH found AS (
         SELECT id, stream, position FROM ${retrievals}.searches
         WHERE tenant = $1::text AND snippets @> ARRAY[$2::text] AND ($3::bigint IS NULL OR position < $3)
         ORDER BY position DESC LIMIT $4::int),
       votes AS (
         SELECT vote -> 'search' ->> 'subject' AS subject, (vote ->> 'value')::int AS value
         FROM ${retrievals}.shown w CROSS JOIN LATERAL json_array_elements(w.recalled) AS recalling (vote)
         WHERE w.tenant = $1::text AND vote ->> 'snippet' = $2::text)
       SELECT f.stream, f.position::float8 AS position, count(v.value) FILTER (WHERE v.value > 0)::int AS up,
         count(v.value) FILTER (WHERE v.value < 0)::int AS down
       FROM found f LEFT JOIN votes v ON v.subject = f.id GROUP BY f.stream, f.position ORDER BY f.position DESC`,
      [tenant, snippet, before === null ? null : BigInt(before), most]
    )
  )

/** All votes of these voters on what searches showed them, if the search's text is kept. */
export const recalledBy = (voters: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ voter: string; vote: Recalled }>(
        `SELECT w.id AS voter, vote FROM ${retrievals}.shown w
         CROSS JOIN LATERAL json_array_elements(w.recalled) AS recalling (vote)
         JOIN ${retrievals}.searches s ON s.id = vote -> 'search' ->> 'subject' WHERE w.id = ANY ($1::text[])`,
        [voters]
      ),
      (rows) => rows.map(({ voter, vote }): RecalledVote => ({ ...vote, voter }))
    )
  )

/** Which of these subjects' searches have no text that is kept any more. */
export const forgottenAmong = (subjects: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<{ id: string }>(
      `SELECT given.id FROM unnest($1::text[]) AS given (id)
       WHERE NOT EXISTS (SELECT 1 FROM ${retrievals}.searches s WHERE s.id = given.id)`,
      [subjects]
    )
  )
