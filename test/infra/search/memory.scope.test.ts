import { assert, it, vi } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { asked } from "#domain/search/query.ts"
import { comparingBy } from "#infra/search/memory/layer.ts"
import { Postings } from "#infra/search/memory/Postings.ts"
import { VectorMemory } from "#infra/search/memory/VectorMemory.ts"
import { SnippetIndex } from "#ports/SnippetIndex.ts"
import { embeddings, encoder } from "#test/embeddings.ts"
import { corpus, queries, queryOf, snippetOf } from "#test/evaluation.ts"

const documents = [...corpus("agent30"), ...corpus("mbpp")].slice(0, 400)
const own = documents.map((document, at) => ({ ...snippetOf(document), home: "home", isPublic: at % 2 === 0 }))
/** Of other tenants: they say the same, in more than one home. */
const others = [1, 2, 3].flatMap((copy) =>
  own.map((snippet) => ({ ...snippet, id: `${snippet.id}-${copy}`, home: `other-${copy}` }))
)
const tasks = queries("agent30").map(({ text }) => text)

/** What searches of one home look at, and what they find, where the index has so many snippets besides. */
const looking = (how: { readonly exactUpTo: number; readonly share: number }, beside: typeof others) =>
  Effect.gen(function* () {
    const index = yield* SnippetIndex
    // the others come first: what is own lies behind them
    yield* index.apply({ put: [...beside, ...own], voted: [], removed: [] }, { build: 1, position: 1 })
    let [vectors, postings] = [0, 0]
    const { compare, compareListed, estimate } = VectorMemory.prototype
    const { of } = Postings.prototype
    const spies = [
      vi.spyOn(VectorMemory.prototype, "compare").mockImplementation(function (this: VectorMemory, ...given) {
        vectors += given[2]
        return compare.apply(this, given)
      }),
      vi.spyOn(VectorMemory.prototype, "compareListed").mockImplementation(function (this: VectorMemory, ...given) {
        vectors += given[4] - given[3]
        return compareListed.apply(this, given)
      }),
      vi.spyOn(VectorMemory.prototype, "estimate").mockImplementation(function (this: VectorMemory, ...given) {
        vectors += given[1]
        return estimate.apply(this, given)
      }),
      vi.spyOn(Postings.prototype, "of").mockImplementation(function (this: Postings, term) {
        const found = of.call(this, term)
        postings += found === undefined ? 0 : (found.to - found.from) / 2
        return found
      })
    ]
    const found = yield* Effect.forEach(tasks, (task) => {
      const { limit: _limit, ...rest } = queryOf(task)
      return index.candidates({ ...rest, homes: ["home"], includePublic: false, asked: asked(task, encoder) }, 50)
    }).pipe(Effect.ensuring(Effect.sync(() => spies.forEach((spy) => spy.mockRestore()))))
    return { found, vectors, postings }
  }).pipe(Effect.provide(Layer.provideMerge(comparingBy(how), embeddings)))

it.effect("a search of one home looks at as much, and finds the same, whatever other tenants have", () =>
  Effect.forEach(
    [
      { exactUpTo: own.length, share: 0.1 },
      { exactUpTo: 0, share: 0.1 }
    ],
    (how) =>
      Effect.gen(function* () {
        const [alone, beside] = [yield* looking(how, []), yield* looking(how, others)]
        assert.deepStrictEqual([beside.vectors, beside.postings], [alone.vectors, alone.postings])
        assert.deepStrictEqual(beside.found, alone.found)
        assert.isAtLeast(alone.vectors, own.length * tasks.length)
        assert.isAbove(alone.postings, 1_000)
      })
  )
)
