import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer } from "#infra/analysis/secretRules/layer.ts"
import { SecretScan } from "#ports/SecretScan.ts"
import { Workers } from "#ports/Workers.ts"

it.effect("a text without secrets is looked through once, another file's and one with a secret each time", () => {
  const looked: Array<string> = []
  const workers = Layer.succeed(Workers, {
    run: (_job: string, [path, text]: readonly [string, string]) =>
      Effect.sync(() => {
        looked.push(`${path}: ${text}`)
        return text === "bad" ? [{ line: 1, kind: "test" }] : []
      })
  } as unknown as Workers["Service"])
  return Effect.gen(function* () {
    const { scan } = yield* SecretScan
    for (const [path, text] of [
      ["a.py", "x"],
      ["a.py", "x"],
      ["b.py", "x"],
      ["a.py", "bad"],
      ["a.py", "bad"]
    ] as const)
      assert.lengthOf(yield* scan(path, text), text === "bad" ? 1 : 0)
    assert.deepStrictEqual(looked, ["a.py: x", "b.py: x", "a.py: bad", "a.py: bad"])
  }).pipe(Effect.provide(Layer.provide(layer, workers)))
})
