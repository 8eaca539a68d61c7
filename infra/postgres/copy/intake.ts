import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Predicate } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { isAfter, type Position } from "#engine/Position.ts"
import { StoreUnavailable } from "#engine/ports/EventStore.ts"
import { type CopiedEvent, type LogEngine, LogIntake } from "#ports/LogCopy.ts"
import { columnOf } from "../arrayOf.ts"
import { following } from "../log/dense.ts"
import { head } from "../log/read.ts"
import { isLong, sendLong, sent } from "../sending.ts"
import { advance, last } from "./advance.ts"

const { bool, bytea, int2, int4, int8, text, timestamptz, uuid } = PgTypes.OID

type Placed = CopiedEvent & { readonly at: Position }

/** The columns of a row of `events`, in the order of the statement's parameters. */
const columns: ReadonlyArray<readonly [name: string, of: (event: Placed) => unknown, element: number]> = [
  ["position", ({ at }) => BigInt(at), int8],
  ["tenant", ({ tenant }) => tenant, text],
  ["stream", ({ stream }) => stream, text],
  ["revision", ({ revision }) => revision, int4],
  ["id", ({ eventId }) => eventId, uuid],
  ["type", ({ type }) => type, text],
  ["version", ({ schemaVersion }) => schemaVersion, int2],
  ["data", ({ data }) => data, text],
  ["has_text", ({ hasText }) => hasText, bool],
  ["key", ({ actor }) => actor.key, text],
  ["usr", ({ actor }) => actor.user, text],
  ["organization", ({ actor }) => actor.organization, text],
  ["command", ({ commandId }) => commandId, uuid],
  ["correlation", ({ correlationId }) => correlationId, uuid],
  ["causation", ({ causationId }) => causationId, uuid],
  ["recorded", ({ recordedAt }) => new Date(recordedAt), timestamptz],
  ["digest", ({ digest }) => digest, bytea],
  ["request", ({ request }) => (request === null ? null : JSON.stringify(request)), text],
  ["bytes", (event) => event.text?.bytes.length ?? 0, int4]
]
const names = columns.map(([name]) => name).join(", ")
const arrays = columns.map((_, index) => `$${index + 1}`).join(", ")

/** Inserts rows as `es_append` does. A digest that came with its row is kept, so that damage is not signed anew. */
const inserting = (digest: string): string => `INSERT INTO events (position, tenant, stream, revision, event_id, type,
    schema_version, data, has_text, actor_key, actor_user, actor_organization, command_id, correlation_id, causation_id,
    recorded_at, digest, big, request)
  SELECT r.*, ${digest}, nullif(greatest(octet_length(n.data) + n.bytes, 2048), 2048), n.request
  FROM unnest(${arrays}) AS n (${names}),
  LATERAL (SELECT n.position, n.tenant, n.stream, n.revision, n.id, n.type, n.version, n.data, n.has_text, n.key, n.usr,
             n.organization, n.command, n.correlation, n.causation, n.recorded OFFSET 0) r`

const inserts = { kept: inserting("n.digest"), made: inserting("sha256(record_send(r))") }

const insertingTexts = (bytes: string): string => `INSERT INTO payloads (id, tenant, subject, salt, bytes)
  SELECT n.id, n.tenant, n.subject, n.salt, ${bytes}
  FROM unnest($1, $2, $3, $4, $5) WITH ORDINALITY AS n (id, tenant, subject, salt, bytes, place)
  WHERE NOT EXISTS (SELECT FROM erasures x WHERE x.tenant = n.tenant AND x.subject = n.subject)`

const putTexts = Effect.fnUntraced(function* (events: ReadonlyArray<Placed>) {
  const sql = yield* PgClient.PgClient
  const texts = events.flatMap(({ eventId, tenant, text }) => (text === null ? [] : [{ eventId, tenant, ...text }]))
  if (texts.length === 0) return
  const long = texts.some(({ bytes }) => isLong(bytes))
  if (long) yield* sendLong(texts.map(({ bytes }) => bytes))
  yield* sql.unsafe(insertingTexts(long ? `coalesce(n.bytes, ${sent("n.place::integer")})` : "n.bytes"), [
    columnOf(texts, ({ eventId }) => eventId, uuid),
    columnOf(texts, ({ tenant }) => tenant, text),
    columnOf(texts, ({ subject }) => subject, text),
    columnOf(texts, ({ salt }) => salt, bytea),
    columnOf(texts, ({ bytes }) => (isLong(bytes) ? null : bytes), bytea)
  ])
})

