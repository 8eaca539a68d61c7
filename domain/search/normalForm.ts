import { beginningOf } from "../text/beginningOf.ts"

/** Marks, and the half-width voice marks, letters that become marks. */
const run = /[\p{M}\uff9e\uff9f]+/gu

/**
 * UTF-16 units of a run of marks that are kept: what Unicode's stream-safe text has at the most, and more than any
 * writing. Marks are sorted by insertion, so that a run of `n` costs n².
 */
const longest = 60

/** A text in a normal form, in time that is linear in its length. */
export const normalForm = (text: string, form: "NFC" | "NFKC" | "NFKD"): string =>
  text.replace(run, (marks) => beginningOf(marks, longest)).normalize(form)
