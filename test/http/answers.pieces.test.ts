import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Stream } from "effect"
import type { HttpServerResponse } from "effect/http"
import { inPieces, values } from "#src/http/pieces.ts"

const textOf = ({ body }: HttpServerResponse.HttpServerResponse) => {
  if (body._tag === "Uint8Array") return Effect.succeed(new TextDecoder().decode(body.body))
  assert.strictEqual(body._tag, "Stream")
  return Stream.mkString(Stream.decodeText((body as Extract<typeof body, { readonly _tag: "Stream" }>).stream))
}

const long = `${'a"\\\n'.repeat(10_000)}${"😀".repeat(20_001)}\ud800`

describe("an answer in pieces", () => {
  it.effect("is the object of its fields", () =>
    Effect.gen(function* () {
      const nested = (n: number) => ({ ...values({ n }), rows: { rows: Stream.fromArray([[{ n }], [], [{ n: -n }]]) } })
      const response = yield* inPieces({
        ...values({ long, nothing: undefined }),
        none: { rows: Stream.empty },
        objects: { objects: Stream.fromArray([nested(1), nested(2)]) },
        nobody: { objects: Stream.empty }
      })
      const rows = (n: number) => ({ n, rows: [{ n }, { n: -n }] })
      assert.deepStrictEqual(JSON.parse(yield* textOf(response)), {
        long: JSON.parse(JSON.stringify(long)),
        nothing: null,
        none: [],
        objects: [rows(1), rows(2)],
        nobody: []
      })
    }).pipe(Effect.scoped)
  )

  it.effect("asks for no more than is read", () =>
    Effect.gen(function* () {
      let asked = 0
      const rows = Stream.fromArray(Array.from({ length: 1_000 }, () => ["r".repeat(10_000)])).pipe(
        Stream.rechunk(1),
        Stream.tap(() => Effect.sync(() => void (asked += 1)))
      )
      const { body } = yield* inPieces({ rows: { rows } })
      assert.isBelow(asked, 10)
      const { stream } = body as Extract<typeof body, { readonly _tag: "Stream" }>
      yield* Stream.runDrain(Stream.take(stream, 3))
      assert.isBelow(asked, 40)
    }).pipe(Effect.scoped)
  )

  it.effect("fails as any answer does where it fails before its first piece, and breaks off later", () =>
    Effect.gen(function* () {
      const early = { rows: Stream.concat(Stream.succeed(["short"]), Stream.fail("away")) }
      assert.deepStrictEqual(yield* Effect.flip(inPieces({ early })), "away")
      const late = { rows: Stream.concat(Stream.succeed(["l".repeat(100_000)]), Stream.fail("away")) }
      const exit = yield* Effect.exit(textOf(yield* inPieces({ late })))
      assert.isTrue(Exit.isFailure(exit))
    }).pipe(Effect.scoped)
  )
})
