import { Effect, Layer, PubSub, Redacted, Scheduler, Stream } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Holder } from "#domain/Scope.ts"
import { McpSessions } from "#ports/McpSessions.ts"
import { oneFile } from "#src/api/limits.ts"
import { Authentication, Caller, Problems, Received, RequestRates, Scoping } from "#src/api/middleware.ts"
import { Closing } from "#src/closing.ts"
import { Parts } from "#src/mcp/Parts.ts"
import { Progress } from "#src/mcp/Progress.ts"
import * as Server from "#src/mcp/server.ts"
import { makeSessions } from "#src/mcp/sessions.ts"
import { Answers } from "./answers.ts"
import { cancellationsIn, cancelling, countOf, faultIn, messagesIn } from "./mcp/messages.ts"
import { operations } from "./mcp/operations.ts"
import { makeParts } from "./mcp/parts.ts"
import { shortened } from "./mcp/received.ts"
import { malformed, noSession, notAllowed, spoken, tooLarge, tooManyMessages, unavailable } from "./mcp/refusals.ts"
import { calling, path, replaying, sessionHeader } from "./mcp/replayed.ts"
import { patiently } from "./mcp/stream.ts"
import { makeTaking } from "./mcp/taking.ts"
import { havingRead, Rooms, withBody } from "./middleware/body.ts"
import { answering } from "./middleware/problems.ts"

type Handler = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>

/** A router that keeps the handlers that are added to it, for a route of ours to call once it knows the caller. */
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
  const kept = yield* McpSessions
  const taking = makeTaking(yield* Effect.scope)
  const replay = replaying((request) => handlers.get("POST")!(request), yield* Scheduler.Scheduler)

  /** Closes a session in this process, if it is this key's. */
  const forget = (key: string, session: string) =>
    Effect.flatMap(sessions.has(key, session), (had) => (had ? sessions.close(session) : Effect.void))

  /** This process's id for a key's session. One that was begun in another process is begun here in the same way. */
  const localOf = Effect.fnUntraced(function* (holder: Holder, session: string) {
    const begun = yield* Effect.mapError(kept.use(holder.key, session), () => unavailable)
    if (begun === undefined) {
      yield* forget(holder.key, session)
      return yield* noSession
    }
    if (!(yield* sessions.has(holder.key, session))) {
      yield* replay.begin(session, begun, (local) => sessions.opened(holder, session, local))
    }
    return sessions.local(session) ?? (yield* unavailable)
  })

  // what is cancelled elsewhere may be under way here
  const told = yield* kept.told
  yield* PubSub.take(told).pipe(
    Effect.flatMap(({ isOf, message }) =>
      Effect.forEach(
        sessions.locals(isOf),
        (local) => {
          for (const one of cancellationsIn(messagesIn(JSON.parse(message)))) taking.take(local, one)
          return replay.say(local, message)
        },
        { discard: true }
      )
    ),
    Effect.forever,
    Effect.forkScoped
  )

  /** Runs a request of a session, and tells other processes from time to time that the session is in use. */
  const inUse = <A, E, R>(key: string, session: string, request: Effect.Effect<A, E, R>) => {
    const telling = Effect.andThen(Effect.sleep("10 minutes"), Effect.ignore(kept.use(key, session)))
    return Effect.raceFirst(sessions.using(session, request), Effect.forever(telling))
  }

  const posted = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const holder = yield* Caller
    const { value } = yield* Received
    const messages = messagesIn(value)
    if (messages.length > 50) return yield* tooManyMessages
    const fault = faultIn(value)
    if (fault !== undefined) return yield* malformed(fault)
    const greeting = messages.find(({ method }) => method === "initialize")
    const short = shortened(value)
    if (short.isTooLarge) return yield* tooLarge
    const counts = Array.from({ length: countOf(messages) }, () => rates.count(path))
    yield* Effect.all(counts, { concurrency: "unbounded", discard: true })
    const services = yield* Effect.context<HttpServerRequest.HttpServerRequest | Caller>()
    yield* answers.count(0)
    const parts = makeParts((bytes) => Effect.provideContext(answers.count(bytes), services), short.given)
    const session = request.headers[sessionHeader]
    const local = session === undefined ? undefined : yield* localOf(holder, session)
    if (session !== undefined && local !== undefined) {
      const taken = cancellationsIn(messages)
      // before this process's server hears of it, and forgets the calls
      for (const one of taken) taking.take(local, one)
      yield* Effect.forEach(taken, (one) => kept.tell(session, cancelling(one)), { discard: true })
    }
    const { told, progress } = yield* taking.following(local, messages)
    const asked = havingRead(local === undefined ? request : calling(request, local), short.text())
    const answer = handlers.get("POST")!(asked).pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, asked),
      Effect.provideService(Parts, parts.service),
      Effect.provideService(Progress, progress)
    )
    const news = Stream.fromQueue(told)
    if (session !== undefined) {
      return parts.written(yield* patiently(messages, inUse(holder.key, session, answer), news))
    }
    // the answer's head has the session's id, so it must not leave before the session is begun
    const response = yield* greeting !== undefined ? answer : patiently(messages, answer, news)
    if (greeting !== undefined) {
      yield* HttpEffect.appendPreResponseHandler((_, response) => {
        const begun = response.headers[sessionHeader]
        if (begun === undefined) return Effect.succeed(response)
        // as short as the server got it
        const said = messagesIn(JSON.parse(short.text())).find(({ method }) => method === "initialize")
        const beginning = kept
          .begin(holder, begun, JSON.stringify(said))
          .pipe(Effect.andThen(sessions.opened(holder, begun)))
        return sessions.begun(begun, beginning).pipe(
          Effect.as(response),
          Effect.catch(() => answering(unavailable))
        )
      })
    }
    return parts.written(response)
  })

  const deleted = Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const session = headers[sessionHeader]
    const { key } = yield* Caller
    if (session === undefined) return yield* noSession
    const was = yield* Effect.mapError(kept.end(key, session), () => unavailable)
    yield* forget(key, session)
    if (!was) return yield* noSession
    return HttpServerResponse.empty()
  })

  const handle = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (request.method !== "POST" && request.method !== "DELETE") return yield* notAllowed
    const [, credential = ""] = /^bearer +(\S+)$/i.exec(request.headers["authorization"] ?? "") ?? []
    const endpoint = { path, method: request.method, identifier: "messages" } as never
    const options = { endpoint, group: { identifier: "mcp" } as never }
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

/** The Model Context Protocol, for callers with a key. */
export const layer = Layer.unwrap(routes)
