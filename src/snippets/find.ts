import { Effect } from "effect"
import { learnedFor, sought, type TaskVote } from "#domain/search/learned.ts"
import { doubting, mend } from "#domain/search/mending.ts"
import { asking, type Mended, nothingMended } from "#domain/search/query.ts"
import { type Ranking, rank } from "#domain/search/rank.ts"
import { looked } from "#domain/search/secondStage.ts"
import { inSteps } from "#engine/pages.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import { type IndexQuery, SnippetIndex } from "#ports/SnippetIndex.ts"
import type { Means } from "./embedding/ByModel.ts"

/** A task, what it is asked of, and how many snippets are wanted. */
export interface Sought extends Omit<IndexQuery, "asked" | "also"> {
  readonly task: string
  readonly limit: number
  /** Whether each match says why it has its score. */
  readonly explain?: boolean
  /** What was said of snippets for tasks, of all that counts for who asks. */
  readonly votes?: Iterable<TaskVote>
  /** By what else than the table. */
  readonly by?: Means
}

export interface Answer extends Ranking {
  readonly mended: Mended
}

/**
 * What an index deems likely for a task. Where it has words that no snippet of the scope has, the index is asked what
 * else they may be, and once more by what they were taken for.
 */
export const likely = Effect.fnUntraced(function* ({ task, limit, explain: _, votes = [], by, ...query }: Sought) {
  const encoder = yield* Embeddings
  const index = by?.index ?? (yield* SnippetIndex)
  const candidates = Effect.fnUntraced(function* (mended: Mended) {
    const read = yield* inSteps(asking(task, encoder, mended))
    // tasks are compared by the table
    const learned = learnedFor(read, votes)
    const words = by?.meant(read) ?? read
    const found = yield* index.candidates({ ...query, asked: words, also: sought(learned) }, limit)
    return { words, found, mended, learned }
  })
  const asIs = yield* candidates(nothingMended)
  if (asIs.found.documents === 0) return asIs
  const doubtful = yield* inSteps(doubting(task, asIs.words, asIs.found.frequencies, encoder, index.mayHave))
  if (doubtful.length === 0) return asIs
  const terms = [...new Set(doubtful.flatMap(({ spellings }) => [...spellings.keys()]))]
  const frequencies = yield* index.frequencies(query, terms)
  const known = new Map(terms.map((term, at) => [term, frequencies[at]!]))
  const mended = mend(doubtful, known, encoder)
  return mended.size === 0 ? asIs : yield* candidates(mended)
})

/**
 * The best snippets for a task: the index says what is likely, the ranking what is best. No more are asked for than are
 * wanted, or judged: the index that we have tells likely by the ranking's own first stage (docs/decisions/0043, 0079).
 */
export const find = Effect.fnUntraced(function* (asked: Sought) {
  const { limit, preferComplete, explain } = asked
  const { words, found, mended, learned } = yield* likely({ ...asked, limit: Math.max(limit, looked) })
  const textOf = explain === true ? (yield* Embeddings).pieceText : undefined
  const answer: Answer = { ...rank(words, found, { preferComplete, limit, learned }, textOf), mended }
  return answer
})
