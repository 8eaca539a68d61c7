import { Effect } from "effect"
import { asked } from "#domain/search/query.ts"
import { type Ranking, rank } from "#domain/search/rank.ts"
import { looked } from "#domain/search/secondStage.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import { type IndexQuery, SnippetIndex } from "#ports/SnippetIndex.ts"

/** A task, what it is asked of, and how many snippets are wanted. */
export interface Sought extends Omit<IndexQuery, "asked"> {
  readonly task: string
  readonly limit: number
  /** Whether each match says why it has its score. */
  readonly explain?: boolean
}

/**
 * The best snippets for a task: the index says what is likely, the ranking what is best. No more are asked for than are
 * wanted, or judged: the index that we have tells likely by the ranking's own first stage (docs/decisions/0043, 0079).
 */
export const find = Effect.fnUntraced(function* ({ task, limit, explain, ...query }: Sought) {
  const encoder = yield* Embeddings
  const words = asked(task, encoder)
  const index = yield* SnippetIndex
  const found = yield* index.candidates({ ...query, asked: words }, Math.max(limit, looked))
  const answer: Ranking = rank(
    words,
    found,
    { preferComplete: query.preferComplete, limit },
    explain === true ? encoder.pieceText : undefined
  )
  return answer
})
