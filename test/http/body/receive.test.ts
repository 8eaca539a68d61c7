import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { receive } from "#src/http/middleware/body/receive.ts"
import { Rooms, withBody } from "#src/http/middleware/body.ts"

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
    const limits = { bytes: 1024 * 1024, values: 100 }
    const during = yield* withBody(limits, held).pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, chunked(text))
    )
    assert.deepStrictEqual(during, [0, text.length, 0])
    assert.deepStrictEqual(yield* held, [0, 0, 0])
  }).pipe(Effect.provide(Layer.fresh(Rooms.layer)))
)
