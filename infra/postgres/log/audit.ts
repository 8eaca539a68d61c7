import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { beginning, isAfter, type Position, positionOf } from "#engine/Position.ts"
import { type AuditedEvent, AuditUnavailable, LogAudit } from "#ports/LogAudit.ts"
import { severalClocks } from "../copy/clocks.ts"
import { middleOf, missingBetween, missingUpTo } from "./dense.ts"
import { head } from "./read.ts"
import { type EnvelopeRow, envelopeOf } from "./rows.ts"

interface Row extends EnvelopeRow {
  readonly data: string
  readonly has_text: boolean
  readonly intact: boolean | null
  readonly before: bigint | null
  readonly text_tenant: string | null
  readonly text_subject: string | null
  readonly text_digest: string | null
  readonly erased_at: bigint | null
}

// One statement, so that it sees an erasure whole or not at all. A pattern finds the subject, because damaged data may
// not be JSON.
const page = `SELECT e.*,
    e.digest = sha256(record_send(ROW(e.position, e.tenant, e.stream, e.revision, e.event_id, e.type, e.schema_version,
      e.data, e.has_text, e.actor_key, e.actor_user, e.actor_organization, e.command_id, e.correlation_id, e.causation_id,
      e.recorded_at))) AS intact,
    (SELECT b.position FROM events b WHERE b.stream = e.stream AND b.revision = e.revision - 1) AS before,
    p.tenant AS text_tenant, p.subject AS text_subject, encode(sha256(p.salt || p.bytes), 'hex') AS text_digest,
    CASE WHEN e.has_text THEN (SELECT x.position FROM erasures x
      WHERE x.tenant = e.tenant AND x.subject = substring(e.data FROM '"subject":"([^"]*)"')) END AS erased_at
  FROM (SELECT * FROM events WHERE position > $1 ORDER BY position LIMIT $2) e
  LEFT JOIN payloads p ON p.id = e.event_id ORDER BY e.position`

const audited = (row: Row): AuditedEvent => ({
  ...envelopeOf(row),
  data: row.data,
  hasText: row.has_text,
  intact: row.intact,
  before: row.before === null ? null : positionOf(row.before),
  text:
    row.text_digest === null ? null : { tenant: row.text_tenant!, subject: row.text_subject!, digest: row.text_digest },
  erasedAt: row.erased_at === null ? null : positionOf(row.erased_at)
})

/** The position before the first event up to another position that came after a time, if there is such an event. */
const beforeFirst = Effect.fnUntraced(function* (time: number, upTo: Position) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ before: bigint }>`SELECT
      coalesce((SELECT max(b.position) FROM events b WHERE b.position < e.position), 0) AS before
    FROM events e WHERE e.position <= ${BigInt(upTo)} AND e.recorded_at > ${new Date(time)} ORDER BY e.position LIMIT 1`
  return row && positionOf(row.before)
})

/** Binary search where times don't go back: all events up to `low` are in time, the first one behind `high` is not. */
const at = Effect.fnUntraced(function* (time: number) {
  const sql = yield* PgClient.PgClient
  let low = yield* severalClocks
  const before = low === beginning ? undefined : yield* beforeFirst(time, low)
  if (before !== undefined) return before
  let high = yield* head
  while (isAfter(high, low)) {
    const middle = middleOf(low, high)
    const [next] = yield* sql<Pick<EnvelopeRow, "position" | "recorded_at">>`SELECT position, recorded_at FROM events
      WHERE position > ${BigInt(middle)} ORDER BY position LIMIT 1`
    const position = next && positionOf(next.position)
    if (position === undefined || isAfter(position, high) || next!.recorded_at.getTime() > time) high = middle
    else low = position
  }
  return low
})

/** Audits the log in the tables of PostgresEventStore. */
export const layer = Layer.effect(
  LogAudit,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const here = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.mapError(effect, () => new AuditUnavailable({ message: "The log can't be read at the moment." }))
    return LogAudit.of({
      oneClockBehind: here(Effect.provideService(severalClocks, PgClient.PgClient, sql)),
      missingBetween,
      missingUpTo,
      at: (time) => here(Effect.provideService(at(time), PgClient.PgClient, sql)),
      read: (after, limit) =>
        here(Effect.map(sql.unsafe<Row>(page, [BigInt(after), BigInt(limit)]), (rows) => rows.map(audited))),
      strays: here(
        Effect.map(
          sql.unsafe<{ count: bigint }>(
            "SELECT count(*) AS count FROM payloads p WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.event_id = p.id)"
          ),
          ([row]) => Number(row!.count)
        )
      )
    })
  })
)
