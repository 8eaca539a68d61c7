import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { CatalogueEntry } from "./queries.ts"
import { schema } from "./tables.ts"

/** A public snippet as everyone may see it, without a key. */
export type PublicEntry = Pick<
  CatalogueEntry,
  "id" | "name" | "description" | "source" | "language" | "entrypoint" | "created_at" | "up" | "down"
>

const orders = { upvoted: "up DESC, created_at DESC, id", recent: "created_at DESC, id" } as const

/** What a public snippet is sorted by: votes for it, when it was made (milliseconds), id. */
export type PublicPlace = readonly [up: number, created: number, id: string]

/** SQL for what comes after a place, whose parts are $4, $5 and $6. */
const behind = {
  upvoted: `up <= $4::int AND (up < $4::int OR created_at < $5::timestamptz OR (created_at = $5::timestamptz AND id > $6))`,
  recent: `$4::int IS NOT NULL AND created_at <= $5::timestamptz AND (created_at < $5::timestamptz OR id > $6)`
} as const

/** Where a public snippet is in a list, its votes, and about how many bytes it has. */
export type PublicListed = Pick<PublicEntry, "id" | "up" | "down" | "created_at"> & { readonly bytes: number }

/**
 * A page of the public snippets without their texts, after a place if one is given, and how many there are in all.
 * `language` is lower-case; `null`: any.
 */
export const publicSnippets = (
  sortBy: keyof typeof orders,
  language: string | null,
  { limit, offset, after }: { readonly limit: number; readonly offset: number; readonly after: PublicPlace | null }
) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const which = language === null ? "published AND $1::text IS NULL" : "published AND language = $1::text"
    const order = orders[sortBy]
    const from = after === null ? "" : ` AND ${behind[sortBy]}`
    return Effect.all({
      page: sql.unsafe<PublicListed>(
        `SELECT p.id, p.up, p.down, s.created_at, octet_length(s.source) + octet_length(s.description) AS bytes
         FROM (SELECT id, up, down, created_at FROM ${schema}.votes WHERE ${which}${from}
               ORDER BY ${order} LIMIT $2::int OFFSET $3::int) p
         JOIN ${schema}.snippets s ON s.id = p.id ORDER BY ${order.replaceAll(/\b(up|created_at|id)\b/g, "p.$1")}`,
        [language, limit, offset, ...(after === null ? [] : [after[0], new Date(after[1]), after[2]])]
      ),
      total: Effect.map(
        sql.unsafe<{ total: number }>(`SELECT count(*)::int AS total FROM ${schema}.votes WHERE ${which}`, [language]),
        ([row]) => row!.total
      )
    })
  })

/** Listed snippets with their texts, in the same order, without those that are gone or not public any more. */
export const publicEntries = (listed: ReadonlyArray<PublicListed>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<Pick<PublicEntry, "id" | "name" | "description" | "source" | "language" | "entrypoint">>(
        `SELECT id, name, description, source, language, entrypoint FROM ${schema}.snippets
         WHERE published AND id = ANY ($1::text[])`,
        [listed.map(({ id }) => id)]
      ),
      (texts) => {
        const byId = new Map(texts.map((text) => [text.id, text]))
        return listed.flatMap((one): Array<PublicEntry> => {
          const text = byId.get(one.id)
          return text === undefined ? [] : [{ ...one, ...text }]
        })
      }
    )
  )

/** A public snippet in a list: without its source, and with the beginnings of its name and description. */
export type PublicHeading = Pick<PublicEntry, "id" | "name" | "description" | "language" | "created_at" | "up" | "down">

/** Those of these snippets that are public, in no order. */
export const publicHeadings = (ids: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<PublicHeading>(
      `SELECT s.id, left(s.name, 300) AS name, left(s.description, 600) AS description, s.language, s.created_at, v.up, v.down
       FROM ${schema}.snippets s JOIN ${schema}.votes v ON v.id = s.id
       WHERE s.published AND s.id = ANY ($1::text[])`,
      [ids]
    )
  )

/** A public snippet's votes and about how many bytes it has; `undefined`: no public snippet has this id. */
export const publicBytes = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<PublicListed>(
        `SELECT s.id, v.up, v.down, s.created_at, octet_length(s.source) + octet_length(s.description) AS bytes
         FROM ${schema}.snippets s JOIN ${schema}.votes v ON v.id = s.id WHERE s.published AND s.id = $1`,
        [id]
      ),
      ([listed]) => listed
    )
  )

/** Languages of public snippets, with how many snippets each has, most first. */
export const publicLanguages = (limit: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<{ readonly language: string; readonly count: number }>(
      `SELECT language, count(*)::int AS count FROM ${schema}.votes WHERE published
       GROUP BY language ORDER BY count DESC, language LIMIT $1::int`,
      [limit]
    )
  )

/** Public snippets after an id (`""`: from the beginning), in order of id, with when they were made. */
export const publicAfter = (after: string, limit: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<Pick<PublicEntry, "id" | "created_at">>(
      `SELECT id, created_at FROM ${schema}.votes WHERE published AND id > $1 ORDER BY id LIMIT $2::int`,
      [after, limit]
    )
  )

/** The id of every `size`-th public snippet, in order of id: where parts of that size end. */
export const publicParts = (size: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ readonly id: string }>(
        `SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM ${schema}.votes WHERE published) counted
         WHERE place % $1::int = 0 ORDER BY id`,
        [size]
      ),
      (rows) => rows.map(({ id }) => id)
    )
  )
