import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { Problem } from "#src/api/Problem.ts"

const notUtf8 = new Problem({
  code: "validation/invalid_json",
  message: "The body is not valid UTF-8. Send one JSON object, as UTF-8."
})

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The request's body. Without this, bytes that are no UTF-8 would become other characters, and nobody would be told. */
export const bodyText = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const bytes = yield* Effect.orDie(request.arrayBuffer)
  return yield* Effect.try({ try: () => utf8.decode(bytes), catch: () => notUtf8 })
})
