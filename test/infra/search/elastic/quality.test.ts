import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer as memory } from "#infra/search/memory/layer.ts"
import type { Embeddings } from "#ports/Embeddings.ts"
import type { SnippetIndex } from "#ports/SnippetIndex.ts"
import { newIndex } from "#test/elasticsearch/index.ts"
import { isHere, shared } from "#test/elasticsearch/shared.ts"
import { embeddings } from "#test/embeddings.ts"
import { corpus, qualityOf, queries, queryOf, snippetOf } from "#test/evaluation.ts"
import { isLong } from "#test/long.ts"
import { searching } from "#test/searching.ts"

const [url] = isHere ? await shared() : ["http://127.0.0.1:9"]
const sets = ["mbpp", "agent30"] as const
/** Of the larger set every fifth query, but where there is time. */
const asked = (set: (typeof sets)[number]) =>
  queries(set).filter((_, at) => isLong || set === "agent30" || at % 5 === 0)

/** nDCG@10 of each set, both in one index. */
const found = Effect.fnUntraced(function* <E>(index: Layer.Layer<SnippetIndex | Embeddings, E>) {
  return yield* Effect.gen(function* () {
    const { put, search } = yield* searching
    yield* put(sets.flatMap((set) => corpus(set).map((document) => ({ ...snippetOf(document), home: set }))))
    return yield* Effect.forEach(sets, (set) =>
      Effect.gen(function* () {
        const answers = new Map<string, ReadonlyArray<string>>()
        for (const { text } of asked(set)) {
          const { matches } = yield* search({ ...queryOf(text), homes: [set] })
          answers.set(
            text,
            matches.map(({ id }) => id)
          )
        }
        return qualityOf(asked(set), (text) => answers.get(text)!).ndcg
      })
    )
  }).pipe(Effect.provide(index))
})

describe.skipIf(!isHere)("what is found by Elasticsearch", () => {
  it.live("is as good on the development sets as what the index in memory finds", () =>
    Effect.gen(function* () {
      const here = yield* found(Layer.provideMerge(memory, embeddings))
      const there = yield* found(newIndex(url!))
      for (const [at, set] of sets.entries()) {
        assert.isAbove(here[at]!, 0.4, set)
        assert.isBelow(Math.abs(here[at]! - there[at]!), 0.01, `${set}: ${here[at]} and ${there[at]}`)
      }
    }).pipe(Effect.scoped)
  )
})
