import type { RequestOptions } from "../options.ts"
import type { Result } from "../Result.ts"
import { type Call, json, part } from "../request.ts"
import type { Transport } from "../transport.ts"
import type { JsonObject } from "./codeBlocks.ts"

/** Which events are read. */
export interface EventsParams {
  /** Only those of this type, e.g. `VoteCast`. */
  readonly type?: string | undefined
  /** Only those of this stream. */
  readonly stream?: string | undefined
  /** Only what this key or this person of the organization did: an id. */
  readonly actor?: string | undefined
  /** Only what followed from one request: the `correlationId` of an event. */
  readonly correlation?: string | undefined
  /** Goes on behind this `position` or `nextAfter`. Default: from the beginning. */
  readonly after?: string | undefined
  /** Events a page, 1 to 1,000. Default: 100. */
  readonly limit?: number | undefined
}

/** Whose doing an event is; `external` for somebody of another organization. */
export interface EventActor {
  /** The API key; `null`: the service's own doing. */
  readonly keyId: string | null
  /** The key's user. */
  readonly userId: string | null
  /** The key's organization; `null` of a personal key. */
  readonly organizationId: string | null
}

/** Something that happened in the organization. */
export interface RecordedEvent {
  /** Its place in the log; opaque. */
  readonly position: string
  /** What it is about, such as `snippet-…` with an id. */
  readonly stream: string
  /** Its place in the stream, from 0. */
  readonly revision: number
  /** A UUID. */
  readonly eventId: string
  /** What happened, such as `VoteCast`. */
  readonly type: string
  /** Of `data`; from 1. */
  readonly schemaVersion: number
  /** The event's own fields, under the names that the log has. */
  readonly data: JsonObject
  /** Whose doing it is; `external` in place of an id for somebody of another organization. */
  readonly actor: EventActor
  /** The request that it comes from, which is carried out once. */
  readonly commandId: string
  /** The same for all that followed from one request. */
  readonly correlationId: string
  /** The event that it follows from. */
  readonly causationId: string | null
  /** The `X-Request-Id` of the request that led to it, on the first event of a command. */
  readonly requestId: string | null
  /** The trace (W3C) that the request was part of, on the first event of a command. */
  readonly traceId: string | null
  /** ISO 8601. */
  readonly recordedAt: string
}

/** Some events. */
export interface EventPage extends Result {
  /** Oldest first; none: there are no more by now. */
  readonly events: ReadonlyArray<RecordedEvent>
  /** For `after`. */
  readonly nextAfter: string
}

/** An event as the service sends it. */
export interface EventWire {
  readonly position: string
  readonly stream: string
  readonly revision: number
  readonly event_id: string
  readonly type: string
  readonly schema_version: number
  readonly data: JsonObject
  readonly actor: {
    readonly key_id: string | null
    readonly user_id: string | null
    readonly organization_id: string | null
  }
  readonly command_id: string
  readonly correlation_id: string
  readonly causation_id: string | null
  readonly request_id?: string | null
  readonly trace_id?: string | null
  readonly recorded_at: string
}

export const eventOf = (wire: EventWire): RecordedEvent => ({
  position: wire.position,
  stream: wire.stream,
  revision: wire.revision,
  eventId: wire.event_id,
  type: wire.type,
  schemaVersion: wire.schema_version,
  data: wire.data,
  actor: {
    keyId: wire.actor.key_id,
    userId: wire.actor.user_id,
    organizationId: wire.actor.organization_id
  },
  commandId: wire.command_id,
  correlationId: wire.correlation_id,
  causationId: wire.causation_id,
  requestId: wire.request_id ?? null,
  traceId: wire.trace_id ?? null,
  recordedAt: wire.recorded_at
})

const page = json(
  (wire: { events: ReadonlyArray<EventWire>; next_after: string }): EventPage => ({
    events: wire.events.map(eventOf),
    nextAfter: wire.next_after
  })
)

/** Which of the newest events are read. */
export interface NewestEventsParams extends Pick<EventsParams, "type" | "stream" | "actor"> {
  /** Only those before this `position` or `nextBefore`. Default: the newest. */
  readonly before?: string | undefined
  /** Begins at this `position` or time (ISO 8601), with what was recorded there. Default: at the log's end. */
  readonly asOf?: string | undefined
  /** At most so many, 1 to 1,000. Default: 50. */
  readonly limit?: number | undefined
}

/** The newest events, or those before a position. */
export interface NewestEvents extends Result {
  /** In the log's order: the newest last. */
  readonly events: ReadonlyArray<RecordedEvent>
  /** For `before`, to go back further; `null` at the log's beginning. */
  readonly nextBefore: string | null
  /** Of the log's head: for `after` of `events` or `eventStream`, to go on from there. */
  readonly nextAfter: string
}

export const newestEvents = ({ before, asOf, limit, type, stream, actor }: NewestEventsParams): Call<NewestEvents> => ({
  method: "GET",
  path: "/api/events/newest",
  query: { before, as_of: asOf, limit, type, stream, actor },
  answer: json((wire: { events: ReadonlyArray<EventWire>; next_before: string | null; next_after: string }) => ({
    events: wire.events.map(eventOf),
    nextBefore: wire.next_before,
    nextAfter: wire.next_after
  }))
})

/** An event, and what can be seen of how it is stored. */
export interface AuditedEvent extends Result {
  /** The event itself. */
  readonly event: RecordedEvent
  /** What became of what its caller typed. */
  readonly text: "none" | "there" | "erased"
  /** The position of the event that erased its text, where that is kept. */
  readonly erasedBy: string | null
  /** Whether it is what its digest says; `null`: none was kept of it. */
  readonly intact: boolean | null
}

interface AuditedWire {
  readonly event: EventWire
  readonly text: AuditedEvent["text"]
  readonly erased_by: string | null
  readonly intact: boolean | null
}

export const auditedEvent = (position: string): Call<AuditedEvent> => ({
  method: "GET",
  path: `/api/event/${part("position", position)}`,
  answer: json((wire: AuditedWire) => ({
    event: eventOf(wire.event),
    text: wire.text,
    erasedBy: wire.erased_by,
    intact: wire.intact
  }))
})

/** The events up to the log's head, oldest first: pages are fetched as they are needed. */
export class Events implements AsyncIterable<RecordedEvent> {
  readonly #transport: Transport
  readonly #params: EventsParams
  readonly #options: RequestOptions | undefined

  constructor(transport: Transport, params: EventsParams, options: RequestOptions | undefined) {
    this.#transport = transport
    this.#params = params
    this.#options = options
  }

  /** The same page by page: to keep `nextAfter`, and go on there another day. Ends with the first empty page. */
  async *pages(): AsyncGenerator<EventPage, void, undefined> {
    const { type, stream, actor, correlation, limit } = this.#params
    for (let after = this.#params.after; ; ) {
      const query = { type, stream, actor, correlation, limit, after }
      const call = () => ({ method: "GET", path: "/api/events", query, answer: page }) as const
      const next = await this.#transport.send(call, this.#options)
      if (next.events.length === 0) return
      yield next
      after = next.nextAfter
    }
  }

  /** The events, one after the other. */
  async *[Symbol.asyncIterator](): AsyncGenerator<RecordedEvent, void, undefined> {
    for await (const { events } of this.pages()) yield* events
  }
}
