import { Cause, Context, Effect, Layer, Redacted } from "effect"
import { HttpEffect, HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Authentication, Caller, Problems, Rate, Scoping } from "#src/api/middleware.ts"
import { Problem, statusOf } from "#src/api/Problem.ts"
import type { Call } from "#src/mcp/Operations.ts"
import { rated } from "#src/mcp/rated.ts"
import * as Server from "#src/mcp/server.ts"
import { makeSessions } from "#src/mcp/sessions.ts"
import { chat } from "./Chat.ts"
import { bodyText } from "./middleware/body.ts"
import { once } from "./middleware/idempotency.ts"
import { explained, respond } from "./middleware/problems.ts"
import { taskPatterns } from "./Patterns.ts"
import { search, storeFiles, vote } from "./Snippets.ts"
import { skill } from "./System.ts"
import { fileIn } from "./Workspaces.ts"

const path = "/mcp"
const sessionHeader = "mcp-session-id"

/** What the server answers with an empty body, in our words. */
const refusals = [
  new Problem({
    code: "validation/invalid_body",
    message: "Only sessions of the protocol version 2025-03-26 take several messages at once. Send them one by one."
  }),
  new Problem({
    code: "permission/foreign_origin",
    message: "MCP is not for pages in a browser: the request has the header Origin. Connect from outside of one."
  }),
  new Problem({
    code: "not_found/session",
    message:
      "This key has no such MCP session: it may have ended after an hour without a request. Send initialize again."
  }),
  new Problem({
    code: "header/not_acceptable",
    message: "An MCP client takes both kinds of answers. Send Accept: application/json, text/event-stream."
  })
]
const noSession = refusals.find(({ code }) => code === "not_found/session")!

const tooManyMessages = new Problem({
  code: "validation/invalid_body",
  message: "More than 50 messages came at once. Send fewer."
})
const greetingTooLarge = new Problem({
  code: "validation/invalid_body",
  message: "An initialize message takes at most 65,536 characters. Send less about the client."
})

const methods = "POST, DELETE"
const notAllowed = HttpServerResponse.setHeader(
  respond(
    new Problem({
      code: "method/not_allowed",
      message: "/mcp takes the messages of MCP as POST, and DELETE for a session."
    })
  ),
  "allow",
  methods
)

/** A function of the routes as an operation: it has what it needs, and fails with problems only. */
const operation = <P, A, E, R>(run: (given: P) => Effect.Effect<A, E, R>) =>
  Effect.map(
    Effect.context<Exclude<R, Call>>(),
    (services) => (given: P) =>
      run(given).pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause as Cause.Cause<never>)
            : Effect.flatMap(explained(cause), Effect.fail)
        ),
        // what the request brings goes before what was there when the service started
        Effect.updateContext((request: Context.Context<Call>) => Context.merge(services, request) as Context.Context<R>)
      ) as Effect.Effect<A, Problem, Call>
  )

/** A message's id tells answers apart, no more; that a write is the same again shows by its arguments, as over REST. */
const writing = <P, A, E, R>(tool: string, run: (given: P) => Effect.Effect<A, E, R>) =>
  operation((given: P) => once({ route: `MCP ${tool}`, body: JSON.stringify(given), key: undefined }, run(given)))

const operations = Effect.all({
  search: operation(search),
  upload: writing("upload", storeFiles),
  vote: writing("vote", vote),
  patterns: operation(taskPatterns),
  chat: writing("chat", chat),
  file: operation(({ workspace, path }: { readonly workspace: string; readonly path: string }) =>
    fileIn(workspace, path)
  ),
  skill: Effect.succeed(skill)
})

type Handler = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>

/** A router that keeps what is added to it, for a route of ours to call once it knows who is there. */
const keeping = (router: HttpRouter.HttpRouter, handlers: Map<string, Handler>) =>
  HttpRouter.HttpRouter.of({
    ...router,
    add: ((method: string, _: string, handler: Handler) => Effect.sync(() => handlers.set(method, handler))) as never
  })

