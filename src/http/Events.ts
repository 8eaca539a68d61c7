import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { SqlClient } from "effect/sql"
import { AdminKeyRequired } from "#domain/Organization.ts"
import { EventStore, type StoredEvent } from "#ports/EventStore.ts"
import { Api } from "#src/api/Api.ts"
import type { RecordedEvent } from "#src/api/Events.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { type Asker, Unreadable } from "#src/ask.ts"
import { Closing } from "#src/closing.ts"
import * as Codec from "#src/codec.ts"
import { type Ending, follow, type News } from "#src/follow.ts"
import { inTurns } from "#src/pages.ts"
import { withoutSecrets } from "#src/withoutSecrets.ts"
import { problemOf } from "./refusals.ts"

/** Someone of another tenant, who voted or commented on a public snippet. */
const external = "external"

/** Fields that tell who that was. */
const telling = new Set(["voter", "author", "home"])

const veiled = (data: { readonly [field: string]: unknown }) =>
  Object.fromEntries(Object.entries(data).map(([field, value]) => [field, telling.has(field) ? external : value]))

const shown = (tenant: string, stored: StoredEvent): RecordedEvent => {
  const { _tag, ...data } = Codec.decode(stored).event as unknown as {
    readonly _tag: string
    readonly [field: string]: unknown
  }
  const { key, user, organization } = stored.actor
  const own = key === null || (organization ?? user) === tenant
  return {
    position: String(stored.position),
    stream: stored.stream,
    revision: stored.revision,
    event_id: stored.eventId,
    type: stored.type,
    schema_version: stored.schemaVersion,
    data: withoutSecrets(own ? data : veiled(data)),
    actor: own
      ? { key_id: key, user_id: user, organization_id: organization }
      : { key_id: external, user_id: external, organization_id: external },
    command_id: stored.commandId,
    correlation_id: stored.correlationId,
    causation_id: stored.causationId,
    recorded_at: new Date(stored.recordedAt).toISOString()
  }
}

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

/** The caller, who must not be a mere member. */
const auditor = Effect.gen(function* () {
  const holder = yield* Caller
  return holder.role === "member" ? yield* problemOf(new AdminKeyRequired({ role: holder.role })) : holder
})

const badLastEventId = fieldProblem(
  "validation/invalid_field",
  "Last-Event-ID",
  "Last-Event-ID is no position; expected the id of the last event that came."
)

const said: { readonly [E in Ending]: string } = {
  revoked: "The API key was revoked.",
  stopping: "The service is stopping. Connect again, with the Last-Event-ID.",
  unavailable: "The service can't read its store at the moment. Connect again, with the Last-Event-ID."
}

/** As the HTML standard has it; JSON has no line breaks. */
const message = (tenant: string, news: News): string => {
  switch (news._tag) {
    case "Events":
      return news.events
        .map(
          (event) => `id: ${event.position}\nevent: ${event.type}\ndata: ${JSON.stringify(shown(tenant, event))}\n\n`
        )
        .join("")
    case "Silence":
      return ": nothing new\n\n"
    case "End":
      return `event: end\ndata: ${JSON.stringify({ reason: news.why, message: said[news.why] })}\n\n`
  }
}

/** Milliseconds that a client has to take what was written, once the service has been told to stop. */
const lastWords = 1_000

/** A client that takes nothing would keep the service from stopping. */
const cutWhenStopping = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.gen(function* () {
    yield* (yield* Closing).await
    yield* Effect.sleep(lastWords)
    NodeHttpServerRequest.toServerResponse(request).destroy()
  }).pipe(Effect.forkScoped)

export const layer = HttpApiBuilder.group(Api, "events", (handlers) =>
  handlers
    .handle("events", ({ query }) =>
      Effect.gen(function* () {
        const { tenant } = yield* auditor
        const store = yield* EventStore
        const { after = "0", limit = 100 } = query
        const { events: stored } = yield* store
          .readAll(Number(after), { ...filtersOf(tenant, query), limit })
          .pipe(Effect.mapError(() => problemOf(new Unreadable())))
        const events: Array<RecordedEvent> = []
        yield* inTurns(stored, (event) => events.push(shown(tenant, event)))
        return { events, next_after: events.at(-1)?.position ?? after }
      })
    )
    .handle("eventStream", ({ query, headers }) =>
      Effect.gen(function* () {
        const { key, tenant } = yield* auditor
        const request = yield* HttpServerRequest.HttpServerRequest
        const last = headers["last-event-id"] || (query.after ?? "0")
        if (!/^\d{1,15}$/.test(last)) return yield* badLastEventId
        const services = yield* Effect.context<EventStore | Closing | Asker | SqlClient.SqlClient>()
        const news = Stream.unwrap(
          Effect.as(cutWhenStopping(request), follow(key, Number(last), filtersOf(tenant, query)))
        )
        const body = Stream.make("retry: 1000\n\n").pipe(
          Stream.concat(Stream.map(news, (news) => message(tenant, news))),
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
)
