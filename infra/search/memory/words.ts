import { LRUCache } from "lru-cache"
import { fieldCount, lengthCounted, occurrence, saturated } from "#domain/search/bm25f.ts"
import { fields } from "#domain/search/IndexedText.ts"
import type { WeightedTerm } from "#domain/search/query.ts"
import { masks, shifts } from "../packedCount.ts"
import type { Reach } from "./Reach.ts"
import type { Rows } from "./Rows.ts"
import type { Segment } from "./Segment.ts"

/** Field lengths whose worth is tabulated. */
const tabulated = lengthCounted + 1

/** What an occurrence is worth by field and length, for documents whose fields have these average lengths. */
const reckoned = (averages: ReadonlyArray<number>): Float32Array => {
  const table = new Float32Array(fieldCount * tabulated)
  for (let field = 0; field < fieldCount; field++) {
    for (let length = 0; length < tabulated; length++) {
      table[field * tabulated + length] = occurrence(fields[field]!, length, averages[field]!)
    }
  }
  return table
}

/** Tables that are kept, 32 KiB each: one for each set of homes that was searched lately. */
const tablesKept = 16

/**
 * Tables of what occurrences are worth. Those that were asked for lately are kept: averages change only with the store.
 * A table follows from its averages alone, so these are its key.
 */
export class Occurrences {
  readonly #kept = new LRUCache<string, Float32Array>({ max: tablesKept })

  of(averages: ReadonlyArray<number>): Float32Array {
    const name = averages.join(" ")
    const known = this.#kept.get(name) ?? reckoned(averages)
    this.#kept.set(name, known)
    return known
  }
}

/** Writes what an occurrence is worth in each field of a document, by such a table and the lengths of its fields. */
export const writeWorths = (table: Float32Array, lengths: ReadonlyArray<number>, into: Float32Array): void => {
  for (let field = 0; field < fieldCount; field++)
    into[field] = table[field * tabulated + Math.min(lengths[field]!, lengthCounted)]!
}

/** What is looked up, in a segment whose first slot has the place `first`. */
export interface Within {
  readonly segment: Segment
  readonly first: number
  readonly terms: ReadonlyArray<string>
}

/** Adds a term to what places reach; gives how many places have it. */
export const addReach = ({ segment, first, terms }: Within, { term, weight }: WeightedTerm, reach: Reach): number => {
  const postings = segment.postings.of(terms[term]!)
  if (postings === undefined) return 0
  const { units } = reach
  const { words, from, to } = postings
  const more = reach.unitsOf(weight)
  for (let at = from; at < to; at += 2) units[first + words[at]!]! += more
  return (to - from) / 2
}

/**
 * Adds what a term gives to the sums of the rows that have it. Of alternatives, which have the same `number`, only the
 * best counts. Gives how many documents have the term. Nearly all that is read has no row, so that case costs as little
 * as it can.
 */
export const addSums = (
  { segment, first, terms }: Within,
  { term, weight }: WeightedTerm,
  texts: ReadonlyArray<number>,
  number: number,
  table: Float32Array,
  rows: Rows
): number => {
  const postings = segment.postings.of(terms[term]!)
  if (postings === undefined) return 0
  const { counted, rows: rowsOf, sums, best, terms: met } = rows
  const { lengths } = segment
  const perRow = rows.texts
  const [only] = texts
  const { words, from, to } = postings
  for (let at = from; at < to; at += 2) {
    const slot = words[at]!
    const place = first + slot
    if ((counted[place >>> 5]! & (1 << (place & 31))) === 0) continue
    const packed = words[at + 1]!
    let worth = 0
    for (let field = 0; field < fieldCount; field++) {
      const count = (packed >>> shifts[field]!) & masks[field]!
      if (count === 0) continue
      worth += count * table[field * tabulated + Math.min(lengths[slot * fieldCount + field]!, lengthCounted)]!
    }
    const value = saturated(weight, worth)
    const row = rowsOf[place]!
    let more = value
    if (met[row] === number) {
      if (value <= best[row]!) continue
      more -= best[row]!
    }
    met[row] = number
    best[row] = value
    if (texts.length === 1) sums[row * perRow + only!]! += more
    else for (const text of texts) sums[row * perRow + text]! += more
  }
  return (to - from) / 2
}
