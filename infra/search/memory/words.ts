import { LRUCache } from "lru-cache"
import { fieldCount, lengthCounted, occurrence, saturated } from "#domain/search/bm25f.ts"
import { fields } from "#domain/search/IndexedText.ts"
import type { QueryPlan, WeightedTerm } from "#domain/search/query.ts"
import { unlessGivenUp } from "../givenUp.ts"
import { masks, shifts } from "../packedCount.ts"
import type { Scratch } from "./Scratch.ts"
import type { Segment } from "./Segment.ts"

/** Field lengths that have their worth tabulated. */
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
 * Such tables, those kept that were asked for lately: averages change with the store only. They are known by nothing
 * but the averages that they follow from.
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

/** Adds to the sums of all documents what the best alternative gives to each. */
const addTerm = (
  segment: Segment,
  terms: ReadonlyArray<string>,
  alternatives: ReadonlyArray<WeightedTerm>,
  table: Float32Array,
  scratch: Scratch
): void => {
  const { lengths } = segment
  const { sums, best } = scratch
  scratch.nextTerm()
  for (const { term, weight } of alternatives) {
    const postings = segment.postings.of(terms[term]!)
    if (postings === undefined) continue
    unlessGivenUp()
    const { words, from, to } = postings
    for (let at = from; at < to; at += 2) {
      const slot = words[at]!
      const packed = words[at + 1]!
      let worth = 0
      for (let field = 0; field < fieldCount; field++) {
        const count = (packed >>> shifts[field]!) & masks[field]!
        if (count === 0) continue
        worth += count * table[field * tabulated + Math.min(lengths[slot * fieldCount + field]!, lengthCounted)]!
      }
      const value = saturated(weight, worth)
      if (scratch.isNew(slot)) {
        best[slot] = value
        sums[slot]! += value
      } else if (value > best[slot]!) {
        sums[slot]! += value - best[slot]!
        best[slot] = value
      }
    }
  }
}

/** Sums up what a segment's documents have of each text's terms. */
export const sumWords = (
  segment: Segment,
  terms: ReadonlyArray<string>,
  { texts }: QueryPlan,
  table: Float32Array,
  scratch: Scratch
): void => {
  for (const weighted of texts) {
    scratch.beginPart()
    for (const alternatives of weighted) addTerm(segment, terms, alternatives, table, scratch)
    scratch.endPart()
  }
}
