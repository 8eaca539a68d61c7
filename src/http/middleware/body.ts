import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { WellFormed } from "#src/api/middleware.ts"
import { Problem } from "#src/api/Problem.ts"

const notUtf8 = new Problem({
  code: "validation/invalid_json",
  message: "The body is not valid UTF-8. Send one JSON object, as UTF-8."
})

/** What is nested deeper is no request, and walking it would take the stack of whoever reads it. */
const deepest = 200
const tooDeep = new Problem({
  code: "validation/invalid_body",
  message: `The body is nested deeper than ${deepest} levels. Send flatter objects and arrays.`
})

const utf8 = new TextDecoder("utf-8", { fatal: true })

const [quote, backslash, bracket, brace, closedBracket, closedBrace] = [...'"\\[{]}'].map((one) => one.charCodeAt(0))

/** Whether JSON is nested deeper than a request may be; of what is no JSON it says anything. */
const isDeep = (json: string): boolean => {
  let depth = 0
  let quoted = false
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === quote) quoted = !quoted
    else if (quoted) {
      if (code === backslash) at += 1
    } else if (code === bracket || code === brace) {
      depth += 1
      if (depth > deepest) return true
    } else if (code === closedBracket || code === closedBrace) depth -= 1
  }
  return false
}

/** The request's body. Without this, bytes that are no UTF-8 would become other characters, and nobody would be told. */
export const bodyText = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const bytes = yield* Effect.orDie(request.arrayBuffer)
  const text = yield* Effect.try({ try: () => utf8.decode(bytes), catch: () => notUtf8 })
  return isDeep(text) ? yield* tooDeep : text
})

/** Refuses a body that is not even text, or too deep, before anyone reads it. */
export const layer = Layer.succeed(WellFormed, ((httpEffect, { endpoint }) =>
  endpoint.method === "GET" ? httpEffect : Effect.andThen(bodyText, httpEffect)) as WellFormed["Service"])
