/**
 * Combining marks in a row that are kept: what Unicode's stream-safe text has at the most, and more than any writing. They are sorted
 * by insertion, so that a run of `n` costs n². The half-width voice marks are letters that become marks.
 */
const run = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu

/** A text in a normal form, in time that is linear in its length. */
export const normalForm = (text: string, form: "NFC" | "NFKC" | "NFKD"): string =>
  text.replace(run, "$1").normalize(form)
