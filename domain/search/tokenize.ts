import { atOnce, type Steps } from "#engine/steps.ts"
import { beginningOf } from "../text/beginningOf.ts"
import { folding } from "./folded.ts"
import { isPlain, Terms, termOf } from "./Terms.ts"

/**
 * Characters of a text that are cut into terms; each begins at most two. A source has all the distinct terms that are
 * kept of it long before that, and a longer text must not keep others waiting.
 */
export const looked = 100_000

/** Words that are cut in one step: some milliseconds, if each is a different one. */
const stretch = 1_000

/**
 * An identifier or word: letters, marks, digits, joined by `_` and `$`. An apostrophe's tail is left to the stop words.
 */
const word = /[\p{L}\p{M}\p{N}_$]+/gu
const asciiWord = /[A-Za-z0-9_$]+/g
/** `HTTPServer2` → HTTP, Server, 2. */
const part = /\p{Lu}+(?=\p{Lu}[\p{Ll}\p{M}])|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|\p{N}+|[\p{L}\p{M}]+/gu
const asciiPart = /[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g

const notAscii = /[^\x00-\x7f]/

/** How much a task may grow when it is folded: one character becomes at most eighteen. */
const growth = 1_000

/**
 * The words of a text, and the pattern that cuts them. Of a long text the first 100,000 characters count, and at most
 * `most` of what they are folded to.
 */
function* findingWords(text: string, most = looked) {
  const seen = beginningOf(text, looked)
  if (!notAscii.test(seen)) return { words: seen.matchAll(asciiWord), part: asciiPart }
  const folded = yield* folding(seen, most)
  return { words: folded.matchAll(word), part }
}

/**
 * The terms of a text or source, in order and with repetitions. Identifiers are split (camelCase, snake_case) and also
 * kept whole; numbers stay; letters are lower-cased and lose their accents; words that every program or request has are
 * left out; English words are stemmed; scripts without spaces give pairs of characters. No term has a space or `=`. Of
 * a long text the first 100,000 characters count.
 */
export function* tokenizing(text: string): Steps<Array<string>> {
  const terms = new Terms()
  const { words, part } = yield* findingWords(text)
  let left = stretch
  for (const [found] of words) {
    if (!terms.add(found, part)) yield* terms.cutting(found, part)
    if (--left > 0) continue
    left = stretch
    yield
  }
  return terms.terms
}

/** `tokenizing` in one go. */
export const tokenize = (text: string): Array<string> => atOnce(tokenizing(text))

/** The first `most` distinct terms of a text, in order of occurrence. What stands behind them is not cut. */
export function* findingFirst(text: string, most: number): Steps<ReadonlyArray<string>> {
  const cut = new Terms()
  const distinct = new Set<string>()
  const { words, part } = yield* findingWords(text, text.length + growth)
  let at = 0
  const isFull = (): boolean => {
    for (; at < cut.terms.length && distinct.size < most; at++) distinct.add(cut.terms[at]!)
    return distinct.size === most
  }
  let left = stretch
  for (const [found] of words) {
    if (!cut.add(found, part)) {
      for (const _ of cut.cutting(found, part)) {
        if (isFull()) break
        yield
      }
    }
    if (isFull()) break
    if (--left > 0) continue
    left = stretch
    yield
  }
  return [...distinct]
}

/** `findingFirst` in one go. */
export const firstTerms = (text: string, most: number): ReadonlyArray<string> => atOnce(findingFirst(text, most))

/** A text's distinct words of one part and at most `longest` letters, in lower case and folded, with their terms. */
export const plainWords = (text: string, longest: number): ReadonlyMap<string, string> => {
  const plain = new Map<string, string>()
  const { words, part } = atOnce(findingWords(text, text.length + growth))
  for (const [found] of words) {
    if (found.length > longest || !isPlain(found, part)) continue
    const word = found.toLowerCase()
    if (!plain.has(word)) plain.set(word, termOf(word))
  }
  return plain
}

/** A text with some words replaced. The words to replace are in lower case and folded. */
export const withWords = (text: string, words: ReadonlyMap<string, string>): string =>
  words.size === 0
    ? text
    : text.replace(word, (found) => {
        const plain = notAscii.test(found) ? atOnce(folding(found, looked)) : found
        return words.get(plain.toLowerCase()) ?? found
      })
