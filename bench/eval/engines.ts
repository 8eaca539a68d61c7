import { tokenize } from "#domain/search/tokenize.ts"
import type { EvaluationDocument } from "#test/evaluation.ts"

/** Gives the ids of the ten best, best first. */
export type Engine = (text: string) => ReadonlyArray<string>

/** BM25 as in textbooks, over all text of a document with our terms. */
export const bm25 = (documents: ReadonlyArray<EvaluationDocument>): Engine => {
  const [k1, b] = [1.2, 0.75]
  const postings = new Map<string, Array<{ readonly place: number; readonly count: number }>>()
  const lengths = documents.map(({ name, description, source }, place) => {
    const counts = new Map<string, number>()
    const terms = tokenize(`${name}\n${description}\n${source}`)
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
    for (const [term, count] of counts) {
      const known = postings.get(term) ?? []
      known.push({ place, count })
      postings.set(term, known)
    }
    return terms.length
  })
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  return (text) => {
    const scores = new Map<number, number>()
    for (const term of new Set(tokenize(text))) {
      const found = postings.get(term) ?? []
      const idf = Math.log(1 + (documents.length - found.length + 0.5) / (found.length + 0.5))
      for (const { place, count } of found) {
        const norm = k1 * (1 - b + (b * lengths[place]!) / average)
        scores.set(place, (scores.get(place) ?? 0) + (idf * count * (k1 + 1)) / (count + norm))
      }
    }
    return [...scores]
      .sort((one, other) => other[1] - one[1])
      .slice(0, 10)
      .map(([place]) => documents[place]!.id)
  }
}
