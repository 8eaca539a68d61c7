import { PgClient } from "@effect/sql-pg"
import { Effect, Stream } from "effect"
import type { Envelope, RequestIdentity } from "#engine/Event.ts"
import { positionOf } from "#engine/Position.ts"
import type { StoredEvent } from "#engine/ports/EventStore.ts"
import { release } from "../../release.ts"

/** A row of the log, without what the event says. */
export interface EnvelopeRow {
  readonly position: bigint
  readonly tenant: string
  readonly stream: string
  readonly revision: number
  readonly event_id: string
  readonly type: string
  readonly schema_version: number
  readonly actor_key: string | null
  readonly actor_user: string | null
  readonly actor_organization: string | null
  readonly command_id: string
  readonly correlation_id: string
  readonly causation_id: string | null
  /** JSON. */
  readonly request: string | null
  readonly recorded_at: Date
}

export interface Row extends EnvelopeRow {
  readonly data: string
  readonly bytes: Uint8Array | null
  /** Bytes of data and text together, if the text must be read by itself; `null`: it need not. */
  readonly apart: number | null
}

/** The envelope of a row's event. */
export const envelopeOf = (row: EnvelopeRow): Envelope => ({
  position: positionOf(row.position),
  tenant: row.tenant,
  stream: row.stream,
  revision: row.revision,
  eventId: row.event_id,
  type: row.type,
  schemaVersion: row.schema_version,
  actor: { key: row.actor_key, user: row.actor_user, organization: row.actor_organization },
  commandId: row.command_id,
  correlationId: row.correlation_id,
  causationId: row.causation_id,
  request: row.request === null ? null : (JSON.parse(row.request) as RequestIdentity),
  recordedAt: row.recorded_at.getTime()
})

/** Bytes of a text that one message carries: each connection keeps room for the longest message that it has had. */
const piece = 256 * 1024

interface Piece {
  readonly size: number
  readonly start: number
  readonly bytes: Uint8Array
}

// the concatenation decompresses the text once, so that `substring` does not do it again for each piece
const pieces = `SELECT octet_length(p.bytes) AS size, start, substring(p.bytes FROM start + 1 FOR ${piece}) AS bytes
  FROM (SELECT bytes || ''::bytea AS bytes FROM payloads WHERE id = $1 OFFSET 0) p,
    generate_series(0, octet_length(p.bytes) - 1, ${piece}) AS start`

/** Reads a long text piece by piece; `null` if it has been erased by now. */
const longText = Effect.fnUntraced(function* (id: string) {
  const sql = yield* PgClient.PgClient
  let whole: Uint8Array | null = null
  yield* Stream.runForEach(sql.unsafe<Piece>(pieces, [id]).stream, ({ size, start, bytes }) =>
    Effect.sync(() => {
      whole ??= new Uint8Array(size)
      whole.set(bytes, start)
      release(bytes)
    })
  )
  return whole
})

/** A row's event as the port gives it, with its text if that came with the row. */
export const stored = (row: Row): StoredEvent => Object.assign(envelopeOf(row), { data: row.data, payload: row.bytes })

/** A row's event with its text, which is read by itself if it did not come with the row. */
export const storedWhole = Effect.fnUntraced(function* (row: Row) {
  return row.apart !== null ? { ...stored(row), payload: yield* longText(row.event_id) } : stored(row)
})

export const names = `position, tenant, stream, revision, event_id, type, schema_version, data,
  actor_key, actor_user, actor_organization, command_id, correlation_id, causation_id, request, recorded_at`

// A scalar subquery, because a join's plan is bad if it was made while the tables were empty.
// Each column costs a replay time, so one says both whether a text is apart and how long it is.
export const allColumns = `${names}, CASE WHEN has_text AND big > ${piece} THEN big END AS apart,
  CASE WHEN has_text AND coalesce(big, 0) <= ${piece} THEN (SELECT p.bytes FROM payloads p WHERE p.id = event_id) END AS bytes`
export const facts = `${names}, NULL::integer AS apart, NULL::bytea AS bytes`
