import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { beginning, positionOf } from "#engine/Position.ts"

// Whatever of a log has been in KurrentDB has letters before its positions since, in all copies that were made of it.
// An event that is gone leaves the question open: then none of the log is taken to be of one clock.
const copied = `SELECT coalesce(e.position, (SELECT max(position) FROM events), 0) AS position
  FROM log_copy c CROSS JOIN installation i LEFT JOIN events e ON e.event_id = c.event_id
  WHERE c.event_id IS NOT NULL AND i.positions IS NOT NULL`

/**
 * The last event that was copied of a log which several clocks may have stamped, so that times go back a little up to
 * there; `beginning`: there is none. A copy that an older release made says the same.
 */
export const severalClocks = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql.unsafe<{ position: bigint }>(copied)
  return row === undefined ? beginning : positionOf(row.position)
})
