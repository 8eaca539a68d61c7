import { stemmer } from "stemmer"
import { atOnce, type Steps } from "#engine/steps.ts"
import { beginningOf } from "../beginningOf.ts"
import { normalForm } from "./normalForm.ts"
import { isStopWord } from "./stopWords.ts"

/**
 * Characters of a text that are cut into terms, of which each begins two at the most. A source has the distinct terms
 * that are kept of it long before, and whoever stores or searches more must not keep others waiting.
 */
export const looked = 100_000

/** Words that are cut on end: some milliseconds, where each of them is another one. */
const stretch = 1_000

/** Longer words are data (digests, base64), nothing that anybody searches by. */
const longest = 64

/**
 * Scripts that are written without spaces, and Hangul, whose particles hang on the word: found by pairs of characters.
 */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{M}]+/u
const hasUnspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/**
 * An identifier or word: letters, marks, digits, joined by `_` and `$`. An apostrophe's tail is left to the stop words.
 */
const word = /[\p{L}\p{M}\p{N}_$]+/gu
const asciiWord = /[A-Za-z0-9_$]+/g
/** `HTTPServer2` → HTTP, Server, 2. */
const part = /\p{Lu}+(?=\p{Lu}[\p{Ll}\p{M}])|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|\p{N}+|[\p{L}\p{M}]+/gu
const asciiPart = /[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g
/** A word that is one part: all of one case, or capitalised. The common case, which needs no cutting. */
const simple = /^(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]+)$/

const notAscii = /[^\x00-\x7f]/
const undecomposed: { readonly [letter: string]: string } = {
  ß: "ss",
  ø: "o",
  æ: "ae",
  œ: "oe",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i"
}

/**
 * Compatibility forms and accents folded: `Ｆｉｌｅ`, `ﬁle` → file, `Größe` → Grosse. Hangul and kana stay whole. One
 * letter may become eighteen, so that it is cut again.
 */
const folded = (text: string): string =>
  beginningOf(normalForm(text, "NFKD"), looked)
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .replace(/[ßøæœłđðþıØÆŒŁĐÐÞ]/g, (letter) => undecomposed[letter.toLowerCase()]!)

const pieces = new RegExp(`(${unspaced.source})`, "u")
const han = /\p{Script=Han}/u

/** The terms of one text. Words come again and again: each is cut to its stem once. */
class Terms {
  readonly terms: Array<string> = []
  readonly #stems = new Map<string, string>()

  word(word: string, part: RegExp): void {
    if (simple.test(word)) {
      this.#term(word.toLowerCase())
      return
    }
    const parts = word.match(part)
    if (parts === null) return
    for (const part of parts) this.#part(part)
    // The whole identifier in one spelling, so that readCsv and read_csv meet, and above texts that have only its
    // parts.
    if (parts.length > 1) {
      const whole = parts.join("").toLowerCase()
      if (whole.length <= longest && !hasUnspaced.test(whole)) this.terms.push(whole)
    }
  }

  #part(part: string): void {
    if (!hasUnspaced.test(part)) {
      this.#term(part.toLowerCase())
      return
    }
    for (const piece of part.split(pieces)) {
      if (hasUnspaced.test(piece)) this.#characters(piece)
      else if (piece !== "") this.#term(piece.toLowerCase())
    }
  }

  #characters(run: string): void {
    const { terms } = this
    const characters = Array.from(run)
    for (let at = 0; at + 1 < characters.length; at++) terms.push(characters[at]! + characters[at + 1]!)
    // A word of one character is common in Han only, and must be found inside longer runs too.
    if (characters.length === 1 || han.test(run)) for (const character of characters) terms.push(character)
  }

  #term(token: string): void {
    if (token.length > longest) return
    let stemmed = this.#stems.get(token)
    if (stemmed === undefined) {
      const found = isStopWord(token) ? "" : stemmer(token)
      // A stop word may come out of stemming too (`doing` → do).
      stemmed = isStopWord(found) ? "" : found
      this.#stems.set(token, stemmed)
    }
    if (stemmed !== "") this.terms.push(stemmed)
  }
}

/** The words of a text, and how each is cut; of a long text its first 100,000 characters count. */
const wordsOf = (text: string) => {
  const seen = beginningOf(text, looked)
  const ascii = !notAscii.test(seen)
  return { words: (ascii ? seen : folded(seen)).matchAll(ascii ? asciiWord : word), part: ascii ? asciiPart : part }
}

/**
 * The terms of a text or source, in order and with repetitions: identifiers are split (camelCase, snake_case) and kept
 * whole besides, numbers stay, letters are lower-cased and lose their accents, words that every program or request has
 * are left out, English words are stemmed, and scripts without spaces give pairs of characters. No term has a space or
 * `=`. Of a long text its first 100,000 characters count.
 */
export function* tokenizing(text: string): Steps<Array<string>> {
  const terms = new Terms()
  const { words, part } = wordsOf(text)
  let left = stretch
  for (const [found] of words) {
    terms.word(found, part)
    if (--left > 0) continue
    left = stretch
    yield
  }
  return terms.terms
}

/** The same on end. */
export const tokenize = (text: string): Array<string> => atOnce(tokenizing(text))

/** The first `most` distinct terms of a text, in order of occurrence. What stands behind them is not cut. */
export const firstTerms = (text: string, most: number): ReadonlyArray<string> => {
  const cut = new Terms()
  const distinct = new Set<string>()
  const { words, part } = wordsOf(text)
  let at = 0
  for (const [found] of words) {
    cut.word(found, part)
    for (; at < cut.terms.length; at++) {
      distinct.add(cut.terms[at]!)
      if (distinct.size === most) return [...distinct]
    }
  }
  return [...distinct]
}
