import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { hasText, jsonPieces } from "#domain/jsonPieces.ts"

/** Characters of text from which an answer is written in pieces. */
const long = 65_536

/** Rows of an answer that are written on end. */
const atOnce = 500

/**
 * A JSON object with one long array, written piece by piece: `{"files":[…]}`. The rows must be what the route's schema says,
 * as nothing checks them any more; others get their turn between the pieces.
 */
export const inPieces = (field: string, rows: ReadonlyArray<object>): HttpServerResponse.HttpServerResponse => {
  const encoder = new TextEncoder()
  const pieces = function* () {
    yield `{${JSON.stringify(field)}:[`
    for (let at = 0; at < rows.length; at += atOnce) {
      const text = rows.slice(at, at + atOnce).map((row) => JSON.stringify(row))
      yield `${at === 0 ? "" : ","}${text.join(",")}`
    }
    yield "]}"
  }
  const bytes = async function* () {
    for (const piece of pieces()) {
      yield encoder.encode(piece)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return HttpServerResponse.stream(
    Stream.fromAsyncIterable(bytes(), (error) => error),
    { contentType: "application/json" }
  )
}

/** Texts as they are sent, one after the other; others get their turn in between. */
export const sentInPieces = (pieces: Iterable<string>): HttpServerResponse.HttpServerResponse => {
  const encoder = new TextEncoder()
  const bytes = function* () {
    for (const piece of pieces) yield encoder.encode(piece)
  }
  const stream = Stream.fromIterable(bytes(), { chunkSize: 1 })
  return HttpServerResponse.stream(
    Stream.tap(stream, () => Effect.yieldNow),
    { contentType: "application/json" }
  )
}

/**
 * A value as JSON, in pieces where it is long. `A` is the type of the route's schema, and the fields are in its order: nothing looks at
 * them any more.
 */
export const answeredInPieces = <A extends object = never>(value: NoInfer<A>): HttpServerResponse.HttpServerResponse =>
  hasText(value, long) ? sentInPieces(jsonPieces(value)) : HttpServerResponse.jsonUnsafe(value)
