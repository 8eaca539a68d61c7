import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Bound } from "#engine/ports/Bounds.ts"
import type { Page, StoredEvent } from "#engine/ports/EventStore.ts"
import { allColumns, facts, names, type Row, stored, storedWhole } from "./rows.ts"

/** Big events that one page looks at, wanted or not: a page ends at the last of them at the latest. */
const looked = 1000

/** A row that tells, instead of an event, where big events end the page. */
interface EndRow {
  readonly event_id: null
  readonly end_at: bigint
}

interface Wanted {
  /** A condition by which an index finds the page's events; `$1` is the place that they lie behind. */
  readonly where: string
  /** A further condition, which only filters what `where` finds. */
  readonly which: string
  readonly factsOnly?: boolean
  readonly withoutLong?: boolean
  readonly order: "position" | "revision"
  readonly params: ReadonlyArray<unknown>
}

/**
 * Looks first through the big events (`events.big`), by an index of their own, for the one that fills the page. The
 * others are small, so only their number counts.
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

/** A page of the wanted events, in order, up to the one that fills it; `more` says that others may follow. */
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
    // up to there no event is wanted: read on behind it
    if (events.length === 0 && end !== undefined) {
      const next = typeof wanted.params[0] === "bigint" ? end : Number(end)
      return yield* page({ ...wanted, params: [next, ...wanted.params.slice(1)] }, most)
    }
    const more = events.length > 0 && (events.length === most.count || end !== undefined)
    return left === 0 ? { events, more } : { events, more, left }
  })
