import { stemmer } from "stemmer"
import type { Steps } from "#engine/steps.ts"
import { isStopWord } from "./stopWords.ts"

/** Longer words are data (digests, base64), nothing that anybody searches by. */
const longest = 64

/** A word longer than `long` (data, or text without spaces) is cut `stretch` parts or characters a step. */
const long = 256
const stretch = 1_000

/** Scripts written without spaces, and Hangul, whose particles hang on the word: found by pairs of characters. */
const hasUnspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const runs =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー\p{M}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー\p{M}]+/gu
const han = /\p{Script=Han}/u

/** A word that is one part: all of one case, or capitalised. The common case, which needs no cutting. */
const simple = /^(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]+)$/

/** The term of a lower-case word that is one part; `""` for a stop word. */
export const termOf = (word: string): string => {
  const found = isStopWord(word) ? "" : stemmer(word)
  // A stop word may come out of stemming too (`doing` → do).
  return isStopWord(found) ? "" : found
}

/** Whether a word is one part, of a script with spaces. */
export const isPlain = (word: string, part: RegExp): boolean =>
  simple.test(word) || (!hasUnspaced.test(word) && word.match(part)?.[0] === word)

/** The terms of one text. Words repeat, so each is cut to its stem only once. */
export class Terms {
  readonly terms: Array<string> = []
  readonly #stems = new Map<string, string>()

  /** Adds the terms of a word; `false` if the word is a long one, for `cutting`. */
  add(word: string, part: RegExp): boolean {
    if (simple.test(word)) this.#term(word.toLowerCase())
    else if (word.length > long) return false
    else {
      const parts = word.match(part) ?? []
      for (const found of parts) {
        if (!hasUnspaced.test(found)) this.#term(found.toLowerCase())
        else for (const _ of this.#cuttingRuns(found));
      }
      if (parts.length > 1) this.#whole(parts.join(""))
    }
    return true
  }

  /** Adds the terms of a word of any length. */
  *cutting(word: string, part: RegExp): Steps<void> {
    let [count, whole] = [0, ""]
    for (const [found] of word.matchAll(part)) {
      if (!hasUnspaced.test(found)) this.#term(found.toLowerCase())
      else yield* this.#cuttingRuns(found)
      if (whole.length <= longest) whole += found
      if (++count % stretch === 0) yield
    }
    if (count > 1) this.#whole(whole)
  }

  /** Adds the whole identifier in one spelling: readCsv and read_csv meet, and rank above texts with only its parts. */
  #whole(joined: string): void {
    if (joined.length > longest) return
    const whole = joined.toLowerCase()
    if (whole.length <= longest && !hasUnspaced.test(whole)) this.terms.push(whole)
  }

  *#cuttingRuns(part: string): Steps<void> {
    let count = 0
    for (const [run] of part.matchAll(runs)) {
      if (hasUnspaced.test(run)) yield* this.#cuttingCharacters(run)
      else this.#term(run.toLowerCase())
      if (++count % stretch === 0) yield
    }
  }

  *#cuttingCharacters(run: string): Steps<void> {
    const { terms } = this
    // A word of one character is common in Han only, and must be found inside longer runs too.
    const single = han.test(run)
    let [last, count] = ["", 0]
    let alone: Array<string> = []
    for (const character of run) {
      if (last !== "") terms.push(last + character)
      if (single) alone.push(character)
      last = character
      if (++count % stretch > 0) continue
      for (const one of alone) terms.push(one)
      alone = []
      yield
    }
    if (single || count > 1) for (const one of alone) terms.push(one)
    else terms.push(last)
  }

  #term(token: string): void {
    if (token.length > longest) return
    let stemmed = this.#stems.get(token)
    if (stemmed === undefined) {
      stemmed = termOf(token)
      this.#stems.set(token, stemmed)
    }
    if (stemmed !== "") this.terms.push(stemmed)
  }
}
