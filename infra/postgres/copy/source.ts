import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { EventStore, type StoredEvent, StoreUnavailable } from "#engine/ports/EventStore.ts"
import { LogSource, type WholeEvent } from "#ports/LogCopy.ts"
import { columnOf } from "../arrayOf.ts"

/** What the event store does not give: a row's digest, and its text's subject and salt. */
interface Row {
  readonly event_id: string
  readonly has_text: boolean
  readonly digest: Uint8Array | null
  readonly subject: string | null
  readonly salt: Uint8Array | null
}

const beside = `SELECT e.event_id, e.has_text, e.digest, p.subject, p.salt FROM events e
  LEFT JOIN payloads p ON p.id = e.event_id WHERE e.position = ANY ($1)`

const whole = ({ payload, ...event }: StoredEvent, row: Row): WholeEvent => ({
  ...event,
  hasText: row.has_text,
  // erased between the two reads
  text: payload === null || row.salt === null ? null : { subject: row.subject!, salt: row.salt, bytes: payload },
  digest: row.digest
})

/** Copies from the tables of PostgresEventStore. */
export const layer = Layer.effect(
  LogSource,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const store = yield* EventStore
    const page = Effect.fnUntraced(function* (after: Parameters<typeof store.readAll>[0]) {
      const { events, more } = yield* store.readAll(after, { limit: Number.MAX_SAFE_INTEGER })
      const rows = yield* sql.unsafe<Row>(beside, [
        columnOf(events, ({ position }) => BigInt(position), PgTypes.OID.int8)
      ])
      const byId = new Map(rows.map((row) => [row.event_id, row]))
      return { events: events.map((event) => whole(event, byId.get(event.eventId)!)), more }
    })
    return LogSource.of({
      engine: "postgres",
      head: store.head,
      page: (after) => Effect.mapError(page(after), () => new StoreUnavailable({ message: "The log can't be read." })),
      find: (stream, revision) =>
        Effect.map(store.readStream(stream, revision - 1, { limit: 1 }), ({ events: [event] }) =>
          event?.revision === revision ? event : undefined
        )
    })
  })
)
