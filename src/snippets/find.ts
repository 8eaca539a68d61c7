import { Effect } from "effect"
import { asked } from "#domain/search/query.ts"
import { type Ranked, rank } from "#domain/search/rank.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import { type IndexQuery, SnippetIndex } from "#ports/SnippetIndex.ts"

/** A task, what it is asked of, and how many snippets are wanted. */
export interface Sought extends Omit<IndexQuery, "asked"> {
  readonly task: string
  readonly limit: number
}

export interface Answer {
  /** Best first, at most `limit`; ties in order of id. */
  readonly matches: ReadonlyArray<Ranked>
  /** All that match. */
  readonly total: number
}

/**
 * The best snippets for a task: the index says what is likely, the ranking what is best. No more are asked for than are
 * wanted: the index that we have tells likely by the ranking's own functions (docs/decisions/0043).
 */
export const find = Effect.fnUntraced(function* ({ task, limit, ...query }: Sought) {
  const words = asked(task, yield* Embeddings)
  const index = yield* SnippetIndex
  const found = yield* index.candidates({ ...query, asked: words }, limit)
  const matches = rank(words, found, { preferComplete: query.preferComplete, limit })
  const answer: Answer = { matches, total: found.total }
  return answer
})
