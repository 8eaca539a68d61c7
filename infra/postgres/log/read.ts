import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { derivedId } from "#engine/derivedId.ts"
import { latest, type Position, positionOf } from "#engine/Position.ts"
import type { Bound } from "#engine/ports/Bounds.ts"
import type { EventKind, Newest, ReadAll, ReadStream } from "#engine/ports/EventStore.ts"
import { page } from "./page.ts"
import { allColumns, type Row, storedWhole } from "./rows.ts"

const atMost = ({ limit = 1000, bytes = Number.MAX_SAFE_INTEGER }: ReadStream, most: Bound): Bound => ({
  count: Math.min(limit, most.count),
  bytes: Math.min(bytes, most.bytes)
})

/** `EventStore.readStream`: a page of a stream's events behind a revision. */
export const readStream = (stream: string, after: number, options: ReadStream, most: Bound) =>
  page(
    { where: "revision > $1 AND stream = $2", which: "true", order: "revision", params: [after, stream] },
    atMost(options, most)
  )

/**
 * The stream's last revision up to a position; -1: none. Its index has revisions only, in the same order. An event of
 * the stream at the very position is looked up; otherwise the search begins at the stream's end.
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

/** SQL: this key or this user acted, for the tenant if one is given, as `isBy` of engine/Event.ts has it. */
const byActor = (given: Given, { actor, tenant }: Pick<ReadAll, "actor" | "tenant">): string => {
  if (actor === undefined) return ""
  const who = given(actor)
  const own = tenant === undefined ? "" : ` AND coalesce(actor_organization, actor_user) = ${given(tenant)}`
  return ` AND (actor_key = ${who} OR actor_user = ${who})${own}`
}

/**
 * An index of its own finds what followed from a request; the id of the first event finds what the request did itself.
 */
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

/** `EventStore.readAll`: a page of the events behind a position that the options ask for. */
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

/**
 * A command's events, in the given stream or in any. The first one has a derived id; the others stand right behind it.
 */
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

/** `EventStore.newest`. Within a stream it orders by revision, because there is an index by that. */
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

/** `EventStore.since`: for each tenant and type, the position of the last event behind `after`. */
export const since = (after: Position) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.map(
      sql.unsafe<Omit<EventKind, "last"> & { readonly last: bigint }>(
        "SELECT tenant, type, max(position) AS last FROM events WHERE position > $1 GROUP BY tenant, type",
        [BigInt(after)]
      ),
      (rows) => {
        const kinds = rows.map(({ tenant, type, last }): EventKind => ({ tenant, type, last: positionOf(last) }))
        return { head: latest(after, ...kinds.map(({ last }) => last)), kinds }
      }
    )
  )
