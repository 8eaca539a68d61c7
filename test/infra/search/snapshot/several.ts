import type { IndexedSnippet } from "#ports/SnippetIndex.ts"
import { median, snippet } from "../../indexed.ts"

/** Snippets that say the same. */
export const snippets = (count: number): ReadonlyArray<IndexedSnippet> => {
  const one = snippet("home", "one", median)
  return Array.from({ length: count }, (_, at) => ({ ...one, id: `${at}` }))
}
