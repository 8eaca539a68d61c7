import type { Steps } from "#engine/steps.ts"
import type { Encoder } from "./embeddings/Encoder.ts"
import { type Asked, type Mended, searched } from "./query.ts"
import { isMendable, longest, spellings } from "./spellings.ts"
import { termOf } from "./Terms.ts"
import { plainWords } from "./tokenize.ts"

/** The most words of a task that are mended, and spellings that are tried for all of them: they bound the cost. */
const mostWords = 8
const mostTried = 4_000
/** The most words that one word is taken for. */
const mostTaken = 3

/**
 * A word that no snippet has, and what may be meant by it, grouped by term; the likeliest kind of spelling comes first.
 */
export interface Doubt {
  readonly word: string
  readonly spellings: ReadonlyMap<string, ReadonlyArray<string>>
}

/**
 * The words of a task that may be misspelt: by the `frequencies` of the terms no snippet has them, and the table of
 * embeddings does not know them as words. Only spellings whose terms some snippet `mayHave` count.
 */
export function* doubting(
  task: string,
  { terms }: Asked,
  frequencies: ReadonlyArray<number>,
  { isWord }: Pick<Encoder, "isWord">,
  mayHave: (term: string) => boolean = () => true
): Steps<ReadonlyArray<Doubt>> {
  const missing = new Set(terms.filter((_, place) => frequencies[place] === 0))
  if (missing.size === 0) return []
  const found: Array<Doubt> = []
  let left = mostTried
  let words = 0
  for (const [word, term] of plainWords(searched(task), longest)) {
    if (words === mostWords || left <= 0) break
    if (!missing.has(term) || !isMendable(word) || isWord(word)) continue
    const byTerm = new Map<string, Array<string>>()
    let isSpelt = false
    for (const spelling of spellings(word)) {
      if (left-- <= 0) break
      const meant = termOf(spelling)
      if (meant === "" || meant === term) continue
      isSpelt = true
      if (!mayHave(meant)) continue
      const others = byTerm.get(meant)
      if (others === undefined) byTerm.set(meant, [spelling])
      else others.push(spelling)
    }
    if (isSpelt) words++
    if (byTerm.size > 0) found.push({ word, spellings: byTerm })
    yield
  }
  return found
}

/**
 * What doubtful words are taken for: spellings that some snippets have; `known` says how many, by term. Words that the
 * table knows come first, then words with the same first letter, then words that more snippets have.
 */
export const mend = (
  doubtful: ReadonlyArray<Doubt>,
  known: ReadonlyMap<string, number>,
  { isWord }: Pick<Encoder, "isWord">
): Mended => {
  const mended = new Map<string, ReadonlyArray<string>>()
  for (const { word, spellings } of doubtful) {
    const likely = Array.from(spellings).flatMap(([term, [first, ...others]]) => {
      const count = known.get(term) ?? 0
      if (count === 0) return []
      const all = [first!, ...others]
      const read = all.find(isWord)
      // if only the ending differs, the stem
      const spelling = read ?? (all.includes(term) || word.startsWith(term) ? term : first!)
      return [{ spelling, count, isRead: read !== undefined, alike: spelling[0] === word[0] }]
    })
    if (likely.length === 0) continue
    likely.sort(
      (one, other) =>
        Number(other.isRead) - Number(one.isRead) || Number(other.alike) - Number(one.alike) || other.count - one.count
    )
    mended.set(
      word,
      likely.slice(0, mostTaken).map(({ spelling }) => spelling)
    )
  }
  return mended
}

/** Whether two tasks have the same words taken for the same. */
export const isSame = (one: Mended, other: Mended): boolean =>
  one.size === other.size && Array.from(one).every(([word, words]) => words.join() === other.get(word)?.join())
