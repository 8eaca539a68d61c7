import { stem } from "./porter.ts"
import { isStopWord } from "./stopWords.ts"

/** Longer words are data (digests, base64), nothing that anybody searches by. */
const longest = 64

/** Scripts that are written without spaces, and Hangul, whose particles hang on the word: found by pairs of characters. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{M}]+/u
const hasUnspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** An identifier or word: letters, marks, digits, joined by `_` and `$`. An apostrophe's tail is left to the stop words. */
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

/** Compatibility forms and accents folded: `Ｆｉｌｅ`, `ﬁle` → file, `Größe` → Grosse. Hangul and kana stay whole. */
const folded = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .replace(/[ßøæœłđðþıØÆŒŁĐÐÞ]/g, (letter) => undecomposed[letter.toLowerCase()]!)

const pushTerm = (terms: Array<string>, token: string): void => {
  if (token.length > longest || isStopWord(token)) return
  const stemmed = stem(token)
  // A stop word may come out of stemming too (`doing` → do).
  if (!isStopWord(stemmed)) terms.push(stemmed)
}

const pushCharacters = (terms: Array<string>, run: string): void => {
  const characters = Array.from(run)
  for (let at = 0; at + 1 < characters.length; at++) terms.push(characters[at]! + characters[at + 1]!)
  // A word of one character is common in Han only, and must be found inside longer runs too.
  if (characters.length === 1 || /\p{Script=Han}/u.test(run)) for (const character of characters) terms.push(character)
}

const pushPart = (terms: Array<string>, part: string): void => {
  if (!hasUnspaced.test(part)) {
    pushTerm(terms, part.toLowerCase())
    return
  }
  for (const piece of part.split(new RegExp(`(${unspaced.source})`, "u"))) {
    if (hasUnspaced.test(piece)) pushCharacters(terms, piece)
    else if (piece !== "") pushTerm(terms, piece.toLowerCase())
  }
}

const pushWord = (terms: Array<string>, word: string, part: RegExp): void => {
  if (simple.test(word)) {
    pushTerm(terms, word.toLowerCase())
    return
  }
  const parts = word.match(part)
  if (parts === null) return
  for (const part of parts) pushPart(terms, part)
  // The whole identifier in one spelling, so that readCsv and read_csv meet, and above texts that have only its parts.
  if (parts.length > 1) {
    const whole = parts.join("").toLowerCase()
    if (whole.length <= longest && !hasUnspaced.test(whole)) terms.push(whole)
  }
}

/**
 * The terms of a text or source, in order and with repetitions: identifiers are split (camelCase, snake_case) and kept
 * whole besides, numbers stay, letters are lower-cased and lose their accents, words that every program or request has
 * are left out, English words are stemmed, and scripts without spaces give pairs of characters. No term has a space or `=`.
 */
export const tokenize = (text: string): Array<string> => {
  const terms: Array<string> = []
  const ascii = !notAscii.test(text)
  const words = (ascii ? text : folded(text)).match(ascii ? asciiWord : word) ?? []
  for (const word of words) pushWord(terms, word, ascii ? asciiPart : part)
  return terms
}
