import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { Position } from "#engine/Position.ts"
import { EventStore, type StoredEvent, StoreUnavailable } from "#engine/ports/EventStore.ts"
import { textIdOf } from "#engine/texts.ts"
import { LogSource, type WholeEvent } from "#ports/LogCopy.ts"
import { columnOf } from "../../postgres/arrayOf.ts"

interface Row {
  readonly id: string
  readonly subject: string
  readonly salt: Uint8Array
}

/** Whether an event came with a text: then its data has the text's digest. */
const hasText = ({ data }: StoredEvent): boolean =>
  typeof (JSON.parse(data) as { readonly text?: unknown }).text === "string"

const whole = ({ payload, ...event }: StoredEvent, row: Row | undefined): WholeEvent => ({
  ...event,
  hasText: hasText({ ...event, payload }),
  // erased between the two reads
  text: payload === null || row === undefined ? null : { subject: row.subject, salt: row.salt, bytes: payload },
  digest: null
})

/** Copies from a log in KurrentDB, with texts in Postgres. */
export const layer = Layer.effect(
  LogSource,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const store = yield* EventStore
    const page = Effect.fnUntraced(function* (after: Position) {
      const { events, more } = yield* store.readAll(after, { limit: Number.MAX_SAFE_INTEGER })
      const named = events.map((event) => ({ event, id: textIdOf(event.eventId, event.data) }))
      const rows = yield* sql.unsafe<Row>("SELECT id, subject, salt FROM kurrent_texts WHERE id = ANY ($1)", [
        columnOf(named, ({ id }) => id, PgTypes.OID.uuid)
      ])
      const byId = new Map(rows.map((row) => [row.id, row]))
      return { events: named.map(({ event, id }) => whole(event, byId.get(id))), more }
    })
    return LogSource.of({
      engine: "kurrentdb",
      head: store.head,
      page: (after) => Effect.mapError(page(after), () => new StoreUnavailable({ message: "The log can't be read." })),
      find: (stream, revision) =>
        Effect.map(store.readStream(stream, revision - 1, { limit: 1 }), ({ events: [event] }) =>
          event?.revision === revision ? event : undefined
        )
    })
  })
)
