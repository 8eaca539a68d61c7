import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { SnippetKind } from "#domain/Snippet/events.ts"
import type { IndexedText } from "#domain/search/IndexedText.ts"
import type { WhyLeftOut } from "./rows.ts"
import { Snippets, schema } from "./tables.ts"

interface Votes {
  readonly up: number
  readonly down: number
  readonly human_up: number
}

interface Put extends Votes {
  readonly id: string
  readonly changed: number
  readonly home: string
  readonly agent: string | null
  readonly published: boolean
  readonly completeness: number
  readonly kind: SnippetKind
  readonly language: string
  readonly text: IndexedText
  readonly vector: string
  readonly task_vector: string
  readonly profile: string
  readonly left_out: WhyLeftOut | null
}

/** What changed for an index after a position, up to and including `position`. */
export interface CatalogueChanges {
  /** The build of the catalogue that was read: after another one was promoted, an index begins again. */
  readonly build: number | undefined
  readonly position: number
  /** Whether the catalogue stood beyond `position`. */
  readonly more: boolean
  readonly put: ReadonlyArray<Put>
  readonly voted: ReadonlyArray<Votes & { readonly id: string }>
  readonly removed: ReadonlyArray<string>
}

/** How many rows are read at once, and about how many bytes of them. */
export interface RowsAtOnce {
  readonly rows: number
  readonly bytes: number
  /** If given, nothing after it is read. */
  readonly upTo?: number
}

const live = `name = '${Snippets.name}' AND version = ${Snippets.version} AND live`

const liveBuild = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql.unsafe<{ build: number }>(`SELECT build FROM read_models WHERE ${live}`), ([row]) => row?.build)
)

/** Reads the next page of changes after a position, in one snapshot, so that it has all changes up to `position`. */
export const indexChanges = (
  after: number,
  page: RowsAtOnce
): Effect.Effect<CatalogueChanges, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const changes = yield* readChanges(after, page)
    // the snapshot may lack rows of a build that was promoted since
    return (yield* liveBuild) === changes.build ? changes : yield* indexChanges(after, page)
  })

/** Snippets that can't be found by all of their text, and why, in an index that has come to a position. */
export const leftOutUpTo = (position: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<{ id: string; left_out: WhyLeftOut }>(
      `SELECT id, left_out FROM ${schema}.terms WHERE left_out IS NOT NULL AND changed <= $1`,
      [BigInt(position)]
    )
  )

/** SQL for the next rows of a table that an index has to read, in order of change; an event changes one row of it. */
const next = (table: string, size: string) =>
  `(SELECT changed, row_number() OVER upward AS number, sum(${size}) OVER upward - ${size} AS before
    FROM (SELECT * FROM ${schema}.${table} WHERE changed > $1 ORDER BY changed LIMIT $2) t
    WINDOW upward AS (ORDER BY changed ROWS UNBOUNDED PRECEDING))`

/**
 * SQL for a page's end: the last row that fits, of whichever table ends first, otherwise where the catalogue stands.
 */
const bound = `SELECT m.build, m.position AS stands, least(m.position, $4::bigint, (SELECT min(last) FROM (
      SELECT max(changed) FILTER (WHERE before < $3) AS last, count(*) AS number, bool_or(before >= $3) AS full
        FROM ${next("terms", "(octet_length(text::text) + octet_length(vector) + octet_length(task_vector) + octet_length(profile))")} a
      UNION ALL SELECT max(changed), count(*), false FROM ${next("votes", "0")} b
      UNION ALL SELECT max(changed), count(*), false FROM ${next("removed", "0")} c) ends
    WHERE number = $2 OR "full")) AS position
  FROM (SELECT * FROM read_models WHERE ${live}) m`

const readChanges = (after: number, page: RowsAtOnce) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.gen(function* () {
      yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`
      const from = BigInt(after)
      const [ending] = yield* sql.unsafe<{ build: number; position: bigint; stands: bigint }>(bound, [
        from,
        BigInt(page.rows),
        BigInt(page.bytes),
        page.upTo === undefined ? null : BigInt(page.upTo)
      ])
      const to = ending?.position ?? from
      const stand = { build: ending?.build, position: Number(to), more: ending !== undefined && to < ending.stands }
      if (to === from) return { ...stand, put: [], voted: [], removed: [] }
      const put = yield* sql.unsafe<Omit<Put, "changed"> & { readonly changed: bigint }>(
        `SELECT t.id, t.changed, t.home, t.agent, t.published, t.completeness, t.text, t.vector, t.task_vector, t.profile, t.left_out,
           v.kind, v.language, v.up, v.down, v.human_up
         FROM ${schema}.terms t JOIN ${schema}.votes v ON v.id = t.id WHERE t.changed > $1 AND t.changed <= $2`,
        [from, to]
      )
      const voted = yield* sql.unsafe<CatalogueChanges["voted"][number]>(
        `SELECT v.id, v.up, v.down, v.human_up FROM ${schema}.votes v JOIN ${schema}.terms t ON t.id = v.id
         WHERE v.changed > $1 AND v.changed <= $2 AND t.changed <= $1`,
        [from, to]
      )
      const removed = yield* sql.unsafe<{ id: string }>(
        `SELECT id FROM ${schema}.removed WHERE changed > $1 AND changed <= $2`,
        [from, to]
      )
      const changes: CatalogueChanges = {
        ...stand,
        put: put.map((row) => ({ ...row, changed: Number(row.changed) })),
        voted,
        removed: removed.map(({ id }) => id)
      }
      return changes
    }).pipe(sql.withTransaction)
  )
