import { PgClient } from "@effect/sql-pg"
import { Effect, Stream } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { derivedId } from "#engine/derivedId.ts"
import type { Envelope, RequestIdentity } from "#engine/Event.ts"
import { latest, type Position, positionOf } from "#engine/Position.ts"
import type { Bound } from "#engine/ports/Bounds.ts"
import type { Kind, Newest, Page, ReadAll, ReadStream, StoredEvent } from "#engine/ports/EventStore.ts"
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

interface Row extends EnvelopeRow {
  readonly data: string
  readonly bytes: Uint8Array | null
  /** Bytes of data and text, where the text has to be read by itself. */
  readonly apart: number | null
}

/** What a row of the log says of its event. */
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

/** Bytes of a text that come in one message: each connection keeps room for the longest message that it has had. */
const piece = 256 * 1024

interface Piece {
  readonly size: number
  readonly start: number
  readonly bytes: Uint8Array
}

// unpacked once, by the concatenation, and not again for each piece
const pieces = `SELECT octet_length(p.bytes) AS size, start, substring(p.bytes FROM start + 1 FOR ${piece}) AS bytes
  FROM (SELECT bytes || ''::bytea AS bytes FROM payloads WHERE id = $1 OFFSET 0) p,
    generate_series(0, octet_length(p.bytes) - 1, ${piece}) AS start`

/** A long text, piece by piece; `null` when it was erased by now. */
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

const stored = (row: Row): StoredEvent => Object.assign(envelopeOf(row), { data: row.data, payload: row.bytes })

/** The same with its text, whether it came with the row or not. */
const storedWhole = Effect.fnUntraced(function* (row: Row) {
  return row.apart !== null ? { ...stored(row), payload: yield* longText(row.event_id) } : stored(row)
})

const names = `position, tenant, stream, revision, event_id, type, schema_version, data,
  actor_key, actor_user, actor_organization, command_id, correlation_id, causation_id, request, recorded_at`

// A scalar subquery: the plan of a join turns bad when it was made while the tables were empty.
// Each column costs a replay as much as any other: one says whether a text is apart, and how long it is.
const allColumns = `${names}, CASE WHEN has_text AND big > ${piece} THEN big END AS apart,
  CASE WHEN has_text AND coalesce(big, 0) <= ${piece} THEN (SELECT p.bytes FROM payloads p WHERE p.id = event_id) END AS bytes`
const facts = `${names}, NULL::integer AS apart, NULL::bytea AS bytes`

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
 * Ordinary events are small and cost nothing to count; the big ones (`events.big`) are looked through first, by an index of
 * their own, for the one that fills the page.
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

const page = (wanted: Wanted, most: Bound): Effect.Effect<Page, SqlError, PgClient.PgClient> =>
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

const atMost = ({ limit = 1000, bytes = Number.MAX_SAFE_INTEGER }: ReadStream, most: Bound): Bound => ({
  count: Math.min(limit, most.count),
  bytes: Math.min(bytes, most.bytes)
})

/** `EventStore.readStream`: a stream's events behind a revision, a page of them. */
export const readStream = (stream: string, after: number, options: ReadStream, most: Bound) =>
  page(
    { where: "revision > $1 AND stream = $2", which: "true", order: "revision", params: [after, stream] },
    atMost(options, most)
  )

/**
 * A stream's own index knows revisions, not positions, and both have one order: whoever goes on from an event of the
 * stream is led to its place there, and whoever comes from elsewhere is led there from the stream's end.
 */
const revisionAt = (stream: string, position: Position) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.map(
      sql.unsafe<{ revision: number }>(
        `SELECT coalesce(
           (SELECT e.revision FROM events e WHERE e.position = $2 AND e.stream = $1),
           (SELECT e.revision FROM events e WHERE e.stream = $1 AND e.position <= $2 ORDER BY e.revision DESC LIMIT 1),
           -1) AS revision`,
        [stream, BigInt(position)]
      ),
      ([row]) => row!.revision
    )
  )

const byRequest = " AND request IS NOT NULL"

/** Gives a value its place among a statement's parameters. */
type Given = (value: unknown) => string

/** Of this key or this person, who has to be the tenant's: `engine/Event.isBy`. */
const byActor = (given: Given, { actor, tenant }: Pick<ReadAll, "actor" | "tenant">): string => {
  if (actor === undefined) return ""
  const who = given(actor)
  const own = tenant === undefined ? "" : ` AND coalesce(actor_organization, actor_user) = ${given(tenant)}`
  return ` AND (actor_key = ${who} OR actor_user = ${who})${own}`
}

/** What followed from a request is in an index of its own; what it led to itself is told by the id of its first event. */
const ofCorrelation = (given: Given, correlation: string): string => {
  const [id, first] = [`${given(correlation)}::uuid`, `${given(derivedId(correlation, 0))}::uuid`]
  return ` AND position IN (SELECT c.position FROM events c WHERE c.correlation_id = ${id} AND c.correlation_id <> c.command_id
    UNION ALL SELECT o.position FROM events o WHERE o.stream = (SELECT f.stream FROM events f WHERE f.event_id = ${first})
      AND o.revision >= (SELECT f.revision FROM events f WHERE f.event_id = ${first}) AND o.command_id = ${id})`
}

