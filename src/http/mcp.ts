import { Effect, Layer, Redacted } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { oneFile } from "#src/api/limits.ts"
import { Authentication, Caller, Problems, Received, RequestRates, Scoping } from "#src/api/middleware.ts"
import { Closing } from "#src/closing.ts"
import { Parts } from "#src/mcp/Parts.ts"
import * as Server from "#src/mcp/server.ts"
import { makeSessions } from "#src/mcp/sessions.ts"
import { Answers } from "./answers.ts"
import { countOf, faultIn, messagesIn } from "./mcp/messages.ts"
import { operations } from "./mcp/operations.ts"
import { makeParts } from "./mcp/parts.ts"
import { shortened } from "./mcp/received.ts"
import { malformed, noSession, notAllowed, spoken, tooLarge, tooManyMessages } from "./mcp/refusals.ts"
import { patiently } from "./mcp/stream.ts"
import { havingRead, Rooms, withBody } from "./middleware/body.ts"

const path = "/mcp"
const sessionHeader = "mcp-session-id"

type Handler = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>

/** A router that keeps what is added to it, for a route of ours to call once it knows who is there. */
const keeping = (router: HttpRouter.HttpRouter, handlers: Map<string, Handler>) =>
  HttpRouter.HttpRouter.of({
    ...router,
    add: ((method: string, _: string, handler: Handler) => Effect.sync(() => handlers.set(method, handler))) as never
  })

const routes = Effect.gen(function* () {
  const authentication = yield* Authentication
  const problems = yield* Problems
  const scoping = yield* Scoping
  const rates = yield* RequestRates
  const closing = yield* Closing
  const answers = yield* Answers
  const handlers = new Map<string, Handler>()
  const router = yield* HttpRouter.HttpRouter
  const rooms = yield* Rooms
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
    const holder = yield* Caller
    const { key } = holder
    const { value } = yield* Received
    const messages = messagesIn(value)
    if (messages.length > 50) return yield* tooManyMessages
    const fault = faultIn(value)
    if (fault !== undefined) return yield* malformed(fault)
    const greets = messages.some(({ method }) => method === "initialize")
    const short = shortened(value)
    if (short.isTooLarge) return yield* tooLarge
    for (let count = countOf(messages); count > 0; count--) yield* rates.count(path)
    const services = yield* Effect.context<HttpServerRequest.HttpServerRequest | Caller>()
    yield* answers.count(0)
    const parts = makeParts((bytes) => Effect.provideContext(answers.count(bytes), services), short.given)
    const asked = havingRead(request, short.text())
    const answer = handlers.get("POST")!(asked).pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, asked),
      Effect.provideService(Parts, parts.service)
    )
    const session = request.headers[sessionHeader]
    if (session !== undefined) {
      if (!(yield* sessions.has(key, session))) return yield* noSession
      return parts.written(yield* patiently(messages, sessions.using(session, answer)))
    }
    // the session's id is in the head of the answer, which must not leave before it is there
    const response = yield* greets ? answer : patiently(messages, answer)
    if (greets) {
      yield* HttpEffect.appendPreResponseHandler((_, response) => {
        const begun = response.headers[sessionHeader]
        return Effect.as(begun === undefined ? Effect.void : sessions.opened(holder, begun), response)
      })
    }
    return parts.written(response)
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
    if (request.method !== "POST" && request.method !== "DELETE") return yield* notAllowed
    const [, credential = ""] = /^bearer +(\S+)$/i.exec(request.headers["authorization"] ?? "") ?? []
    const options = { endpoint: { path, method: request.method } as never, group: undefined as never }
    const answer = request.method === "POST" ? withBody(oneFile, posted) : deleted
    const scoped = scoping(answer as never, options)
    const known = authentication.bearer(scoped as never, { ...options, credential: Redacted.make(credential) })
    const response = yield* problems(known as never, options)
    yield* spoken
    return response
  }).pipe(
    Effect.provideService(Rooms, rooms),
    Effect.provideService(RequestRates, rates),
    Effect.provideService(Closing, closing)
  )
  return Layer.mergeAll(server, HttpRouter.add("*", path, handle as never))
})

/** The Model Context Protocol, for whoever has a key. */
export const layer = Layer.unwrap(routes)
