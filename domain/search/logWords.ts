import { beginningOf } from "../text/beginningOf.ts"
import { normalForm } from "./normalForm.ts"

/** Longer words are data, which nobody searches by. */
const longestWord = 64
/** The most distinct words kept of one log, the most bytes they have together, and the most places of each. */
const mostWords = 5_000
const mostBytes = 600_000
const mostPlaces = 20

const word = /[\p{L}\p{M}\p{N}_$]+/gu
const part = /\p{Lu}+(?=\p{Lu}[\p{Ll}\p{M}])|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|\p{N}+|[\p{L}\p{M}]+/gu

/** Characters of one log that are kept for searching: of a longer one its beginning, and its end, where errors are. */
const kept = 100_000
/**
 * Characters of a text whose words are looked at: all that is kept of a log, with the line that says what is left out.
 */
const looked = kept + 100
/** Characters of a query. */
const asked = 10_000

/** Folds a text and cuts it again, because one letter may become eighteen. */
const folded = (text: string, length: number): string =>
  beginningOf(normalForm(beginningOf(text, length), "NFKC"), length)

/** A word that is one part, and in lower case. */
const plain = /^(?:[a-z]+|[0-9]+)$/

/** A word and its parts in lower case: `ModuleNotFoundError` is found by itself, by `module` and by `not found`. */
const formsOf = (given: string): ReadonlyArray<string> => {
  if (plain.test(given)) return given.length <= longestWord ? [given] : []
  const parts = given.match(part) ?? []
  const whole = parts.join("")
  return [...new Set([whole, ...parts].map((form) => form.toLowerCase()))].filter(
    (form) => form !== "" && form.length <= longestWord
  )
}

/**
 * The distinct words of a query's first 10,000 characters, in order. No word is left out or cut to its stem: in a log
 * `None` and `not` say something.
 */
export const logWords = (text: string): ReadonlyArray<string> => [
  ...new Set((folded(text, asked).match(word) ?? []).flatMap(formsOf))
]

/**
 * The words of a log with their places, as Postgres writes a `tsvector`: `error:3,9 module:2`. Words have letters and
 * digits only, so that nothing needs quotes.
 */
export const logVector = (text: string): string => {
  const places = new Map<string, Array<number>>()
  let place = 0
  let bytes = 0
  for (const [given] of folded(text, looked).matchAll(word)) {
    place += 1
    for (const form of formsOf(given)) {
      const known = places.get(form)
      if (known === undefined) {
        bytes += 4 * form.length
        // a tsvector holds less than a megabyte
        if (places.size < mostWords && bytes < mostBytes) places.set(form, [place])
      } else if (known.length < mostPlaces) known.push(place)
    }
  }
  return Array.from(places, ([form, at]) => `${form}:${at.join(",")}`).join(" ")
}

/** What is kept of a log. */
export const keptLog = (log: string): string => {
  if (log.length <= kept) return log
  const head = beginningOf(log, kept / 2)
  const tail = log.slice(-kept / 2).replace(/^[\udc00-\udfff]/, "")
  return `${head}\n[… ${log.length - head.length - tail.length} characters …]\n${tail}`
}

/** Characters of a preview. */
const shown = 300

/** A piece of a log around the first place with the most of the words; its beginning if it has none of them. */
export const logPreview = (log: string, words: ReadonlyArray<string>): string => {
  const lower = log.toLowerCase()
  // if lower case changes the length, places are not those of the log
  const hits = lower.length === log.length ? words.map((one) => lower.indexOf(one)).filter((at) => at >= 0) : []
  const near = (at: number) => {
    const around = lower.slice(Math.max(0, at - shown / 3), at + (2 * shown) / 3)
    return words.filter((one) => around.includes(one)).length
  }
  const ranked = hits.map((at) => ({ at, count: near(at) }))
  const best = ranked.sort((one, other) => other.count - one.count || one.at - other.at)[0]?.at ?? 0
  const from = Math.max(0, best - shown / 3)
  const piece = log.slice(from, from + shown).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "")
  return `${from > 0 ? "…" : ""}${piece.trim()}${from + shown < log.length ? "…" : ""}`
}
