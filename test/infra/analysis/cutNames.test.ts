import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Job from "#infra/analysis/treeSitter/job.ts"
import * as TreeSitterAnalysis from "#infra/analysis/treeSitter/layer.ts"
import { TookTooLong } from "#ports/JobFaults.ts"
import { SourceAnalysis } from "#ports/SourceAnalysis.ts"
import { Workers } from "#ports/Workers.ts"

/** So many UTF-16 units in characters of two; an odd count begins with one of one. */
const wide = (units: number, character: string) =>
  (units % 2 === 0 ? "" : "a") + character.repeat(Math.floor(units / 2))

// a letter beyond the BMP, which a name may have, and a picture
const letter = "𝒳"
const picture = "😀"

/** What is cut after an even and after an odd count of units. */
const units = [2_000, 2_001]

/** A source in which each text that is kept is too long to be kept whole. */
const sources: { readonly [path: string]: (units: number) => string } = {
  "a.py": (units) => {
    const said = wide(units, picture)
    const model = `class Model(BaseModel):\n    size: int = Field(1, description="${said}")\n`
    const words = `    """Counts.\n\n    Args:\n        model: ${said}\n    """\n`
    return `${model}\n\ndef ${wide(units, letter)}(model: Model):\n${words}    return "${said}"\n`
  },
  "a.ts": (units) => `export const ${wide(units, letter)} = (a = "${wide(units, picture)}") => a\n`,
  "a.js": (units) => `/** @param a ${" ".repeat(900)}${wide(units, picture)} */\nfunction f(a) { return a }\n`,
  // blanks up to the last place that is looked at
  "a.txt": (units) => `#${" ".repeat(8_000 + units - 2)}${picture} it\n`
}

/** Texts in a value that have half a character. */
const halvesIn = (value: unknown): ReadonlyArray<string> =>
  JSON.stringify(value).match(/"[^"]*(?<!\\)\\ud[89a-f][0-9a-f]{2}[^"]*"/g) ?? []

describe("what is kept of a source", () => {
  it.effect("has no half of a character where it is cut", () =>
    Effect.gen(function* () {
      for (const [path, source] of Object.entries(sources))
        for (const count of units) {
          const found = yield* Effect.promise(() => Job.analyse(path, source(count)))
          assert.deepStrictEqual(halvesIn(found), [], `${path} ${count}`)
        }
      const [source] = [sources["a.py"]!(2_000)]
      const { entrypoint, functions } = yield* Effect.promise(() => Job.analyse("a.py", source))
      assert.deepStrictEqual([entrypoint, functions[0]!.name.slice(0, 4)], [letter.repeat(150), letter.repeat(2)])
    })
  )

  it.effect("nor has what a path says of it, whatever reads it", () =>
    Effect.gen(function* () {
      for (const count of units) {
        const path = `${wide(count, picture)}.py`
        for (const found of [
          yield* Effect.promise(() => Job.analyse(path, "1 + 1\n")),
          yield* Effect.promise(async () => Job.analyseAsText(path, "1 + 1\n")),
          yield* Effect.flatMap(SourceAnalysis, ({ analyse }) => analyse(path, "1 + 1\n"))
        ]) {
          assert.isAtLeast(found.name.length, 299)
          assert.deepStrictEqual(halvesIn(found), [], `${count}`)
        }
      }
    }).pipe(
      Effect.provide(
        Layer.provide(
          TreeSitterAnalysis.layer,
          Layer.mock(Workers, { run: (job) => Effect.fail(new TookTooLong({ job, reason: "time" })) })
        )
      )
    )
  )
})