const erase = Effect.fnUntraced(function* (events: ReadonlyArray<Placed>) {
  const sql = yield* PgClient.PgClient
  const erased = events.flatMap(({ erases, tenant, at }) => erases.map((subject) => ({ tenant, subject, at })))
  if (erased.length === 0) return
  const [tenants, subjects] = [
    columnOf(erased, (one) => one.tenant, text),
    columnOf(erased, (one) => one.subject, text)
  ]
  yield* sql.unsafe(
    `INSERT INTO erasures (tenant, subject, position)
      SELECT DISTINCT ON (tenant, subject) tenant, subject, position FROM unnest($1, $2, $3) AS x (tenant, subject, position)
      ORDER BY tenant, subject, position ON CONFLICT DO NOTHING`,
    [tenants, subjects, columnOf(erased, ({ at }) => BigInt(at), int8)]
  )
  yield* sql.unsafe(
    `DELETE FROM payloads p USING unnest($1, $2) AS x (tenant, subject)
      WHERE p.tenant = x.tenant AND p.subject = x.subject`,
    [tenants, subjects]
  )
})

/**
 * Runs in one transaction, so that a batch is in as a whole or not at all. Events of a log in Postgres keep their
 * positions; those of any other get the next ones.
 */
const take = Effect.fnUntraced(function* (events: ReadonlyArray<CopiedEvent>, source: LogEngine) {
  const before = yield* last
  const news = before === undefined ? events : events.filter(({ position }) => isAfter(position, before.position))
  if (news.length === 0) return
  const end = source === "postgres" ? undefined : yield* head
  const placed = news.map(
    (event, index): Placed => ({
      ...event,
      at: end === undefined ? event.position : following(end, index)
    })
  )
  const sql = yield* PgClient.PgClient
  yield* putTexts(placed)
  yield* sql.unsafe(
    inserts[source === "postgres" ? "kept" : "made"],
    columns.map(([, of, element]) => columnOf(placed, of, element))
  )
  yield* erase(placed)
  yield* advance(news.at(-1)!)
})

/**
 * Codes of errors whose message is about the server and never quotes what was written: connections, room, rights, and a
 * server that only reads.
 */
const ofServer = /^(?:08|53|57P|42501|25006)/

/** What the server says is wrong with itself; empty for any other error. */
const saidBy = (error: unknown): string => {
  const cause = isSqlError(error) ? error.reason.cause : undefined
  if (!Predicate.isObject(cause)) return ""
  const { code, message } = cause
  return typeof code === "string" && ofServer.test(code) ? `: ${String(message).replaceAll(/\s+/g, " ")} (${code})` : ""
}

/** Copies events into the tables of PostgresEventStore; `source` is where they come from. */
export const layer = (source: LogEngine) =>
  Layer.effect(
    LogIntake,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const here = <A, E>(effect: Effect.Effect<A, E, PgClient.PgClient>) =>
        effect.pipe(
          Effect.provideService(PgClient.PgClient, sql),
          Effect.tapError((error) => Effect.logDebug("the copy's database refused", error)),
          Effect.mapError(
            (error) => new StoreUnavailable({ message: `The copy's database can't be written${saidBy(error)}.` })
          )
        )
      return LogIntake.of({
        engine: "postgres",
        last: here(last),
        take: (events) => here(sql.withTransaction(take(events, source))),
        isErased: (tenant, subject) =>
          here(
            Effect.map(
              sql`SELECT 1 FROM erasures WHERE tenant = ${tenant} AND subject = ${subject}`,
              (rows) => rows.length > 0
            )
          )
      })
    })
  )
