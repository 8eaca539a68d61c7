import { Effect } from "effect"
import { asked } from "#domain/search/query.ts"
import { likeliest } from "#domain/search/rank.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import { type IndexChanges, SnippetIndex } from "#ports/SnippetIndex.ts"
import { find, type Sought } from "#src/snippets/find.ts"

/** An index as its tests use it: change by change, each at the next position, and answers as they are ranked. */
export const searching = Effect.gen(function* () {
  const context = yield* Effect.context<Embeddings | SnippetIndex>()
  const index = yield* SnippetIndex
  const encoder = yield* Embeddings
  const change = (some: Partial<IndexChanges>) =>
    Effect.flatMap(index.stand, ({ position }) =>
      index.apply({ put: [], voted: [], removed: [], ...some }, { build: 1, position: position + 1 })
    )
  return {
    put: (put: IndexChanges["put"]) => change({ put }),
    votes: (voted: IndexChanges["voted"]) => change({ voted }),
    remove: (removed: IndexChanges["removed"]) => change({ removed }),
    search: (query: Sought) => Effect.provideContext(find(query), context),
    /** The same by the first stage alone, whose scores and order are those of the index. */
    likely: Effect.fnUntraced(function* ({ task, limit, ...query }: Sought) {
      const words = asked(task, encoder)
      const found = yield* index.candidates({ ...query, asked: words }, limit)
      const matches = likeliest(words, found, query.preferComplete).map(({ candidate, cosine, ...likely }) => ({
        id: candidate.id,
        score: likely.score,
        relevance: likely.relevance,
        vector: cosine,
        verdict: candidate.verdict
      }))
      return { matches, total: found.sharing + found.near }
    }),
    /** How many snippets these homes have. */
    documents: (...homes: ReadonlyArray<string>) =>
      Effect.map(
        index.candidates(
          {
            asked: asked("", encoder),
            homes,
            includePublic: false,
            agent: null,
            preferComplete: false,
            minVerdict: 0
          },
          0
        ),
        ({ documents }) => documents
      )
  }
})
