import { beginningOf } from "../text/beginningOf.ts"

/** Marks, and the half-width voice marks, which are letters that become marks. */
const run = /[\p{M}\uff9e\uff9f]+/gu

/**
 * The most UTF-16 units that are kept of a run of marks: what Unicode's stream-safe text allows, and more than any
 * writing has. Marks are sorted by insertion, so a run of `n` costs n².
 */
const longest = 60

/** A text in a normal form, in time linear in its length. */
export const normalForm = (text: string, form: "NFC" | "NFKC" | "NFKD"): string =>
  text.replace(run, (marks) => beginningOf(marks, longest)).normalize(form)
