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

/** SQL for what comes behind a place, whose parts are $4, $5 and $6. */
const behind = {
  upvoted: `up <= $4::int AND (up < $4::int OR created_at < $5::timestamptz OR (created_at = $5::timestamptz AND id > $6))`,
  recent: `$4::int IS NOT NULL AND created_at <= $5::timestamptz AND (created_at < $5::timestamptz OR id > $6)`
} as const

/**
 * A page of the public snippets, and how many there are; from behind a place when it is given. `language` is lower-case; `null`: any.
 * `room` hears how many bytes the page has before it is read.
 */
export const publicSnippets = Effect.fnUntraced(function* <E, R>(
  sortBy: keyof typeof orders,
  language: string | null,
  { limit, offset, after }: { readonly limit: number; readonly offset: number; readonly after: PublicPlace | null },
  room: (bytes: number) => Effect.Effect<void, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const which = language === null ? "published AND $1::text IS NULL" : "published AND language = $1::text"
  const order = orders[sortBy]
  const from = after === null ? "" : ` AND ${behind[sortBy]}`
  const { places, total } = yield* Effect.orDie(
    Effect.all({
      places: sql.unsafe<Pick<PublicEntry, "id" | "up" | "down"> & { readonly bytes: number }>(
        `SELECT p.id, p.up, p.down, octet_length(s.source) + octet_length(s.description) AS bytes
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
  )
  yield* room(places.reduce((sum, { bytes }) => sum + bytes, 0))
  const texts = yield* Effect.orDie(
    sql.unsafe<Omit<PublicEntry, "up" | "down">>(
      `SELECT id, name, description, source, language, entrypoint, created_at FROM ${schema}.snippets WHERE id = ANY ($1::text[])`,
      [places.map(({ id }) => id)]
    )
  )
  const byId = new Map(texts.map((text) => [text.id, text]))
  // one may have gone in between
  const page = places.flatMap(({ id, up, down }): Array<PublicEntry> => {
    const text = byId.get(id)
    return text === undefined ? [] : [{ ...text, up, down }]
  })
  return { page, total }
})
