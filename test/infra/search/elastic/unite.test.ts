import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Engine } from "#infra/search/elastic/Engine.ts"
import { makeUnite } from "#infra/search/elastic/unite.ts"
import { IndexUnavailable } from "#ports/SnippetIndex.ts"

/** An Elasticsearch with so many documents, and what it was asked to merge. */
const having = (count: number) => {
  const merges: Array<string> = []
  const at = { isAway: false }
  const engine = {
    ask: ({ path, query }) =>
      Effect.suspend((): Effect.Effect<never, IndexUnavailable> => {
        if (at.isAway) return Effect.fail(new IndexUnavailable({ fault: "away" }))
        if (path.endsWith("/_forcemerge")) merges.push(`${path} ${query!["max_num_segments"]}`)
        return Effect.succeed({ status: 200, body: { _all: { primaries: { docs: { count } } } } } as never)
      })
  } as Engine
  return { engine, merges, at }
}

const merged = "/snippets-v*/_forcemerge 1"

describe("an index that has been filled", () => {
  it.effect("becomes one segment when nothing more is written for a while, once", () =>
    Effect.gen(function* () {
      const { engine, merges } = having(20_000)
      const wrote = yield* makeUnite(engine, "snippets")
      for (let page = 0; page < 4; page++) {
        wrote(500)
        yield* TestClock.adjust("4 seconds")
      }
      assert.deepStrictEqual(merges, [])
      yield* TestClock.adjust("6 seconds")
      assert.deepStrictEqual(merges, [merged])
      wrote(500)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(merges, [merged])
    })
  )

  it.effect("does not for few documents, nor for a small share of all", () =>
    Effect.gen(function* () {
      for (const [count, before, last] of [
        [100, 1_999, 1],
        [100_000, 9_999, 1]
      ] as const) {
        const { engine, merges } = having(count)
        const wrote = yield* makeUnite(engine, "snippets")
        wrote(before)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(merges, [])
        wrote(last)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(merges, [merged])
      }
    })
  )

  it.effect("is tried again with the next write where Elasticsearch was away", () =>
    Effect.gen(function* () {
      const { engine, merges, at } = having(100)
      const wrote = yield* makeUnite(engine, "snippets")
      at.isAway = true
      wrote(5_000)
      yield* TestClock.adjust("1 minute")
      at.isAway = false
      wrote(1)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(merges, [merged])
    })
  )
})
