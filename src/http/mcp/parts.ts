import { randomUUID } from "node:crypto"
import { Effect, Stream } from "effect"
import { HttpBody, HttpServerResponse } from "effect/http"
import { hasText, jsonPieces } from "#engine/jsonPieces.ts"
import { Parts } from "#src/mcp/Parts.ts"
import { slight } from "#src/portions.ts"
import { streamInTurns } from "../pieces.ts"

/** A text of this many characters is written separately, as a part. */
const long = 65_536
/** Bytes that become base64 at once: a multiple of three, so that the texts fit together. */
const stretch = 48 * 1024

type Text = Stream.Stream<string, unknown>

const base64Of = function* (bytes: Uint8Array): Generator<string> {
  yield '"'
  for (let at = 0; at < bytes.length; at += stretch)
    yield Buffer.from(bytes.subarray(at, at + stretch)).toString("base64")
  yield '"'
}

/** A message with each part in place of its mark. Marks are random: nobody can know one before. */
const filled = (message: string, parts: ReadonlyMap<string, Text>): Text => {
  const places = [...parts]
    .map(([mark, text]) => ({ mark, text, at: message.indexOf(mark) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at)
  let from = 0
  const texts = places.flatMap(({ mark, text, at }) => {
    const before = message.slice(from, at)
    from = at + mark.length
    return [Stream.succeed(before), text]
  })
  return Stream.flatten(Stream.fromArray([...texts, Stream.succeed(message.slice(from))]))
}

/** About how many characters a value's texts have, at least `long`. */
const sizeOf = (value: unknown): number => {
  let size = long
  while (hasText(value, size)) size *= 2
  return size
}

/**
 * The long parts of messages. `given` restores a call's arguments as they were sent; `count` is told how many bytes of
 * the answer are in memory before they are written.
 */
export const makeParts = (
  count: (bytes: number) => Effect.Effect<void>,
  given: (arguments_: unknown) => unknown = (arguments_) => arguments_
) => {
  const parts = new Map<string, Text>()
  let inHand = 0
  const put = (mark: string, text: Text): void => void parts.set(JSON.stringify(mark), text)
  const mark = (text: Text): string => {
    const name = randomUUID()
    put(name, text)
    return name
  }
  const jsonOf = (value: unknown) => {
    inHand += sizeOf(value)
    return mark(streamInTurns(jsonPieces(value)))
  }
  const counted = Effect.suspend(() => (inHand > slight ? count(inHand) : Effect.void))
  return {
    service: Parts.of({
      given,
      text: (text) => (text.length < long ? text : jsonOf(text)),
      json: (value) => (hasText(value, long) ? jsonOf(value) : value),
      bytes: (bytes) => {
        if (bytes.length < long) return bytes
        inHand += bytes.length
        const name = new TextEncoder().encode(randomUUID())
        put(Buffer.from(name).toString("base64"), streamInTurns(base64Of(bytes)))
        return name
      },
      stream: mark
    }),

    /** The answer with its parts, made as its reader takes it. */
    written: (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
      const { body, headers } = response
      // a stream may still get parts
      if (body._tag !== "Stream" && (body._tag !== "Uint8Array" || parts.size === 0)) return response
      // each message is one chunk, so no mark is cut in two
      const messages = body._tag === "Stream" ? body.stream : Stream.make(body.body)
      const texts = Stream.flatMap(Stream.decodeText(Stream.rechunk(messages, 1)), (text) =>
        Stream.unwrap(Effect.as(counted, filled(text, parts)))
      )
      const type = headers["content-type"] ?? body.contentType
      return HttpServerResponse.setBody(response, HttpBody.stream(Stream.encodeText(texts), type))
    }
  }
}