interface Message {
  readonly id?: unknown
  readonly method?: unknown
}

/** Messages of a body; `undefined`: it is no JSON. */
const messagesIn = (text: string): ReadonlyArray<Message> | undefined => {
  try {
    const body: unknown = JSON.parse(text)
    return (Array.isArray(body) ? body : [body]).map((message) => (message ?? {}) as Message)
  } catch {
    return undefined
  }
}

/** Tools are counted by themselves, each in its class; what is no request costs nothing. */
const countOf = (messages: ReadonlyArray<Message> | undefined): number =>
  messages === undefined ? 1 : messages.filter(({ id, method }) => id !== undefined && method !== "tools/call").length

/** An empty refusal of the server's becomes the one error body; this is the last to see the answer. */
const spoken = HttpEffect.appendPreResponseHandler((_, response) => {
  const problem = refusals.find(({ code }) => statusOf[code] === response.status)
  return Effect.succeed(
    problem === undefined || response.body._tag !== "Empty"
      ? response
      : respond(problem, response.headers["x-request-id"])
  )
})

const routes = Effect.gen(function* () {
  const authentication = yield* Authentication
  const problems = yield* Problems
  const scoping = yield* Scoping
  const rate = yield* Rate
  const handlers = new Map<string, Handler>()
  const router = yield* HttpRouter.HttpRouter
  const bodyLimit = yield* HttpIncomingMessage.MaxBodySize
  const server = Server.layer(yield* operations).pipe(
    Layer.provide(Layer.succeed(HttpRouter.HttpRouter, keeping(router, handlers)))
  )

  const ending = (id: string) => {
    const headers = { [sessionHeader]: id }
    const request = HttpServerRequest.fromWeb(new Request(`http://cairn${path}`, { method: "DELETE", headers }))
    return Effect.provideService(handlers.get("DELETE")!(request), HttpServerRequest.HttpServerRequest, request)
  }
  const sessions = makeSessions((id) => Effect.asVoid(ending(id)))

  const posted = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { key } = yield* Caller
    const text = yield* bodyText
    const messages = messagesIn(text)
    if ((messages?.length ?? 0) > 50) return yield* tooManyMessages
    const greets = messages?.some(({ method }) => method === "initialize") === true
    if (greets && text.length > 65_536) return yield* greetingTooLarge
    for (let count = countOf(messages); count > 0; count--) yield* rated(path)
    const answer = handlers.get("POST")!(request)
    const session = request.headers[sessionHeader]
    if (session !== undefined) {
      if (!(yield* sessions.has(key, session))) return yield* noSession
      return yield* sessions.using(session, answer)
    }
    const response = yield* answer
    if (greets) {
      yield* HttpEffect.appendPreResponseHandler((_, response) => {
        const begun = response.headers[sessionHeader]
        return Effect.as(begun === undefined ? Effect.void : sessions.opened(key, begun), response)
      })
    }
    return response
  })

  const deleted = Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const session = headers[sessionHeader]
    const { key } = yield* Caller
    if (session === undefined || !(yield* sessions.has(key, session))) return yield* noSession
    yield* sessions.close(session)
    return HttpServerResponse.empty()
  })

  const handle = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (request.method !== "POST" && request.method !== "DELETE") return notAllowed
    const [, credential = ""] = /^bearer +(\S+)$/i.exec(request.headers["authorization"] ?? "") ?? []
    const options = { endpoint: { path, method: request.method } as never, group: undefined as never }
    const answer = request.method === "POST" ? posted : deleted
    const scoped = scoping(answer as never, options)
    const known = authentication.bearer(scoped as never, { ...options, credential: Redacted.make(credential) })
    const response = yield* problems(known as never, options)
    yield* spoken
    return response
  }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, bodyLimit), Effect.provideService(Rate, rate))
  return Layer.mergeAll(server, HttpRouter.add("*", path, handle as never))
})

/** The Model Context Protocol, for whoever has a key. */
export const layer = Layer.unwrap(routes)
