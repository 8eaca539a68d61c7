import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Bound } from "#engine/ports/Bounds.ts"
import type { Page, StoredEvent } from "#engine/ports/EventStore.ts"
import { allColumns, facts, names, type Row, stored, storedWhole } from "./rows.ts"

/** Big events that one page looks at, those of other types included: a page ends there at the latest. */
const looked = 1000

/** Where a page ends because of what is big in it: that place instead of an event. */
interface EndRow {
  readonly event_id: null
  readonly end_at: bigint
}

interface Wanted {
  /** What a page's events satisfy; `$1` is the place behind which they lie. */
  readonly where: string
  /** A further condition, which does not lead to where they lie. */
  readonly which: string
  readonly factsOnly?: boolean
  readonly withoutLong?: boolean
  readonly order: "position" | "revision"
  readonly params: ReadonlyArray<unknown>
}

/**
 * Ordinary events are small and cost nothing to count; the big ones (`events.big`) are looked through first, by an
 * index of their own, for the one that fills the page.
 */
const statementOf = ({ where, which, factsOnly = false, order, params }: Wanted): string => {
  const [count, bytes] = [`$${params.length + 1}`, `$${params.length + 2}`]
  return `WITH ending AS MATERIALIZED (
      SELECT coalesce(min(place) FILTER (WHERE total >= ${bytes}), max(place) FILTER (WHERE number = ${looked})) AS end_at
      FROM (SELECT ${order} AS place, row_number() OVER upward AS number,
              sum(big) FILTER (WHERE ${which}) OVER upward AS total
            FROM (SELECT * FROM events WHERE ${where} AND big IS NOT NULL ORDER BY ${order} LIMIT ${looked}) bigs
            WINDOW upward AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)) counted)
    (SELECT ${factsOnly ? facts : allColumns}, NULL::bigint AS end_at FROM events WHERE ${where} AND ${which}
       AND ${order} <= coalesce((SELECT end_at FROM ending), 9223372036854775807) ORDER BY ${order} LIMIT ${count})
    UNION ALL
    SELECT ${names
      .split(",")
      .map(() => "NULL")
      .join(", ")}, NULL, NULL, end_at FROM ending WHERE end_at IS NOT NULL`
}

/**
 * A page of the events that are wanted, in order, up to where one of them fills it; `more` says that others may follow.
 */
export const page = (wanted: Wanted, most: Bound): Effect.Effect<Page, SqlError, PgClient.PgClient> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const params = [...wanted.params, BigInt(most.count), BigInt(most.bytes)]
    const rows = yield* sql.unsafe<(Row & { readonly end_at: null }) | EndRow>(statementOf(wanted), params)
    const events: Array<StoredEvent> = []
    let end: bigint | undefined
    let left = 0
    for (const row of rows) {
      if (row.event_id === null) end = row.end_at
      else if (row.apart === null) events.push(stored(row))
      else if (wanted.withoutLong === true) {
        events.push(stored(row))
        left += row.apart
      } else events.push(yield* storedWhole(row))
    }
    // nothing but big events of other types up to there
    if (events.length === 0 && end !== undefined) {
      const next = typeof wanted.params[0] === "bigint" ? end : Number(end)
      return yield* page({ ...wanted, params: [next, ...wanted.params.slice(1)] }, most)
    }
    const more = events.length > 0 && (events.length === most.count || end !== undefined)
    return left === 0 ? { events, more } : { events, more, left }
  })
