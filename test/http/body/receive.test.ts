import { assert, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { unlimited } from "#domain/Key.ts"
import type { Holder } from "#domain/Scope.ts"
import { Caller } from "#src/api/middleware.ts"
import { receive } from "#src/http/middleware/body/receive.ts"
import { Rooms, withBody } from "#src/http/middleware/body.ts"

const mebibyte = 1024 * 1024

/** A request whose sender went away after the first bytes of its body. */
const brokenOff = () => {
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode('{"task":'))
      controller.error(new Error("aborted"))
    }
  })
  return HttpServerRequest.fromWeb(
    new Request("http://cairn/", { method: "POST", body, duplex: "half" } as RequestInit)
  )
}

it.effect("a body that breaks off is its sender's fault, and no defect of the service's", () =>
  Effect.gen(function* () {
    const problem = yield* receive({ bytes: 1_000, values: 100 }).pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, brokenOff()),
      Effect.flip
    )
    assert.strictEqual(problem.code, "validation/malformed_request")
  })
)

/** A body that comes in chunks: nobody knows ahead how long it is. */
const chunked = (text: string) =>
  HttpServerRequest.fromWeb(
    new Request("http://cairn/", { method: "POST", body: text, headers: { "transfer-encoding": "chunked" } })
  )

it.effect("a body holds as much room as it took, once it is read, for as long as its request is handled", () =>
  Effect.gen(function* () {
    const rooms = yield* Rooms
    const held = Effect.sync(() => [rooms.small, rooms.large, rooms.deciding].map((room) => room.held()))
    const text = '{"task":"wait"}'
    const limits = { bytes: mebibyte, values: 100 }
    const during = yield* withBody(limits, held).pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, chunked(text))
    )
    assert.deepStrictEqual(during, [0, text.length, 0])
    assert.deepStrictEqual(yield* held, [0, 0, 0])
  }).pipe(Effect.provide(Layer.fresh(Rooms.layer)))
)

const caller: Holder = {
  operates: false,
  key: "key",
  user: "user",
  tenant: "acme",
  organization: "acme",
  tier: "ENTERPRISE",
  role: "member",
  limits: unlimited,
  email: "max@example.org",
  userId: null,
  secret: "secret"
}

it.effect("a large body holds room for deciding on it while it is handled; a slight one does not, and no raw one", () =>
  Effect.gen(function* () {
    const { deciding } = yield* Rooms
    const held = Effect.sync(deciding.held)
    const during = (text: string, raw: boolean) =>
      withBody({ bytes: 8 * mebibyte, values: 100 }, held, raw).pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, chunked(text)),
        Effect.provideService(Caller, caller)
      )
    const large = JSON.stringify("x".repeat(2 * mebibyte))
    assert.strictEqual(yield* during(large, false), large.length)
    assert.strictEqual(yield* during(JSON.stringify("x".repeat(1_000)), false), 0)
    assert.strictEqual(yield* during(large, true), 0)
    assert.strictEqual(yield* held, 0)
  }).pipe(Effect.provide(Layer.fresh(Rooms.layer)))
)

it.effect("a body that does not end has ten seconds and what half a megabyte a second takes", () =>
  Effect.gen(function* () {
    const { currentTimeMillisUnsafe: now } = yield* Clock.Clock
    let over = 0
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
      cancel: () => {
        over = now()
      }
    })
    const endless = HttpServerRequest.fromWeb(
      new Request("http://cairn/", { method: "POST", body, duplex: "half" } as RequestInit)
    )
    const receiving = yield* receive({ bytes: mebibyte, values: 100 }).pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, endless),
      Effect.flip,
      Effect.forkChild({ startImmediately: true })
    )
    yield* TestClock.adjust("30 days")
    assert.strictEqual((yield* Fiber.join(receiving)).code, "body/too_slow")
    assert.strictEqual(over, 10_000 + mebibyte / 512)
  })
)
