import type { Steps } from "#engine/steps.ts"
import { beginningOf } from "../text/beginningOf.ts"
import { normalForm } from "./normalForm.ts"

/** The least number of characters that are folded in one step: one may become eighteen. */
const stretch = 2_048

/** Characters that no normal form joins with what stands before them, so that a text may be cut there. */
const beginning = /[^\p{M}\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f]/gu

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

const fold = (text: string): string =>
  normalForm(text, "NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .replace(/[ßøæœłđðþıØÆŒŁĐÐÞ]/g, (letter) => undecomposed[letter.toLowerCase()]!)

/**
 * Folds compatibility forms and accents: `Ｆｉｌｅ`, `ﬁle` → file, `Größe` → Grosse. Hangul and kana stay whole. Gives at
 * most `length` UTF-16 units.
 */
export function* folding(text: string, length: number): Steps<string> {
  let done = ""
  for (let from = 0; from < text.length && done.length < length; ) {
    beginning.lastIndex = from + stretch
    const to = from + stretch < text.length ? (beginning.exec(text)?.index ?? text.length) : text.length
    done += fold(text.slice(from, to))
    from = to
    if (from < text.length) yield
  }
  return beginningOf(done, length)
}
