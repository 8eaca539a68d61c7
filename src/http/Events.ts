import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { SqlClient } from "effect/sql"
import type { Recorded } from "#domain/Event.ts"
import type { DomainEvent } from "#domain/events.ts"
import { AdminKeyRequired } from "#domain/Organization.ts"
import { EventStore, type StoredEvent } from "#ports/EventStore.ts"
import { Api } from "#src/api/Api.ts"
import type { RecordedEvent } from "#src/api/Events.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { fieldProblem, Problem } from "#src/api/Problem.ts"
import { type Asker, Unreadable } from "#src/ask.ts"
import { Closing } from "#src/closing.ts"
import { type Ending, follow, type News } from "#src/follow.ts"
import { decodeAll } from "#src/pages.ts"
import type { Tail } from "#src/tail.ts"
import { deletedIn, withoutDeleted } from "#src/withoutDeleted.ts"
import { withoutSecrets } from "#src/withoutSecrets.ts"
import { problemOf } from "./refusals.ts"

/** Someone of another tenant, who voted or commented on a public snippet. */
const external = "external"

/** Fields that tell who that was. */
const telling = new Set(["voter", "author", "home"])

type Fields = { readonly [field: string]: unknown }

/** Whose log it is, and whether strangers' words may stand in what is shown of it. */
interface Reader {
  readonly tenant: string
  readonly includePublic: boolean
}

/** Words without the agent that said them. */
const unnamed = (words: Fields | null): Fields | null =>
  words === null || words["agent"] == null ? words : { ...words, agent: external }

const veiled = (data: Fields, words: boolean): Fields =>
  Object.fromEntries(
    Object.entries(data).map(([field, value]) => {
      const hidden = telling.has(field) || (field === "text" && value !== null && !words)
      if (field === "text" && !hidden) return [field, unnamed(value as Fields | null)]
      return [field, hidden ? external : value]
    })
  )

const shown = (
  { tenant, includePublic }: Reader,
  stored: Recorded<DomainEvent>,
  deleted: ReadonlySet<string>
): RecordedEvent => {
  const data = withoutSecrets(withoutDeleted(stored.event, deleted))
  const { key, user, organization } = stored.actor
  const own = key === null || (organization ?? user) === tenant
  return {
    position: String(stored.position),
    stream: stored.stream,
    revision: stored.revision,
    event_id: stored.eventId,
    type: stored.type,
    schema_version: stored.schemaVersion,
    data: own ? data : veiled(data, includePublic),
    actor: own
      ? { key_id: key, user_id: user, organization_id: organization }
      : { key_id: external, user_id: external, organization_id: external },
    command_id: stored.commandId,
    correlation_id: stored.correlationId,
    causation_id: stored.causationId,
    recorded_at: new Date(stored.recordedAt).toISOString()
  }
}

const allShown = Effect.fnUntraced(function* (reader: Reader, stored: ReadonlyArray<StoredEvent>) {
  const recorded = yield* decodeAll(stored)
  const deleted = yield* deletedIn(recorded.map(({ event }) => event))
  return recorded.map((one) => shown(reader, one, deleted))
})

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
const message = Effect.fnUntraced(function* (reader: Reader, news: News) {
  switch (news._tag) {
    case "Events":
      return (yield* Effect.orDie(allShown(reader, news.events)))
        .map((event) => `id: ${event.position}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join("")
    case "Silence":
      return ": nothing new\n\n"
    case "End":
      return `event: end\ndata: ${JSON.stringify({ reason: news.why, message: said[news.why] })}\n\n`
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
        const { tenant } = yield* auditor
        const { includePublic } = yield* CallerScope
        const store = yield* EventStore
        const { after = "0", limit = 100 } = query
        const { events: stored } = yield* store
          .readAll(Number(after), { ...filtersOf(tenant, query), limit })
          .pipe(Effect.mapError(() => problemOf(new Unreadable())))
        const reader = { tenant, includePublic }
        const events = yield* Effect.mapError(allShown(reader, stored), () => problemOf(new Unreadable()))
        return { events, next_after: events.at(-1)?.position ?? after }
      })
    )
    .handle("eventStream", ({ query, headers }) =>
      Effect.gen(function* () {
        const { key, tenant } = yield* auditor
        const { includePublic } = yield* CallerScope
        const request = yield* HttpServerRequest.HttpServerRequest
        const last = headers["last-event-id"] || (query.after ?? "0")
        if (!/^\d{1,15}$/.test(last)) return yield* badLastEventId
        yield* takePlace(open, key, request)
        const services = yield* Effect.context<EventStore | Tail | Closing | Asker | SqlClient.SqlClient>()
        const news = Stream.unwrap(
          Effect.as(cutWhenStopping(request), follow(key, Number(last), filtersOf(tenant, query)))
        )
        const body = Stream.make("retry: 1000\n\n").pipe(
          Stream.concat(Stream.mapEffect(news, (news) => message({ tenant, includePublic }, news))),
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
