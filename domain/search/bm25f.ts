import { log } from "./exact.ts"
import { type Field, fields } from "./IndexedText.ts"

/** How fast further occurrences of a term stop counting. */
const k1 = 1.2

/** What an occurrence in a field weighs. A name says what a snippet is, its source only what it touches. */
export const boosts: { readonly [field in Field]: number } = { name: 3, description: 2, exampleQueries: 2, source: 1 }

/** How much a field's length counts: 0 not at all, 1 fully. Names are short by nature, sources long for no merit. */
const lengthWeights: { readonly [field in Field]: number } = {
  name: 0.3,
  description: 0.5,
  exampleQueries: 0.5,
  source: 0.75
}

/**
 * Rareness of a term that `df` of `documents` documents have; above 0, so a term that all have still counts a little.
 */
export const idf = (df: number, documents: number): number => log(1 + (documents - df + 0.5) / (df + 0.5))

/** Tokens of a field beyond which its length counts no further. */
export const lengthCounted = 2047

/**
 * What one occurrence in a field is worth, in boosted occurrences in a field of average length.
 *
 * `length` and `average` in tokens; an average of 0 means that no document has the field.
 */
export const occurrence = (field: Field, length: number, average: number): number => {
  const b = lengthWeights[field]
  return average === 0 ? 0 : boosts[field] / (1 - b + (b * Math.min(length, lengthCounted)) / average)
}

/** What a term of this weight adds to the sum; `worth` is summed over the fields. */
export const saturated = (weight: number, worth: number): number => (weight * worth) / (k1 + worth)

export const fieldCount = fields.length
