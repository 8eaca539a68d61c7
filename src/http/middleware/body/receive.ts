import { Effect, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { thousands } from "#domain/text/thousands.ts"
import { JsonFault, JsonReader } from "#engine/json.ts"
import { unstorable } from "#src/api/fields.ts"
import { fieldOf, invalidFields, seeDocs } from "#src/api/invalid.ts"
import { deepest, type Limits, sizeOf } from "#src/api/limits.ts"
import { Problem } from "#src/api/Problem.ts"

const notUtf8 = new Problem({
  code: "validation/invalid_json",
  message: "The body is not valid UTF-8. Send one JSON object, as UTF-8."
})
const notJson = new Problem({
  code: "validation/invalid_json",
  message: "The body is not valid JSON. Send one JSON object, as UTF-8, with Content-Type: application/json."
})
const noText = new Problem({
  code: "validation/invalid_body",
  message: `The body ${unstorable}, in the name of a field or instead of an object. Send one JSON object.`
})
const tooDeep = new Problem({
  code: "validation/invalid_body",
  message: `The body is nested deeper than ${deepest} levels. Send flatter objects and arrays.`
})
const tooMany = ({ values }: Limits) =>
  new Problem({
    code: "validation/invalid_body",
    message: `The body has more than ${thousands(values)} values, which is more than this route takes. Send less at once.`
  })
const tooManyNames = ({ names, values }: Limits) =>
  new Problem({
    code: "validation/invalid_body",
    message: `The body has more than ${thousands(names ?? values)} named fields, which is more than this route takes. Send less at once, or arrays.`
  })
const tooLarge = ({ bytes }: Limits) =>
  new Problem({
    code: "body/too_large",
    message: `The body is larger than ${sizeOf(bytes)}, which is what this route takes. Send less at once: files one by one, or shorter texts.`
  })
const tooSlow = new Problem({
  code: "body/too_slow",
  message:
    "The body came too slowly, and room for it is short. Send the same request again, over a faster connection or in smaller parts."
})

const brokenOff = new Problem({
  code: "validation/malformed_request",
  message: "The body broke off, or its parts are not what HTTP says of them. Send the same request again."
})
const encoded = new Problem({
  code: "body/unsupported_type",
  message: "The body is compressed (Content-Encoding), which this route does not take. Send it as it is."
})

const problemOf = (error: unknown, limits: Limits): Problem => {
  if (!(error instanceof JsonFault)) throw error
  switch (error.fault) {
    case "encoding":
      return notUtf8
    case "syntax":
      return notJson
    case "depth":
      return tooDeep
    case "values":
      return tooMany(limits)
    case "names":
      return tooManyNames(limits)
    case "text":
      if (error.path.length === 0) return noText
      return invalidFields([{ field: fieldOf(error.path), message: unstorable }], seeDocs)
  }
}

/** Bytes that are read in one stretch. */
const stretch = 65_536

/** How long a body may take: 10 s, and another second for each half of a megabyte. */
const millisecondsFor = (bytes: number): number => 10_000 + bytes / 512

/** The size that a body announces, in bytes; a chunked one may have all that its route takes. */
const announced = (headers: { readonly [name: string]: string | undefined }, limits: Limits): number => {
  if (headers["transfer-encoding"] !== undefined) return limits.bytes
  const length = Number(headers["content-length"] ?? 0)
  return Number.isSafeInteger(length) ? length : limits.bytes
}

/** How many bytes of room the request's body takes; fails if they are more than its route takes, or compressed. */
export const sizeAhead = (headers: { readonly [name: string]: string | undefined }, limits: Limits) => {
  const encoding = (headers["content-encoding"] ?? "").slice(0, 100).trim().toLowerCase()
  if (encoding !== "" && encoding !== "identity") return Effect.fail(encoded)
  const bytes = announced(headers, limits)
  return bytes > limits.bytes ? Effect.fail(tooLarge(limits)) : Effect.succeed(bytes)
}

/**
 * Gives `take` a body chunk by chunk, within its time, and answers with its bytes. Fails with a `Problem` at the first
 * byte that is too much.
 */
const eachChunk = Effect.fnUntraced(function* <E>(limits: Limits, take: (chunk: Uint8Array) => Effect.Effect<void, E>) {
  const request = yield* HttpServerRequest.HttpServerRequest
  let bytes = 0
  // no fault of the service: the client went away, or sent no HTTP
  const chunks = Stream.mapError(request.stream, () => brokenOff)
  const bounded = Effect.fnUntraced(function* (chunk: Uint8Array) {
    bytes += chunk.length
    if (bytes > limits.bytes) return yield* tooLarge(limits)
    yield* take(chunk)
  })
  yield* Stream.runForEach(chunks, bounded).pipe(
    Effect.timeoutOrElse({ duration: millisecondsFor(limits.bytes), orElse: () => Effect.fail(tooSlow) })
  )
  return bytes
})

/** Reads a request's body as bytes. Fails as `receive` does. */
export const receiveBytes = Effect.fnUntraced(function* (limits: Limits) {
  const chunks: Array<Uint8Array> = []
  yield* eachChunk(limits, (chunk) => Effect.sync(() => chunks.push(chunk)))
  return new Uint8Array(Buffer.concat(chunks))
})

/**
 * Reads a request's body as it comes, and gives its value (`undefined`: there was none) and how many bytes it had.
 * Fails with a `Problem` at the first byte that is too much.
 */
export const receive = Effect.fnUntraced(function* (limits: Limits) {
  const reader = new JsonReader({ depth: deepest, values: limits.values, names: limits.names ?? limits.values })
  const attempt = <A>(run: () => A) => Effect.try({ try: run, catch: (error) => problemOf(error, limits) })
  const take = Effect.fnUntraced(function* (chunk: Uint8Array) {
    for (let at = 0; at < chunk.length; at += stretch) {
      if (at > 0) yield* Effect.yieldNow
      const part = chunk.subarray(at, at + stretch)
      yield* attempt(() => reader.write(part))
    }
  })
  const bytes = yield* eachChunk(limits, take)
  return { value: yield* attempt(() => reader.end()), bytes }
})
