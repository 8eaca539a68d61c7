import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Engine } from "#infra/search/elastic/Engine.ts"
import type { Editions } from "#infra/search/elastic/editions.ts"
import { makeFeed } from "#infra/search/elastic/feed.ts"
import { csv, median, snippet } from "#test/infra/indexed.ts"

it.effect(
  "says how many snippets it wrote, once each, and nothing of those that go: what fills an index is merged",
  () =>
    Effect.gen(function* () {
      const wrote: Array<number> = []
      const at = { position: 0 }
      const engine = {
        ask: ({ lines }) => {
          const operations = (lines ?? "").split("\n").filter((line) => /^\{"(index|delete)":/.test(line))
          return Effect.succeed({
            status: 200,
            body: { items: operations.map(() => ({ index: { status: 200 } })) }
          } as never)
        }
      } as Engine
      const editions = {
        nameOf: (build) => `snippets-b${build}`,
        writeAlias: (name) => `${name}-write`,
        checkpoint: () => Effect.sync(() => ({ position: at.position, refused: [] })),
        promoteWhenDue: () => Effect.void
      } as Partial<Editions> as Editions
      const two = [snippet("t", "a", median), snippet("t", "b", csv)]
      const feed = makeFeed({
        engine,
        editions,
        dimensions: two[0]!.vector!.length,
        erased: () => {},
        wrote: (documents) => wrote.push(documents),
        eventAt: () => Effect.succeed(undefined)
      })
      yield* feed.apply({ put: two, voted: [], removed: [] }, { build: 1, position: 2 })
      at.position = 2
      yield* feed.apply({ put: two, voted: [], removed: [] }, { build: 1, position: 2 })
      yield* feed.apply({ put: [], voted: [], removed: ["t-a"] }, { build: 1, position: 3 })
      assert.deepStrictEqual(wrote, [2])
    })
)
