import type { Candidate, Candidates } from "#domain/search/Candidate.ts"
import type { Vector } from "#domain/search/embeddings/vector.ts"
import { type Field, fields } from "#domain/search/IndexedText.ts"
import { merged, type Worded } from "#domain/search/query.ts"
import { foremost, likeliest } from "#domain/search/rank.ts"
import type { IndexQuery } from "#ports/SnippetIndex.ts"
import { candidateIn, hashOf } from "./packed.ts"

interface Counts {
  readonly buckets: ReadonlyArray<{ readonly doc_count: number }>
}

/** What Elasticsearch answers to each search of a `Question`. */
export interface SearchAnswers {
  readonly totals: {
    readonly hits: { readonly total: { readonly value: number } }
    readonly aggregations: { readonly [field in Field]: { readonly value: number } }
  }
  readonly frequencies?: {
    readonly aggregations: { readonly terms?: Counts; readonly pieces?: Counts; readonly sharing?: Counts }
  }
  readonly candidates?: {
    readonly hits: {
      readonly hits: ReadonlyArray<{ readonly fields: { readonly packed: readonly [string] } }>
    }
  }
}

/** What Elasticsearch answers to `frequenciesOf`. */
export interface FrequenciesAnswer {
  readonly aggregations: { readonly own: Counts; readonly others?: Counts }
}

/** How many of the snippets that may be found have each term: the searched homes' own, and other public ones. */
export const frequenciesIn = ({ aggregations: { own, others } }: FrequenciesAnswer): ReadonlyArray<number> => {
  const more = others?.buckets
  return own.buckets.map(({ doc_count: count }, at) => count + (more?.[at]?.doc_count ?? 0))
}

/** The cosine with the whole task or, for a long one, that merged with its best part's. */
const nearness = (own: Vector, [whole, ...parts]: ReadonlyArray<Vector>): number => {
  const cosine = (other: Vector) => {
    let sum = 0
    for (let at = 0; at < own.length; at++) sum += own[at]! * other[at]!
    return Math.max(0, sum)
  }
  return parts.length === 0 ? cosine(whole!) : merged(cosine(whole!), Math.max(...parts.map(cosine)))
}

const candidatesIn = ({ terms, meanings, read }: Worded, answer: SearchAnswers["candidates"]): Array<Candidate> => {
  const hashes = Uint32Array.from(terms, hashOf)
  const near = (vector: Vector) => (read === 0 ? 0 : nearness(vector, meanings))
  return (answer?.hits.hits ?? []).map(({ fields }) => candidateIn(fields.packed[0], hashes, near))
}

/**
 * For each of `size` things, the sum of its counts on all shelves, but at most `most`. The counts of one thing come one
 * after another, then those of the next.
 */
const sums = (size: number, counts: Counts | undefined, most: number): ReadonlyArray<number> => {
  const buckets = counts?.buckets ?? []
  const shelves = buckets.length / size
  return Array.from({ length: size }, (_, place) => {
    let sum = 0
    for (let shelf = 0; shelf < shelves; shelf++) sum += buckets[place * shelves + shelf]!.doc_count
    // searches that were asked together may have been answered before and after a change
    return Math.min(sum, most)
  })
}

/** The answer of an index that has no document. */
export const nothing = ({ terms, reading }: Worded): Candidates => ({
  documents: 0,
  frequencies: terms.map(() => 0),
  pieceFrequencies: reading.pieces.map(() => 0),
  tokens: fields.map(() => 0),
  candidates: [],
  sharing: 0,
  near: 0
})

/** The best `most` of what was found, by the ranking itself. Those that share no word are counted only if looked at. */
export const candidatesOf = (
  { asked, preferComplete, also }: IndexQuery,
  answer: SearchAnswers,
  most: number
): Candidates => {
  const { hits, aggregations } = answer.totals
  const { terms, pieces, sharing } = answer.frequencies?.aggregations ?? {}
  const documents = hits.total.value
  const found = {
    documents,
    frequencies: sums(asked.terms.length, terms, documents),
    pieceFrequencies: sums(asked.reading.pieces.length, pieces, documents),
    tokens: fields.map((field) => aggregations[field].value),
    candidates: candidatesIn(asked, answer.candidates),
    sharing: sharing?.buckets[0]?.doc_count ?? 0,
    near: 0
  }
  const likely = foremost(likeliest(asked, found, preferComplete, also), most, also)
  const near = likely.filter(({ sharesWord }) => !sharesWord).length
  return { ...found, candidates: likely.slice(0, most).map(({ candidate }) => candidate), near }
}
