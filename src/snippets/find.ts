import { Effect } from "effect"
import { type Learned, learnedFor, sought, type TaskVote } from "#domain/search/learned.ts"
import { doubting, isSame, mend } from "#domain/search/mending.ts"
import { type Asked, asking, isLong, type Mended, nothingMended } from "#domain/search/query.ts"
import { rank } from "#domain/search/rank.ts"
import { looked } from "#domain/search/secondStage.ts"
import { inSteps } from "#engine/pages.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import { type IndexQuery, type Meant, SnippetIndex, type WholeAnswer, type WholeQuery } from "#ports/SnippetIndex.ts"
import type { SearchedBy } from "./embedding/ByModel.ts"

/** A task, which snippets it is about, and how many are wanted. */
export interface Sought extends Omit<IndexQuery, "asked" | "also"> {
  readonly task: string
  readonly limit: number
  /** Whether each match says why it has its score. */
  readonly explain?: boolean
  /** The votes for tasks that count for the caller. */
  readonly votes?: Iterable<TaskVote>
  /** What to search by instead of the table. */
  readonly by?: SearchedBy
}

/** A question to an index that gives candidates. `learned` gives what was learned for a task as it was read. */
interface Asking extends Omit<Sought, "by" | "votes"> {
  readonly index: SnippetIndex["Service"]
  readonly meant: Meant | undefined
  readonly learned: (read: Asked) => Effect.Effect<ReadonlyMap<string, Learned>>
}

const untaught: ReadonlyMap<string, Learned> = new Map()

/** Reads a task with these words mended. */
const readWith = Effect.fnUntraced(function* (task: string, mended: Mended) {
  return yield* inSteps(asking(task, yield* Embeddings, mended))
})

/** The task with these words mended; it is read again only if it was read with others. */
const unlessRead = (read: Asked, task: string, mended: Mended) =>
  isSame(mended, read.mended) ? Effect.succeed(read) : readWith(task, mended)

/** The candidates for a task that was read. */
const likelyBy = Effect.fnUntraced(function* (
  { task: _task, limit, explain: _explain, index, meant, learned: learn, ...query }: Asking,
  read: Asked
) {
  // votes' tasks are compared by the table, even if a model is searched by
  const learned = yield* learn(read)
  const words = meant === undefined ? read : { ...read, ...meant, read: 1 }
  const found = yield* index.candidates({ ...query, asked: words, also: sought(learned) }, limit)
  return { words, found, learned }
})

type Likely = Effect.Success<ReturnType<typeof likelyBy>>

/** Mends the words that no snippet has by `frequencies`: the index says which spellings some snippet has. */
const mendedBy = Effect.fnUntraced(function* (
  { index, ...query }: Asking,
  words: Asked,
  frequencies: ReadonlyArray<number>
) {
  const encoder = yield* Embeddings
  const doubtful = yield* inSteps(doubting(query.task, words, frequencies, encoder, index.mayHave))
  if (doubtful.length === 0) return nothingMended
  const terms = [...new Set(doubtful.flatMap(({ spellings }) => [...spellings.keys()]))]
  const counts = yield* index.frequencies(query, terms)
  const known = new Map(terms.map((term, at) => [term, counts[at]!]))
  return mend(doubtful, known, encoder)
})

/**
 * Mends words before the first look: those that no snippet has, whoever may see it, if the index knows that at once. So
 * most misspelt tasks are looked for only once.
 */
const mendedAtOnce = Effect.fnUntraced(function* (asked: Asking, read: Asked) {
  const { mayHave } = asked.index
  const may = mayHave === undefined ? [] : read.terms.map((term) => (mayHave(term) ? 1 : 0))
  return may.includes(0) ? yield* mendedBy(asked, read, may) : nothingMended
})

/** Mends words by what was found: those that none of the visible snippets has. */
const mendedAfter = Effect.fnUntraced(function* (asked: Asking, { words, found }: Likely) {
  if (found.documents === 0) return nothingMended
  const { mayHave = () => true } = asked.index
  const isKnown = words.terms.every((term, place) => found.frequencies[place]! > 0 === mayHave(term))
  return isKnown ? words.mended : yield* mendedBy(asked, words, found.frequencies)
})

