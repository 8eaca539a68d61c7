import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Problem } from "#src/api/Problem.ts"
import { Closing } from "#src/closing.ts"

/** Milliseconds that a client has to take what was written, once the service has been told to stop. */
const lastWords = 1_000

/** Bounds each key's open event streams: each holds a connection, and has the log looked at. */
export const eventStreamPlaces = (atOnce: number) => {
  const open = new Map<string, number>()
  const tooMany = new Problem({
    code: "rate_limit/exceeded",
    message: `This key has ${atOnce} open event streams. Close one, or read what it gives from one of them.`,
    retryAfter: 1
  })
  return {
    /** Takes one of a key's places until its connection has ended. */
    take: Effect.fnUntraced(function* (key: string, request: HttpServerRequest.HttpServerRequest) {
      const taken = open.get(key) ?? 0
      if (taken >= atOnce) return yield* tooMany
      const response = NodeHttpServerRequest.toServerResponse(request)
      // the client has left: nobody would give the place back
      if (response.destroyed) return
      open.set(key, taken + 1)
      response.once("close", () => {
        const left = (open.get(key) ?? 1) - 1
        if (left === 0) open.delete(key)
        else open.set(key, left)
      })
    })
  }
}

/** Cuts the connection soon after the service is told to stop: a client that takes nothing would hold it up. */
export const cutWhenStopping = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.gen(function* () {
    yield* (yield* Closing).await
    yield* Effect.sleep(lastWords)
    NodeHttpServerRequest.toServerResponse(request).destroy()
  }).pipe(Effect.forkScoped)

/** Messages as the HTML standard has them. A client that loses the connection comes back after a second. */
export const eventStream = <E>(messages: Stream.Stream<string, E>, headers: { readonly [name: string]: string } = {}) =>
  HttpServerResponse.stream(Stream.encodeText(Stream.concat(Stream.make("retry: 1000\n\n"), messages)), {
    contentType: "text/event-stream; charset=utf-8",
    // no cache may keep it, and no proxy may hold it back
    headers: { "cache-control": "no-store", "x-accel-buffering": "no", ...headers }
  })

/** Whether the caller wants events, and no JSON. One that takes both gets JSON, as before there were events. */
export const wantsEvents = (accept = "") =>
  /(?:^|,)\s*text\/event-stream\s*(?:[;,]|$)/i.test(accept) && !/application\/json/i.test(accept)
