import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { receive } from "#src/http/middleware/body/receive.ts"

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
