import { EventEmitter } from "node:events"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { eventStreamPlaces } from "#src/http/eventStreams.ts"

/** A request whose client has left, or is there. */
const requestOf = (destroyed: boolean) => {
  const response = Object.assign(new EventEmitter(), { destroyed })
  return { response, request: { response } as never as HttpServerRequest.HttpServerRequest }
}

it.effect("a client that has left before it gets a place takes none, and one that leaves gives its own back", () =>
  Effect.gen(function* () {
    const { take } = eventStreamPlaces(1)
    for (let n = 0; n < 3; n++) yield* take("key", requestOf(true).request)
    const { response, request } = requestOf(false)
    yield* take("key", request)
    assert.strictEqual((yield* Effect.flip(take("key", requestOf(false).request))).code, "rate_limit/exceeded")
    yield* take("another", requestOf(false).request)
    response.emit("close")
    yield* take("key", requestOf(false).request)
  })
)
