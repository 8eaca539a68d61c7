import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { makeParts } from "#src/http/mcp/parts.ts"

const long = `${'a"\\\n'.repeat(50_000)}${"😀".repeat(20_001)}`
const bytes = Uint8Array.from({ length: 200_001 }, (_, n) => n % 251)

const streamOf = ({ body }: HttpServerResponse.HttpServerResponse) => {
  assert.strictEqual(body._tag, "Stream")
  return (body as Extract<typeof body, { readonly _tag: "Stream" }>).stream
}
const textOf = (response: HttpServerResponse.HttpServerResponse) =>
  Stream.mkString(Stream.decodeText(streamOf(response)))

/** And what it said to have in hand. */
const made = () => {
  const counted: Array<number> = []
  return { counted, parts: makeParts((bytes) => Effect.sync(() => void counted.push(bytes))) }
}

/** As the protocol's library writes a message, with what stands in it for long parts. */
const messageOf = ({ service }: ReturnType<typeof makeParts>, json: Stream.Stream<string, unknown>) => {
  const blob = Buffer.from(service.bytes(bytes)).toString("base64")
  const short = service.text("short")
  return JSON.stringify({
    text: service.text(long),
    short,
    blob,
    value: service.json({ long }),
    read: service.stream(json)
  })
}
const whole = JSON.stringify({
  text: long,
  short: "short",
  blob: Buffer.from(bytes).toString("base64"),
  value: { long },
  read: [1, 2]
})

describe("a message's long parts", () => {
  it.effect("stand where they would in a message of one piece, and are no part of it before", () =>
    Effect.gen(function* () {
      const { parts, counted } = made()
      const message = messageOf(parts, Stream.make("[1,", "2]"))
      assert.isBelow(message.length, 1_000)
      const response = parts.written(HttpServerResponse.text(message, { contentType: "application/json" }))
      assert.deepStrictEqual(
        [response.headers["content-type"], response.headers["content-length"]],
        ["application/json", undefined]
      )
      assert.deepStrictEqual(counted, [])
      assert.strictEqual(yield* textOf(response), whole)
      // what is read while it is written is in nobody's hand
      assert.lengthOf(counted, 1)
      assert.isAtLeast(counted[0]!, 2 * long.length + bytes.length)
    })
  )

  it.effect("stand in events too, which began before there were any", () =>
    Effect.gen(function* () {
      const { parts } = made()
      const events = Stream.concat(
        Stream.succeed(": under way\n\n"),
        Stream.suspend(() => Stream.succeed(`data: ${messageOf(parts, Stream.make("[1,2]"))}\n\n`))
      )
      const response = HttpServerResponse.stream(Stream.encodeText(events), { contentType: "text/event-stream" })
      const text = yield* textOf(parts.written(response))
      assert.strictEqual(text, `: under way\n\ndata: ${whole}\n\n`)
    })
  )

  it.effect("come in pieces of one size, and are asked for no faster than they are read", () =>
    Effect.gen(function* () {
      let asked = 0
      const { parts } = made()
      const json = Stream.fromArray(Array.from({ length: 1_000 }, () => `"${"r".repeat(10_000)}",`)).pipe(
        Stream.rechunk(1),
        Stream.tap(() => Effect.sync(() => void (asked += 1)))
      )
      const pieces = streamOf(parts.written(HttpServerResponse.text(messageOf(parts, json))))
      const sizes = yield* Stream.runCollect(Stream.map(Stream.take(pieces, 30), ({ length }) => length))
      assert.isBelow(Math.max(...sizes), 4 * 65_536)
      assert.isBelow(asked, 40)
    })
  )

  it.effect("cut the answer where one can't be read", () =>
    Effect.gen(function* () {
      const { parts } = made()
      const message = messageOf(parts, Stream.concat(Stream.succeed("["), Stream.fail("away")))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(textOf(parts.written(HttpServerResponse.text(message))))))
    })
  )

  it("leave a message alone that has none", () => {
    const { parts } = made()
    const response = HttpServerResponse.text(parts.service.text("short"))
    assert.strictEqual(parts.written(response), response)
  })
})
