import { eachTerm, fields } from "#domain/search/IndexedText.ts"
import type { IndexedSnippet } from "#ports/SnippetIndex.ts"
import { packCount } from "../packedCount.ts"

const longestField = 0xffff

/** How often a snippet has each of its terms, packed by field, and tokens per field. */
export interface Counted {
  readonly counts: ReadonlyMap<string, number>
  readonly lengths: ReadonlyArray<number>
}

/** Counts the terms of a text. */
export const countsIn = (text: IndexedSnippet["text"]): Counted => {
  const counts = new Map<string, number>()
  const lengths = fields.map((name, field) => {
    let length = 0
    eachTerm(text[name], (term, count) => {
      length += count
      counts.set(term, packCount(counts.get(term) ?? 0, field, count))
    })
    return Math.min(length, longestField)
  })
  return { counts, lengths }
}
