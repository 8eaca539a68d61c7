import { Stream } from "effect"
import { HttpServerResponse } from "effect/http"

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
