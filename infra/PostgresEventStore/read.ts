import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { ReadAll, StoredEvent } from "#ports/EventStore.ts"

interface Row {
  readonly position: bigint
  readonly tenant: string
  readonly stream: string
  readonly revision: number
  readonly event_id: string
  readonly type: string
  readonly schema_version: number
  readonly data: string
  readonly actor_key: string | null
  readonly actor_user: string | null
  readonly actor_organization: string | null
  readonly command_id: string
  readonly correlation_id: string
  readonly causation_id: string | null
  readonly recorded_at: Date
  readonly bytes: Uint8Array | null
}

const stored = (row: Row): StoredEvent => ({
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
  recordedAt: row.recorded_at.getTime(),
  data: row.data,
  payload: row.bytes
})

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

export const readAll = (after: number, { types, tenant, stream, limit = 1000 }: ReadAll) => {
  const filters = Object.entries({ "type = ANY": types, "tenant =": tenant, "stream =": stream })
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
