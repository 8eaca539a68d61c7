import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Scope } from "#domain/Scope.ts"
import { subjectOf } from "#domain/Snippet/events.ts"
import { taskTerms } from "#domain/search/taskTerms.ts"
import { derivedId } from "#engine/derivedId.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { Snippets } from "./Snippets/tables.ts"
import { similaritySql } from "./similarity.ts"
import { table } from "./table.ts"

/** How often a snippet helped with a task, by the votes from one home. */
interface PatternRow {
  readonly id: string
  readonly snippet: string
  /** The subject of the text, if voters of another tenant typed it; `null`: the text goes with the snippet. */
  readonly subject: string | null
  /** The voters' home; `null`: the snippet's own. */
  readonly home: string | null
  readonly task: string
  readonly terms: ReadonlyArray<string>
  readonly up: number
  readonly down: number
  readonly last_up: string | null
  readonly last_down: string | null
}

/** Characters of a task that tell it from others. */
const longest = 1_000

/** A task without what makes no difference: surrounding and repeated spaces, and all after a thousand characters. */
const normal = (task: string): string =>
  task
    .trim()
    .replace(/\s+/g, " ")
    .slice(0, longest)
    .replace(/[\ud800-\udbff]$/, "")

const othersSubject = (snippet: string, subject: string): string | null =>
  subject === subjectOf(snippet) ? null : subject

/** Text that is erased by itself has rows of its own, apart from older votes whose text is not. */
const idOf = (snippet: string, others: string | null, home: string | undefined, task: string): string =>
  derivedId("pattern", snippet, ...(others === null ? [] : [others]), home ?? null, task)

/** Read model `patterns`: which snippet helped with which task. */
export const Patterns = {
  name: "patterns",
  version: 3,
  tables: {
    patterns: table<PatternRow>({
      columns: {
        id: "text",
        snippet: "text",
        subject: "text",
        home: "text",
        task: "text",
        terms: "text[]",
        up: "integer",
        down: "integer",
        last_up: "timestamptz",
        last_down: "timestamptz"
      },
      indexes: ["(snippet)", "(subject)", "(home)", "USING gin (terms)"],
      on: {
        VoteCast: {
          rows: ({ snippet, subject, home, text }) => {
            const task = normal(text?.task ?? "")
            return task === "" ? [] : [idOf(snippet, othersSubject(snippet, subject), home, task)]
          },
          to: (row, { snippet, subject, home, value, count, text }, { recordedAt }) => {
            const task = normal(text?.task ?? "")
            const at = new Date(recordedAt).toISOString()
            const { up, down, last_up, last_down } = row ?? { up: 0, down: 0, last_up: null, last_down: null }
            const others = othersSubject(snippet, subject)
            return {
              id: idOf(snippet, others, home, task),
              snippet,
              subject: others,
              home: home ?? null,
              task,
              terms: taskTerms(task),
              up: up + (value === 1 ? count : 0),
              down: down + (value === -1 ? count : 0),
              last_up: value === 1 ? at : last_up,
              last_down: value === -1 ? at : last_down
            }
          }
        }
      },
      drops: {
        SnippetDeleted: { column: "snippet", value: ({ snippet }) => snippet },
        VotesErased: { column: "subject", value: ({ subject }) => subject }
      }
    })
  }
} satisfies Projection

/** A task and a snippet that was used for it. */
export interface Pattern {
  readonly task: string
  readonly snippet: string
  readonly name: string
  readonly up: number
  readonly down: number
  readonly last_up: Date | null
  readonly last_down: Date | null
  /** With the votes and the next two fields, what its list is sorted by. */
  readonly similarity: number
  readonly last: Date
  readonly digest: string
}

/**
 * What patterns are sorted by: how alike the tasks are, the votes, when the last vote came (milliseconds), the digest.
 */
export type PatternPlace = readonly [similarity: number, up: number, down: number, last: number, digest: string]

export interface PatternQuery {
  readonly task: string | null
  readonly snippet: string | null
  readonly minimumUp: number
  readonly limit: number
  /** Only patterns after this place. */
  readonly after: PatternPlace | null
}

/** V of `domain/search/score.ts`. */
const verdict = (up: string, down: string): string => `(${up} + 2.0) / (${up} + ${down} + 4.0)`

const behind = `(similarity, ${verdict("up", "down")}, up, last) <= ($7::float8, ${verdict("$8::int", "$9::int")}, $8::int, $10::timestamptz)
  AND ((similarity, up, down, last) <> ($7::float8, $8::int, $9::int, $10::timestamptz) OR digest > $11::text)`

/** SQL for what voters of these homes said: two parts, each with an index, so that what others said is not read. */
const ofHomes = `SELECT * FROM "${schemaOf(Patterns)}".patterns WHERE home = ANY ($1::text[])
  UNION ALL SELECT own.* FROM "${schemaOf(Snippets)}".snippets s JOIN "${schemaOf(Patterns)}".patterns own ON own.snippet = s.id
  WHERE s.home = ANY ($1::text[]) AND own.home IS NULL`

/**
 * Patterns of the scope's homes, on snippets that the scope sees. With a task, patterns of similar tasks come first.
 * Then, and without a task, the best verdict comes first, then the most votes for it, then the latest vote.
 */
export const findPatterns = (scope: Scope, { task, snippet, minimumUp, limit, after }: PatternQuery) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const terms = task === null ? [] : taskTerms(task)
    const place = after === null ? [] : [...after.slice(0, 3), new Date(after[3]), after[4]]
    return sql.unsafe<Pattern>(
      `SELECT * FROM (SELECT task, snippet, name, sum(up)::int AS up, sum(down)::int AS down,
           max(last_up) AS last_up, max(last_down) AS last_down, greatest(max(last_up), max(last_down)) AS last,
           ${similaritySql("$12")} AS similarity, md5(snippet || task) AS digest
         FROM (SELECT p.*, s.name FROM (${ofHomes}) p
           JOIN "${schemaOf(Snippets)}".snippets s ON s.id = p.snippet
           WHERE (s.home = ANY ($1) OR ($2 AND s.published))
             AND ($3::text IS NULL OR s.agent IS NULL OR s.agent = $3) AND ($4::text IS NULL OR p.snippet = $4)) p
         GROUP BY task, snippet, name, terms HAVING sum(up) >= $5::int) found
       WHERE $7::float8 IS NULL OR (${behind})
       ORDER BY similarity DESC, ${verdict("up", "down")} DESC, up DESC, last DESC, digest LIMIT $6::int`,
      [
        ...[scope.homes, scope.includePublic, scope.agent, snippet, minimumUp, limit],
        ...(place.length === 0 ? [null, null, null, null, null] : place),
        terms
      ]
    )
  })
