import { Effect } from "effect"
import { type Learned, learnedFor, sought, type TaskVote } from "#domain/search/learned.ts"
import { doubting, mend } from "#domain/search/mending.ts"
import { type Asked, asking, isLong, type Mended, nothingMended } from "#domain/search/query.ts"
import { rank } from "#domain/search/rank.ts"
import { looked } from "#domain/search/secondStage.ts"
import { inSteps } from "#engine/pages.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import { type IndexQuery, type Meant, SnippetIndex, type WholeAnswer, type WholeQuery } from "#ports/SnippetIndex.ts"
import type { SearchedBy } from "./embedding/ByModel.ts"

/** A task, what it is asked of, and how many snippets are wanted. */
export interface Sought extends Omit<IndexQuery, "asked" | "also"> {
  readonly task: string
  readonly limit: number
  /** Whether each match says why it has its score. */
  readonly explain?: boolean
  /** What was said of snippets for tasks, of all that counts for who asks. */
  readonly votes?: Iterable<TaskVote>
  /** By what else than the table. */
  readonly by?: SearchedBy
}

/** What is asked of an index that gives candidates: `learned` says what was learned for the task, as it was read. */
interface Asking extends Omit<Sought, "by" | "votes"> {
  readonly index: SnippetIndex["Service"]
  readonly meant: Meant | undefined
  readonly learned: (read: Asked) => Effect.Effect<ReadonlyMap<string, Learned>>
}

const untaught: ReadonlyMap<string, Learned> = new Map()

/** What an index deems likely for a task with these words mended. */
const likelyWith = Effect.fnUntraced(function* (
  { task, limit, explain: _, index, meant, learned: learn, ...query }: Asking,
  mended: Mended
) {
  const read = yield* inSteps(asking(task, yield* Embeddings, mended))
  // tasks are compared by the table
  const learned = yield* learn(read)
  const words = meant === undefined ? read : { ...read, ...meant, read: 1 }
  const found = yield* index.candidates({ ...query, asked: words, also: sought(learned) }, limit)
  return { words, found, mended, learned }
})

type Likely = Effect.Success<ReturnType<typeof likelyWith>>

/** What words that no snippet of the scope has may be taken for: the index is asked what else they may be. */
const mendedOf = Effect.fnUntraced(function* ({ index, ...query }: Asking, { words, found }: Likely) {
  if (found.documents === 0) return nothingMended
  const encoder = yield* Embeddings
  const doubtful = yield* inSteps(doubting(query.task, words, found.frequencies, encoder, index.mayHave))
  if (doubtful.length === 0) return nothingMended
  const terms = [...new Set(doubtful.flatMap(({ spellings }) => [...spellings.keys()]))]
  const frequencies = yield* index.frequencies(query, terms)
  const known = new Map(terms.map((term, at) => [term, frequencies[at]!]))
  return mend(doubtful, known, encoder)
})

/** No more are asked for than are wanted, or judged: an index tells likely by the ranking's own first stage. */
const enough = (asked: Asking): Asking => ({ ...asked, limit: Math.max(asked.limit, looked) })

/** What the ranking says of what is likely. */
const ranked = Effect.fnUntraced(function* (
  { preferComplete, limit, explain }: Pick<Sought, "preferComplete" | "limit" | "explain">,
  { words, found, mended, learned }: Likely
) {
  const textOf = explain === true ? (yield* Embeddings).pieceText : undefined
  const answer: WholeAnswer = { ...rank(words, found, { preferComplete, limit, learned }, textOf), mended }
  return answer
})

const learnedOf = (votes: Iterable<TaskVote>) => (read: Asked) => inSteps(learnedFor(read, votes))

/**
 * What an index deems likely for a task. Where it has words that no snippet of the scope has, the index is asked once
 * more by what they were taken for.
 */
export const likely = Effect.fnUntraced(function* ({ votes = [], by, ...rest }: Sought) {
  const index = by?.index ?? (yield* SnippetIndex)
  const asked = { ...rest, index, meant: by?.meant, learned: learnedOf(votes) }
  const asIs = yield* likelyWith(asked, nothingMended)
  const mended = yield* mendedOf(asked, asIs)
  return mended.size === 0 ? asIs : yield* likelyWith(asked, mended)
})

/**
 * The answer of an index that ranks where its snippets are (`SnippetIndex.find`), by the same steps: what is learned
 * comes with the question.
 */
export const answer = Effect.fnUntraced(function* ({ learned, mended: given, meant, asksAgain, ...rest }: WholeQuery) {
  const asked = enough({ ...rest, index: yield* SnippetIndex, meant, learned: () => Effect.succeed(learned) })
  const asIs = yield* likelyWith(asked, given ?? nothingMended)
  const mended = given === undefined ? yield* mendedOf(asked, asIs) : nothingMended
  if (mended.size === 0) return yield* ranked(rest, asIs)
  if (asksAgain) return { matches: [], total: 0, mended, again: true }
  return yield* ranked(rest, yield* likelyWith(asked, mended))
})

const hasAny = (some: Iterable<unknown>): boolean => {
  for (const _ of some) return true
  return false
}

/** The best matches by an index that ranks by itself. */
const foundBy = Effect.fnUntraced(function* (find: NonNullable<SnippetIndex["Service"]["find"]>, sought: Sought) {
  const { votes = [], by, ...rest } = sought
  const asksAgain = hasAny(votes)
  const encoder = yield* Embeddings
  const learn = (mended: Mended) =>
    asksAgain ? Effect.flatMap(inSteps(asking(rest.task, encoder, mended)), learnedOf(votes)) : Effect.succeed(untaught)
  const query = { ...rest, ...(by && { meant: by.meant }), asksAgain }
  const first = yield* find({ ...query, learned: yield* learn(nothingMended) })
  if (first.again !== true) return first
  const { mended } = first
  return yield* find({ ...query, mended, learned: yield* learn(mended) })
})

/**
 * The best snippets for a task: the index says what is likely, the ranking what is best (docs/decisions/0043, 0079), in
 * the index's own thread where it has one.
 */
export const find = Effect.fnUntraced(function* (sought: Sought) {
  const { votes: _, by, ...rest } = sought
  const index = by?.index ?? (yield* SnippetIndex)
  const search =
    index.find === undefined
      ? Effect.flatMap(likely({ ...sought, limit: Math.max(rest.limit, looked) }), (found) => ranked(rest, found))
      : foundBy(index.find, sought)
  return yield* index.inLine?.(search, isLong(rest.task)) ?? search
})
