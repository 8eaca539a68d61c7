import { readFileSync, writeFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer } from "#infra/search/memory/layer.ts"
import { embeddings } from "#test/embeddings.ts"
import { corpus, queryOf, snippetOf } from "#test/evaluation.ts"
import { searching } from "#test/searching.ts"

const file = new URL("golden/ranking.json", import.meta.url)

const tasks = [
  "remove duplicates from a list",
  "Our scraper gets batches of ten thousand urls; split them into chunks of a hundred",
  "convert celsius to fahrenheit",
  "What is the capital of Mongolia",
  "zzzzzzqqq",
  "重複を取り除く list",
  `${"The customer would like it by Friday, and their budget is small, as ever. ".repeat(3)}Work out how many days lie between two dates.`
]

// on both runtimes: floats are written so that each reads back as itself
it.effect("gives these matches and scores, to the last bit (CAIRN_GOLDEN=write keeps new ones)", () =>
  Effect.gen(function* () {
    const index = yield* searching
    yield* index.put(
      corpus("agent30").map((document, at) => ({
        ...snippetOf(document),
        up: at % 3,
        down: at % 4,
        completeness: (at % 5) / 4
      }))
    )
    const found = yield* Effect.forEach(tasks, (task) =>
      Effect.gen(function* () {
        const asked = { ...queryOf(task), limit: 4, minVerdict: 0 }
        const { matches, total } = yield* index.search(asked)
        const complete = (yield* index.search({ ...asked, preferComplete: true })).matches.map(({ id, score }) => ({
          id,
          score
        }))
        return { task, total, matches, complete }
      })
    )
    if (process.env["CAIRN_GOLDEN"] === "write") writeFileSync(file, `${JSON.stringify(found, undefined, 2)}\n`)
    assert.deepStrictEqual(found, JSON.parse(readFileSync(file, "utf8")))
  }).pipe(Effect.provide(Layer.provideMerge(layer, embeddings)))
)