const readOne = Effect.fnUntraced(function* (stream: string, after: Position, options: ReadAll, most: Bound) {
  const { types, tenant, correlation, requested, factsOnly = false, withoutLong = false } = options
  const where = "revision > $1 AND stream = $2"
  const params: Array<unknown> = [yield* revisionAt(stream, after), stream, tenant ?? null, types ?? null]
  const given: Given = (value) => `$${params.push(value)}`
  const caused = correlation === undefined ? "" : ` AND correlation_id = ${given(correlation)}::uuid`
  const which = `($3::text IS NULL OR tenant = $3) AND ($4::text[] IS NULL OR type = ANY ($4))${byActor(given, options)}${caused}${requested ? byRequest : ""}`
  return yield* page({ where, which, factsOnly, withoutLong, order: "revision", params }, atMost(options, most))
})

/** `EventStore.readAll`: events behind a position, as far as the options ask for them, a page of them. */
export const readAll = (after: Position, options: ReadAll, most: Bound) => {
  const { types, tenant, stream, correlation, requested, factsOnly = false, withoutLong = false } = options
  if (stream !== undefined) return readOne(stream, after, options, most)
  const params: Array<unknown> = [BigInt(after)]
  const given: Given = (value) => `$${params.push(value)}`
  const caused = correlation === undefined ? "" : ofCorrelation(given, correlation)
  const where = `position > $1${tenant === undefined ? "" : ` AND tenant = ${given(tenant)}`}${caused}`
  const which = `${types === undefined ? "true" : `type = ANY (${given(types)}::text[])`}${byActor(given, options)}${requested ? byRequest : ""}`
  return page({ where, which, factsOnly, withoutLong, order: "position", params }, atMost(options, most))
}

/** A command's first event has a derived id; the others stand right behind it. In whatever stream, unless one is given. */
export const readCommand = (commandId: string, stream: string | null = null) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.flatMap(
      sql.unsafe<Row>(
        `SELECT ${allColumns} FROM events
         WHERE stream = (SELECT e.stream FROM events e WHERE e.event_id = $1 AND ($3::text IS NULL OR e.stream = $3))
         AND revision >= (SELECT e.revision FROM events e WHERE e.event_id = $1) AND command_id = $2 ORDER BY revision`,
        [derivedId(commandId, 0), commandId, stream]
      ),
      (rows) => Effect.forEach(rows, storedWhole)
    )
  )

/** `EventStore.newest`. A stream's order is that of its revisions, by which there is an index. */
export const newest = ({ types, tenant, stream, actor, limit, before }: Newest) =>
  Effect.flatMap(PgClient.PgClient, (sql) => {
    const params: Array<unknown> = []
    const given = (value: unknown) => `$${params.push(value)}`
    const conditions = [
      ...(before === undefined ? [] : [`position < ${given(BigInt(before))}`]),
      ...(tenant === undefined ? [] : [`tenant = ${given(tenant)}`]),
      ...(stream === undefined ? [] : [`stream = ${given(stream)}`]),
      ...(types === undefined ? [] : [`type = ANY (${given(types)}::text[])`])
    ]
    const where = `WHERE ${conditions.length === 0 ? "true" : conditions.join(" AND ")}${byActor(given, { ...(actor === undefined ? {} : { actor }), ...(tenant === undefined ? {} : { tenant }) })}`
    const order = stream === undefined ? "position" : "revision"
    return Effect.map(
      sql.unsafe<{ position: bigint }>(
        `SELECT position FROM events ${where} ORDER BY ${order} DESC LIMIT ${given(limit)}`,
        params
      ),
      (rows) => rows.map(({ position }) => positionOf(position))
    )
  })

/** The id of the event at a position; `undefined`: there is none. */
export const eventAt = (position: Position) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.map(
      sql<{ event_id: string }>`SELECT event_id FROM events WHERE position = ${BigInt(position)}`,
      ([row]) => row?.event_id
    )
  )

export const head = Effect.flatMap(PgClient.PgClient, (sql) =>
  Effect.map(sql.unsafe<{ head: bigint }>("SELECT coalesce(max(position), 0) AS head FROM events"), ([row]) =>
    positionOf(row!.head)
  )
)

/** `EventStore.since`: by tenant and type, where the last event behind a position is. */
export const since = (after: Position) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.map(
      sql.unsafe<Omit<Kind, "last"> & { readonly last: bigint }>(
        "SELECT tenant, type, max(position) AS last FROM events WHERE position > $1 GROUP BY tenant, type",
        [BigInt(after)]
      ),
      (rows) => {
        const kinds = rows.map(({ tenant, type, last }): Kind => ({ tenant, type, last: positionOf(last) }))
        return { head: latest(after, ...kinds.map(({ last }) => last)), kinds }
      }
    )
  )
