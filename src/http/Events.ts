import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { SqlClient } from "effect/sql"
import { toldPosition } from "#domain/toldPosition.ts"
import type { Asker } from "#engine/ask.ts"
import type { Codec } from "#engine/codec.ts"
import { jsonPieces } from "#engine/jsonPieces.ts"
import type { EventStore } from "#engine/ports/EventStore.ts"
import type { Tail } from "#engine/tail.ts"
import type { Installation } from "#ports/Installation.ts"
import { Api } from "#src/api/Api.ts"
import type { RecordedEvent } from "#src/api/Events.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { fieldProblem, Problem } from "#src/api/Problem.ts"
import { type Ending, follow, type News } from "#src/audit/follow.ts"
import { Closing } from "#src/closing.ts"
import { positionWriter, readTold } from "#src/positions.ts"
import type { Answers } from "./answers.ts"
import { portions, roomyInTurn } from "./Events/portions.ts"
import { allShown, type Reader } from "./Events/shown.ts"
import { inPieces, streamInTurns } from "./pieces.ts"

interface Filters {
  readonly type?: string | undefined
  readonly stream?: string | undefined
}

/** The tenant's events only. */
const filtersOf = (tenant: string, { type, stream }: Filters) => ({
  tenant,
  ...(type === undefined ? {} : { types: [type] }),
  ...(stream === undefined ? {} : { stream })
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

/** Where a reader goes on; one that was told by another log is refused. */
const placeIn = (field: string, text: string) =>
  Effect.mapError(readTold(text), ({ message }) =>
    fieldProblem("validation/invalid_field", field, `${field} ${message}`)
  )

const messages = function* (events: ReadonlyArray<RecordedEvent>) {
  for (const event of events) {
    yield `id: ${event.position}\nevent: ${event.type}\ndata: `
    yield* jsonPieces(event)
    yield "\n\n"
  }
}

/** As the HTML standard has it; JSON has no line breaks. */
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

/** Milliseconds that a client has to take what was written, once the service has been told to stop. */
const lastWords = 1_000

/** Streams of one key at a time: each holds a connection, and has the log looked at. */
const streamsAtOnce = 16

const tooMany = new Problem({
  code: "rate_limit/exceeded",
  message: `This key has ${streamsAtOnce} open event streams. Close one, or read what it gives from one of them.`,
  retryAfter: 1
})

/** Takes one of a key's places until its connection has ended. */
const takePlace = Effect.fnUntraced(function* (
  open: Map<string, number>,
  key: string,
  request: HttpServerRequest.HttpServerRequest
) {
  const taken = open.get(key) ?? 0
  if (taken >= streamsAtOnce) return yield* tooMany
  open.set(key, taken + 1)
  NodeHttpServerRequest.toServerResponse(request).once("close", () => {
    const left = (open.get(key) ?? 1) - 1
    if (left === 0) open.delete(key)
    else open.set(key, left)
  })
})

/** A client that takes nothing would keep the service from stopping. */
const cutWhenStopping = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.gen(function* () {
    yield* (yield* Closing).await
    yield* Effect.sleep(lastWords)
    NodeHttpServerRequest.toServerResponse(request).destroy()
  }).pipe(Effect.forkScoped)

export const layer = HttpApiBuilder.group(Api, "events", (handlers) => {
  const open = new Map<string, number>()
  return handlers
    .handle("events", ({ query }) =>
      Effect.gen(function* () {
        const { tenant } = yield* Caller
        const { includePublic } = yield* CallerScope
        const { after = "0", limit = 100 } = query
        const from = yield* placeIn("after", after)
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
    .handle("eventStream", ({ query, headers }) =>
      Effect.gen(function* () {
        const { key, tenant } = yield* Caller
        const { includePublic } = yield* CallerScope
        const request = yield* HttpServerRequest.HttpServerRequest
        const given = headers["last-event-id"]
        const last = given || (query.after ?? "0")
        if (!toldPosition.test(last)) return yield* badLastEventId
        const from = yield* placeIn(given ? "Last-Event-ID" : "after", last)
        yield* takePlace(open, key, request)
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
        const body = Stream.make("retry: 1000\n\n").pipe(
          Stream.concat(Stream.flatMap(news, (news) => Stream.unwrap(linesOf({ tenant, includePublic }, news)))),
          Stream.encodeText,
          Stream.provideContext(services)
        )
        return HttpServerResponse.stream(body, {
          contentType: "text/event-stream; charset=utf-8",
          // no cache and no proxy may keep what comes
          headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
        })
      })
    )
})
