import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Envelope } from "#domain/Event.ts"
import type { ReadAll, StoredEvent } from "#ports/EventStore.ts"

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
  readonly recorded_at: Date
}

interface Row extends EnvelopeRow {
  readonly data: string
  readonly bytes: Uint8Array | null
}

export const envelopeOf = (row: EnvelopeRow): Envelope => ({
  position: Number(row.position),
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
  recordedAt: row.recorded_at.getTime()
})

const stored = (row: Row): StoredEvent => Object.assign(envelopeOf(row), { data: row.data, payload: row.bytes })

// A scalar subquery: the plan of a join turns bad when it was made while the tables were empty.
const columns = `position, tenant, stream, revision, event_id, type, schema_version, data,
  actor_key, actor_user, actor_organization, command_id, correlation_id, causation_id, recorded_at,
  CASE WHEN has_text THEN (SELECT p.bytes FROM payloads p WHERE p.id = event_id) END AS bytes`

const query = (where: string, params: ReadonlyArray<unknown>) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.map(sql.unsafe<Row>(`SELECT ${columns} FROM events WHERE ${where}`, params), (rows) => rows.map(stored))
  )

export const readStream = (stream: string, after: number) =>
  query("stream = $1 AND revision > $2 ORDER BY revision", [stream, after])

/**
 * A stream's own index knows revisions, not positions, and both have one order: whoever goes on from an event of the
 * stream is led to its place there, and whoever comes from elsewhere is led there from the stream's end.
 */
const readOne = (stream: string, after: number, { types, tenant, limit = 1000 }: ReadAll) =>
  query(
    `stream = $1 AND position > $2
     AND revision > coalesce(
       (SELECT e.revision FROM events e WHERE e.position = $2 AND e.stream = $1),
       (SELECT e.revision FROM events e WHERE e.stream = $1 AND e.position <= $2 ORDER BY e.revision DESC LIMIT 1), -1)
     AND ($3::text IS NULL OR tenant = $3) AND ($4::text[] IS NULL OR type = ANY ($4)) ORDER BY revision LIMIT $5`,
    [stream, BigInt(after), tenant ?? null, types ?? null, BigInt(limit)]
  )

export const readAll = (after: number, options: ReadAll) => {
  const { types, tenant, stream, limit = 1000 } = options
  if (stream !== undefined) return readOne(stream, after, options)
  const filters = Object.entries({ "type = ANY": types, "tenant =": tenant })
    .filter(([, value]) => value !== undefined)
    .map(([test, value], index) => ({
      test: `AND ${test} ($${index + 3}${index === 0 && types ? "::text[]" : ""})`,
      value
    }))
  const where = filters.map(({ test }) => test).join(" ")
  const values = filters.map(({ value }) => value)
  return query(`position > $1 ${where} ORDER BY position LIMIT $2`, [BigInt(after), BigInt(limit), ...values])
}

/** A command's first event has a derived id; the others stand right behind it. */
export const readCommand = (firstId: string, commandId: string) =>
  query(
    `stream = (SELECT e.stream FROM events e WHERE e.event_id = $1)
     AND revision >= (SELECT e.revision FROM events e WHERE e.event_id = $1) AND command_id = $2 ORDER BY revision`,
    [firstId, commandId]
  )

export const head = Effect.flatMap(PgClient.PgClient, (sql) =>
  Effect.map(sql.unsafe<{ head: bigint }>("SELECT coalesce(max(position), 0) AS head FROM events"), ([row]) =>
    Number(row!.head)
  )
)

export const since = (after: number) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.map(
      sql.unsafe<{ head: bigint; types: ReadonlyArray<string> }>(
        `SELECT coalesce(max(position), $1) AS head, coalesce(array_agg(DISTINCT type), '{}') AS types
         FROM events WHERE position > $1`,
        [BigInt(after)]
      ),
      ([row]) => ({ head: Number(row!.head), types: row!.types })
    )
  )
