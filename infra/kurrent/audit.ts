import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import type { Envelope } from "#engine/Event.ts"
import { beginning, type Position } from "#engine/Position.ts"
import { EventStore, type Page, type StoredEvent } from "#engine/ports/EventStore.ts"
import { textIdOf } from "#engine/texts.ts"
import { type AuditedEvent, AuditUnavailable, LogAudit } from "#ports/LogAudit.ts"
import { arrayOf, columnOf } from "../postgres/arrayOf.ts"
import type { MaxAge } from "./retention.ts"

const unavailable = () => new AuditUnavailable({ message: "The log can't be read at the moment." })

const { text, uuid } = PgTypes.OID

interface TextRow {
  readonly place: number
  readonly tenant: string | null
  readonly subject: string | null
  readonly digest: string | null
  readonly erased: boolean
}

// one statement, so that an erasure is seen whole or not at all
const looking = `SELECT n.place::integer AS place, t.tenant, t.subject, encode(sha256(t.salt || t.bytes), 'hex') AS digest,
    EXISTS (SELECT FROM kurrent_erasures x WHERE x.tenant = n.tenant AND x.subject = n.subject) AS erased
  FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY AS n (id, tenant, subject, place)
  LEFT JOIN kurrent_texts t ON t.id = n.id ORDER BY n.place`

/** What an event says of its text; a damaged event may not be JSON, and says nothing. */
const saidOf = ({ data }: StoredEvent): { readonly subject: string; readonly hasText: boolean } => {
  try {
    const { subject, text } = JSON.parse(data)
    return { subject: String(subject), hasText: typeof text === "string" }
  } catch {
    return { subject: "", hasText: false }
  }
}

const withTexts = Effect.fnUntraced(function* (events: ReadonlyArray<StoredEvent>) {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql.unsafe<TextRow>(looking, [
    arrayOf(
      events.map(({ eventId, data }) => textIdOf(eventId, data)),
      uuid
    ),
    columnOf(events, ({ tenant }) => tenant, text),
    columnOf(events, (event) => saidOf(event).subject, text)
  ])
  return events.map((event, index) => {
    const { tenant, subject, digest, erased } = rows[index]!
    const { hasText } = saidOf(event)
    return {
      ...event,
      hasText,
      text: digest === null ? null : { tenant: tenant!, subject: subject!, digest },
      erasedAt: hasText && erased ? ("unknown" as const) : null
    }
  })
})

/** The most streams whose last event is remembered; in any other stream, the event before is read. */
const remembered = 50_000

/**
 * Audits a log in KurrentDB by reading it, and the texts beside it. It can't tell whether events are missing between
 * two positions, or whether one was changed: for that the server has checksums of its files, which it checks when it
 * starts.
 */
export const layer = (maxAges: ReadonlyArray<MaxAge>) =>
  Layer.effect(
    LogAudit,
    Effect.gen(function* () {
      const { readAll, readStream } = yield* EventStore
      const sql = yield* PgClient.PgClient
      const lasts = new LRUCache<string, { readonly revision: number; readonly position: Position }>({
        max: remembered
      })

      /** Where the stream's event before this one is; `null`: nowhere; the beginning: perhaps scavenged. */
      const before = Effect.fnUntraced(function* ({ stream, revision, position }: Envelope) {
        const last = lasts.get(stream)
        lasts.set(stream, { revision, position })
        if (revision === 0) return null
        if (last?.revision === revision - 1) return last.position
        const { events } = yield* readStream(stream, revision - 2, { limit: 1 })
        if (events[0]?.revision === revision - 1) return events[0].position
        return maxAges.some(({ streams }) => stream.startsWith(streams)) ? beginning : null
      })

      const read = Effect.fnUntraced(function* (after: Position, limit: number) {
        const { events } = yield* readAll(after, { limit, factsOnly: true })
        const found: Array<AuditedEvent> = []
        for (const { payload: _, ...event } of yield* withTexts(events))
          found.push({ ...event, intact: null, before: yield* before(event) })
        return found
      })

      /**
       * The position before the first event behind a time. Clocks of processes may differ: what follows that event came
       * later.
       */
      const at = Effect.fnUntraced(function* (time: number) {
        let reached: Position = beginning
        for (;;) {
          const { events, more }: Page = yield* readAll(reached, { factsOnly: true })
          for (const { position, recordedAt } of events) {
            if (recordedAt > time) return reached
            reached = position
          }
          if (!more) return reached
        }
      })

      return LogAudit.of({
        oneClockBehind: Effect.undefined,
        missingBetween: () => undefined,
        missingUpTo: () => undefined,
        at: (time) => Effect.mapError(at(time), unavailable),
        read: (after, limit) =>
          read(after, limit).pipe(Effect.provideService(PgClient.PgClient, sql), Effect.mapError(unavailable)),
        // a process that was stopped between a text and its event has left some, which go with their subject
        strays: Effect.succeed(0)
      })
    })
  )
