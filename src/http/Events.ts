import { Effect, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { SqlClient } from "effect/sql"
import { toldPosition } from "#domain/toldPosition.ts"
import { type Asker, Unreadable } from "#engine/ask.ts"
import type { Codec } from "#engine/codec.ts"
import { jsonPieces } from "#engine/jsonPieces.ts"
import { beginning, earliest, latest, type Position } from "#engine/Position.ts"
import { EventStore, type StoreUnavailable } from "#engine/ports/EventStore.ts"
import type { Tail } from "#engine/tail.ts"
import type { Installation } from "#ports/Installation.ts"
import { type AuditUnavailable, LogAudit } from "#ports/LogAudit.ts"
import { Api } from "#src/api/Api.ts"
import type { RecordedEvent } from "#src/api/Events.ts"
import { millisecondsOf } from "#src/api/fields.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { type Ending, follow, type News } from "#src/audit/follow.ts"
import { newestStretch } from "#src/audit/newest.ts"
import type { Closing } from "#src/closing.ts"
import { positionWriter } from "#src/positions.ts"
import type { Answers } from "./answers.ts"
import { portions, roomyInTurn } from "./Events/portions.ts"
import { allShown, type Reader } from "./Events/shown.ts"
import { cutWhenStopping, eventStream, eventStreamPlaces } from "./eventStreams.ts"
import { inPieces, streamInTurns } from "./pieces.ts"
import { positionIn } from "./positionIn.ts"
import { problemOf } from "./refusals.ts"

interface Filters {
  readonly type?: string | undefined
  readonly stream?: string | undefined
  readonly actor?: string | undefined
  readonly correlation?: string | undefined
}

/** Filters for events of the tenant only. */
const filtersOf = (tenant: string, { type, stream, actor, correlation }: Filters) => ({
  tenant,
  ...(type === undefined ? {} : { types: [type] }),
  ...(stream === undefined ? {} : { stream }),
  ...(actor === undefined ? {} : { actor: actor.toLowerCase() }),
  ...(correlation === undefined ? {} : { correlation: correlation.toLowerCase() })
})

const badLastEventId = fieldProblem(
  "validation/invalid_field",
  "Last-Event-ID",
  "Last-Event-ID is no position; expected the id of the last event that came."
)

const said: { readonly [E in Ending]: string } = {
  revoked: "The API key was revoked, has expired, or may not do this any more.",
  stopping: "The service is stopping. Connect again, with the Last-Event-ID.",
  unavailable: "The service can't read its store at the moment. Connect again, with the Last-Event-ID."
}

const orUnread = <A, R>(effect: Effect.Effect<A, StoreUnavailable | AuditUnavailable, R>) =>
  Effect.mapError(effect, () => problemOf(new Unreadable()))

/** The position of the first event after a position or a time, of any tenant; `undefined`: there is none. */
const behind = Effect.fnUntraced(function* (asOf: string) {
  const at = toldPosition.test(asOf)
    ? yield* positionIn("as_of", asOf)
    : yield* orUnread((yield* LogAudit).at(millisecondsOf(asOf)))
  const { events } = yield* orUnread((yield* EventStore).readAll(at, { limit: 1, factsOnly: true }))
  return events[0]?.position
})

const noEvent = fieldProblem(
  "not_found/event",
  "position",
  "There is no event of yours at this position. GET /api/events/newest tells those that there are."
)

/** The tenant's event at a position, as the audit sees it, and the position before it. */
const audited = Effect.fnUntraced(function* (tenant: string, at: Position) {
  const store = yield* EventStore
  const [before = beginning] = yield* orUnread(store.newest({ before: at, limit: 1 }))
  const [seen] = yield* orUnread((yield* LogAudit).read(before, 1))
  if (seen === undefined || seen.position !== at || seen.tenant !== tenant) return yield* noEvent
  return { before, seen }
})

const messages = function* (events: ReadonlyArray<RecordedEvent>) {
  for (const event of events) {
    yield `id: ${event.position}\nevent: ${event.type}\ndata: `
    yield* jsonPieces(event)
    yield "\n\n"
  }
}

/** News as server-sent events, as the HTML standard has them. JSON has no line breaks to escape. */
const linesOf = Effect.fnUntraced(function* (reader: Reader, news: News) {
  switch (news._tag) {
    case "Events":
      return streamInTurns(messages(yield* Effect.orDie(allShown(reader, news.events))))
    case "Silence":
      return Stream.succeed(": nothing new\n\n")
    case "End":
      return Stream.succeed(`event: end\ndata: ${JSON.stringify({ reason: news.why, message: said[news.why] })}\n\n`)
  }
})

/** The most streams of one key at a time. */
const streamsAtOnce = 16

export const layer = HttpApiBuilder.group(Api, "events", (handlers) => {
  const places = eventStreamPlaces(streamsAtOnce)
  return handlers
    .handle("events", ({ query }) =>
      Effect.gen(function* () {
        const { tenant } = yield* Caller
        const { includePublic } = yield* CallerScope
        const { after = "0", limit = 100 } = query
        const from = yield* positionIn("after", after)
        const tell = yield* positionWriter
        const { events, last } = portions({ tenant, includePublic }, from, limit, filtersOf(tenant, query))
        const next_after = {
          get value() {
            return tell(last())
          }
        }
        return yield* inPieces({ events: { rows: events }, next_after })
      })
    )
    .handle("newestEvents", ({ query }) =>
      Effect.gen(function* () {
        const { tenant } = yield* Caller
        const { includePublic } = yield* CallerScope
        const { limit = 50 } = query
        const which = filtersOf(tenant, query)
        const given = query.before === undefined ? undefined : yield* positionIn("before", query.before)
        const asked = query.as_of === undefined ? undefined : yield* behind(query.as_of)
        const before = given === undefined ? asked : asked === undefined ? given : earliest(given, asked)
        const tell = yield* positionWriter
        // this answer also tells events recorded between the two reads, so `next_after` must lie behind them
        const head = yield* orUnread((yield* EventStore).head)
        const stretch = yield* orUnread(newestStretch({ ...which, limit, ...(before && { before }) }))
        const { events } = portions({ tenant, includePublic }, stretch.after, stretch.count, which, "all")
        return yield* inPieces({
          events: { rows: events },
          next_before: { value: stretch.before === undefined ? null : tell(stretch.before) },
          next_after: { value: tell(latest(head, stretch.last)) }
        })
      })
    )
    .handle("event", ({ params }) =>
      Effect.gen(function* () {
        const { tenant } = yield* Caller
        const { includePublic } = yield* CallerScope
        const tell = yield* positionWriter
        const { before, seen } = yield* audited(tenant, yield* positionIn("position", params.position))
        const { events } = portions({ tenant, includePublic }, before, 1, { tenant }, "all")
        const { hasText, text, erasedAt, intact } = seen
        const [event] = (yield* Stream.runCollect(events)).flat()
        if (event === undefined) return yield* noEvent
        return {
          event,
          text: hasText ? (text === null ? ("erased" as const) : ("there" as const)) : ("none" as const),
          erased_by: text !== null || erasedAt === null || erasedAt === "unknown" ? null : tell(erasedAt),
          intact
        }
      })
    )
    .handle("eventStream", ({ query, headers }) =>
      Effect.gen(function* () {
        const { key, tenant } = yield* Caller
        const { includePublic } = yield* CallerScope
        const request = yield* HttpServerRequest.HttpServerRequest
        const given = headers["last-event-id"]
        const last = given || (query.after ?? "0")
        if (!toldPosition.test(last)) return yield* badLastEventId
        const from = yield* positionIn(given ? "Last-Event-ID" : "after", last)
        yield* places.take(key, request)
        const services = yield* Effect.context<
          | EventStore
          | Codec
          | Tail
          | Closing
          | Asker
          | SqlClient.SqlClient
          | Answers
          | Installation
          | HttpServerRequest.HttpServerRequest
        >()
        const news = Stream.unwrap(
          Effect.as(
            cutWhenStopping(request),
            follow(key, "events.eventStream", from, filtersOf(tenant, query), roomyInTurn())
          )
        ).pipe(Stream.rechunk(1))
        const lines = Stream.flatMap(news, (news) => Stream.unwrap(linesOf({ tenant, includePublic }, news)))
        return eventStream(Stream.provideContext(lines, services))
      })
    )
})
