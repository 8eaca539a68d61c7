import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { Caller } from "#src/api/middleware.ts"
import { packetLine } from "#src/http/git/pushed.ts"
import { received } from "#src/http/git/receive.ts"

/** Begins to take a push whose sender sends this, and then stands still. */
const halfSent = (text: Uint8Array) =>
  received({ id: "workspace", generation: 0 } as never).pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, {
      headers: {},
      stream: Stream.concat(Stream.make(text), Stream.never)
    } as never),
    Effect.provideService(Caller, { key: "key", tenant: "tenant" } as never),
    Effect.scoped,
    Effect.forkChild({ startImmediately: true })
  ) as unknown as Effect.Effect<Fiber.Fiber<Uint8Array, { readonly code: string }>>

/** Until what was sent is read: promises' turns, no time. */
const turns = Effect.repeat(
  Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
  { times: 20 }
)

it.effect("a push whose lines do not come is given up after a minute", () =>
  Effect.gen(function* () {
    const pushing = yield* halfSent(packetLine("half").subarray(0, 6))
    yield* turns
    yield* TestClock.adjust("59 seconds")
    assert.isUndefined(pushing.pollUnsafe())
    yield* TestClock.adjust("1 second")
    assert.deepInclude(yield* Effect.flip(Fiber.join(pushing)), { code: "body/too_slow" })
  })
)

it.effect("a push that is refused is answered after ten minutes, also when its sender never sends the rest", () =>
  Effect.gen(function* () {
    const sha = "1".repeat(40)
    const line = packetLine(`${sha} ${sha} refs/heads/other\0report-status`)
    const pushing = yield* halfSent(Buffer.concat([line, Buffer.from("0000PACK")]))
    yield* turns
    yield* TestClock.adjust("9 minutes")
    assert.isUndefined(pushing.pollUnsafe())
    yield* TestClock.adjust("1 minute")
    const exit = pushing.pollUnsafe()
    assert.isTrue(exit !== undefined && Exit.isSuccess(exit))
    assert.include(Buffer.from(yield* Fiber.join(pushing)).toString(), "ng refs/heads/other only refs/heads/main can")
  })
)
