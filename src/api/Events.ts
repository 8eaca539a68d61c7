import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { eventSchemas } from "#domain/events.ts"
import { AnyText, Id, JsonObject, PositionOrTime, toldPlace, wholeInQuery } from "./fields.ts"
import { Authentication, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

const RecordedEvent = Schema.Struct({
  position: Schema.String,
  stream: Schema.String,
  revision: Schema.Int,
  event_id: Schema.String,
  type: Schema.String,
  schema_version: Schema.Int,
  data: JsonObject,
  actor: Schema.Struct({
    key_id: Schema.NullOr(Schema.String),
    user_id: Schema.NullOr(Schema.String),
    organization_id: Schema.NullOr(Schema.String)
  }),
  command_id: Schema.String,
  correlation_id: Schema.String,
  causation_id: Schema.NullOr(Schema.String),
  request_id: Schema.NullOr(Schema.String).annotate({
    description:
      "The `X-Request-Id` of the request that led to the event, on the first event of a command, if it has the shape of an id."
  }),
  trace_id: Schema.NullOr(Schema.String).annotate({
    description: "The trace (W3C) that the request was part of, on the first event of a command."
  }),
  recorded_at: Schema.String
}).annotate({ identifier: "RecordedEvent" })
export type RecordedEvent = typeof RecordedEvent.Type

const AuditedEvent = Schema.Struct({
  event: RecordedEvent,
  text: Schema.Literals(["none", "there", "erased"]),
  erased_by: Schema.NullOr(Schema.String),
  intact: Schema.NullOr(Schema.Boolean)
}).annotate({ identifier: "AuditedEvent" })

const Uuid = Schema.String.check(
  Schema.isPattern(/^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/u, { message: "is no UUID" })
)

const EventType = Schema.Literals(Struct.keys(eventSchemas)).annotate({ identifier: "EventType" })

/** What both `events` and `eventStream` take. */
const filters = {
  after: Schema.optional(toldPlace),
  type: Schema.optional(EventType),
  stream: Schema.optional(AnyText)
}

/** Routes that tell the events of the log. */
export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("events", "/api/events", {
      query: Schema.Struct({
        ...filters,
        actor: Schema.optional(Id),
        correlation: Schema.optional(Uuid),
        limit: wholeInQuery(1, 1000)
      }),
      success: Schema.Struct({ events: Schema.Array(RecordedEvent), next_after: Schema.String })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "The tenant's events, oldest first, for audits",
        description: "For owners and admins. `limit` defaults to 100. To continue, send `next_after` as `after`."
      })
    ),
    HttpApiEndpoint.get("newestEvents", "/api/events/newest", {
      query: Schema.Struct({
        before: filters.after,
        as_of: Schema.optional(PositionOrTime),
        type: filters.type,
        stream: filters.stream,
        actor: Schema.optional(Id),
        limit: wholeInQuery(1, 1000)
      }),
      success: Schema.Struct({
        events: Schema.Array(RecordedEvent),
        next_before: Schema.NullOr(Schema.String),
        next_after: Schema.String
      })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "The tenant's newest events, or those before a position",
        description:
          "For owners and admins. Events come in the log's order, the newest last. `limit` defaults to 50. To go back, send `next_before` as `before`; to go forward, send the first answer's `next_after` as `after` to `/api/events` or to the stream. `as_of` begins at a position or a time, with what was recorded there."
      })
    ),
    HttpApiEndpoint.get("event", "/api/event/:position", {
      params: { position: toldPlace },
      success: AuditedEvent
    }).annotateMerge(
      OpenApi.annotations({
        summary: "One event, what became of its text, and whether it is unchanged",
        description:
          "For owners and admins. If the event's text was erased, `erased_by` is the position of the event that erased it; `intact` compares the event with the digest that was kept of it."
      })
    ),
    HttpApiEndpoint.get("eventStream", "/api/events/stream", {
      query: Schema.Struct(filters),
      headers: Schema.Struct({ "last-event-id": Schema.optional(Schema.String) }),
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/event-stream" })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "The same events as they happen, as server-sent events",
        description:
          "For owners and admins. `id` is the event's position, `event` its type, `data` its JSON. To continue, send `Last-Event-ID`, which takes precedence over `after`. The last message has `event: end` and says why: `revoked`, `stopping` or `unavailable`. A comment comes every 15 s when nothing else does."
      })
    )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Events", description: "The log." })) {}