/** Asks for no fewer candidates than the second stage looks at: an index orders them by the first stage. */
const enough = (asked: Asking): Asking => ({ ...asked, limit: Math.max(asked.limit, looked) })

/** Ranks the candidates. */
const ranked = Effect.fnUntraced(function* (
  { preferComplete, limit, explain }: Pick<Sought, "preferComplete" | "limit" | "explain">,
  { words, found, learned }: Likely
) {
  const textOf = explain === true ? (yield* Embeddings).pieceText : undefined
  const answer: WholeAnswer = {
    ...rank(words, found, { preferComplete, limit, learned }, textOf),
    mended: words.mended
  }
  return answer
})

const hasAny = (some: Iterable<unknown>): boolean => {
  for (const _ of some) return true
  return false
}

/** What was learned for a task, both with words mended and as it stands. */
const learnedOf = (votes: Iterable<TaskVote>, asIs: Asked) => (read: Asked) => inSteps(learnedFor(read, votes, asIs))

/**
 * The candidates for a task. If it has words that only snippets outside the scope have, the index is asked once more,
 * by what those words were taken for.
 */
export const likely = Effect.fnUntraced(function* ({ votes = [], by, ...rest }: Sought) {
  const index = by?.index ?? (yield* SnippetIndex)
  const asIs = yield* readWith(rest.task, nothingMended)
  const asked = { ...rest, index, meant: by?.meant, learned: learnedOf(votes, asIs) }
  const mended = yield* mendedAtOnce(asked, asIs)
  const found = yield* likelyBy(asked, yield* unlessRead(asIs, rest.task, mended))
  const then = yield* mendedAfter(asked, found)
  return isSame(then, mended) ? found : yield* likelyBy(asked, yield* unlessRead(asIs, rest.task, then))
})

/**
 * How an index that ranks where its snippets are answers (`SnippetIndex.find`). It takes the same steps, but what was
 * learned comes with the question.
 */
export const answer = Effect.fnUntraced(function* ({ learned, mended: given, meant, asksAgain, ...rest }: WholeQuery) {
  const asked = enough({ ...rest, index: yield* SnippetIndex, meant, learned: () => Effect.succeed(learned) })
  const again = (mended: Mended): WholeAnswer => ({ matches: [], total: 0, mended, again: true })
  const asIs = yield* readWith(rest.task, given ?? nothingMended)
  const mended = given ?? (yield* mendedAtOnce(asked, asIs))
  if (given === undefined && mended.size > 0 && asksAgain) return again(mended)
  const found = yield* likelyBy(asked, yield* unlessRead(asIs, rest.task, mended))
  const then = yield* mendedAfter(asked, found)
  if (isSame(then, mended)) return yield* ranked(rest, found)
  if (asksAgain) return again(then)
  return yield* ranked(rest, yield* likelyBy(asked, yield* unlessRead(asIs, rest.task, then)))
})

/** The best matches, from an index that ranks by itself. */
const foundBy = Effect.fnUntraced(function* (find: NonNullable<SnippetIndex["Service"]["find"]>, sought: Sought) {
  const { votes = [], by, ...rest } = sought
  const asIs = hasAny(votes) ? yield* readWith(rest.task, nothingMended) : undefined
  const learn = (mended: Mended) =>
    asIs === undefined
      ? Effect.succeed(untaught)
      : Effect.flatMap(unlessRead(asIs, rest.task, mended), learnedOf(votes, asIs))
  const query = { ...rest, ...(by && { meant: by.meant }) }
  let answer = yield* find({ ...query, learned: yield* learn(nothingMended), asksAgain: asIs !== undefined })
  // mended words come in two rounds at most: those that no snippet has, then those that only others' snippets have
  for (const asksAgain of [true, false]) {
    if (answer.again !== true) break
    const { mended } = answer
    answer = yield* find({ ...query, mended, learned: yield* learn(mended), asksAgain })
  }
  return answer
})

/**
 * The best snippets for a task. The index says what is likely, the ranking what is best (docs/decisions/0043, 0079). If
 * the index has a thread of its own, both happen there.
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
