import { fieldCount } from "#domain/search/bm25f.ts"
import type { Candidate, Candidates } from "#domain/search/Candidate.ts"
import { profileOf } from "#domain/search/embeddings/Profile.ts"
import type { Vector } from "#domain/search/embeddings/vector.ts"
import { type Field, fields } from "#domain/search/IndexedText.ts"
import { type Asked, merged } from "#domain/search/query.ts"
import { likeliest } from "#domain/search/rank.ts"
import { verdict } from "#domain/search/score.ts"
import type { IndexQuery } from "#ports/SnippetIndex.ts"
import { type Source, vectorOf } from "./document.ts"

interface Counted {
  readonly doc_count: number
}

/** What Elasticsearch answers to `questionOf`. */
export interface SearchAnswer {
  readonly hits: {
    readonly hits: ReadonlyArray<{
      readonly _id: string
      readonly _source: Pick<Source, "lengths"> & {
        readonly kept: Omit<Source["kept"], "counts"> & Partial<Source["kept"]>
      }
    }>
  }
  readonly aggregations: {
    readonly everywhere: {
      readonly scope: Counted & {
        readonly [field in Field]: { readonly value: number }
      } & {
        readonly sharing?: Counted
        readonly frequencies?: { readonly buckets: ReadonlyArray<Counted> }
        readonly pieceFrequencies?: { readonly buckets: ReadonlyArray<Counted> }
      }
    }
  }
}

interface Frequencies {
  readonly frequencies: { readonly buckets: ReadonlyArray<Counted> }
}

/** What it answers to `frequenciesOf`. */
export interface FrequenciesAnswer {
  readonly aggregations: { readonly own: Frequencies; readonly others?: Frequencies }
}

/** How many snippets that may be found have each term: the searched homes' own, and what is public besides. */
export const frequenciesIn = ({ aggregations: { own, others } }: FrequenciesAnswer): ReadonlyArray<number> => {
  const more = others?.frequencies.buckets
  return own.frequencies.buckets.map(({ doc_count: count }, at) => count + (more?.[at]?.doc_count ?? 0))
}

/** Of the whole task, and of a long one's best part. */
const nearness = (own: Vector, [whole, ...parts]: ReadonlyArray<Vector>): number => {
  const cosine = (other: Vector) => {
    let sum = 0
    for (let at = 0; at < own.length; at++) sum += own[at]! * other[at]!
    return Math.max(0, sum)
  }
  return parts.length === 0 ? cosine(whole!) : merged(cosine(whole!), Math.max(...parts.map(cosine)))
}

const candidateOf = ({ terms, meanings, read }: Asked, hit: SearchAnswer["hits"]["hits"][number]): Candidate => {
  const { lengths, kept } = hit._source
  const counts = new Uint32Array(terms.length * fieldCount)
  for (const [place, term] of terms.entries()) {
    if (kept.counts !== undefined && Object.hasOwn(kept.counts, term))
      counts.set(kept.counts[term]!, place * fieldCount)
  }
  return {
    id: hit._id,
    counts,
    lengths: fields.map((field) => lengths[field]),
    cosine: read === 0 || kept.meaning === undefined ? 0 : nearness(vectorOf(kept.meaning), meanings),
    completeness: kept.completeness,
    verdict: verdict(kept.up, kept.down),
    profile: profileOf(kept.profile)
  }
}

/** The answer of an index that has no document. */
export const nothing = ({ terms, reading }: Asked): Candidates => ({
  documents: 0,
  frequencies: terms.map(() => 0),
  pieceFrequencies: reading.pieces.map(() => 0),
  tokens: fields.map(() => 0),
  candidates: [],
  sharing: 0,
  near: 0
})

/**
 * The best `most` of what was found, by the ranking itself. What shares no word is counted as far as it was looked at.
 */
export const candidatesOf = ({ asked, preferComplete }: IndexQuery, answer: SearchAnswer, most: number): Candidates => {
  const { scope } = answer.aggregations.everywhere
  const found = {
    documents: scope.doc_count,
    frequencies: asked.terms.map((_, place) => scope.frequencies!.buckets[place]!.doc_count),
    pieceFrequencies: asked.reading.pieces.map((_, place) => scope.pieceFrequencies!.buckets[place]!.doc_count),
    tokens: fields.map((field) => scope[field].value),
    candidates: answer.hits.hits.map((hit) => candidateOf(asked, hit)),
    sharing: scope.sharing?.doc_count ?? 0,
    near: 0
  }
  const likely = likeliest(asked, found, preferComplete)
  const near = likely.filter(({ sharesWord }) => !sharesWord).length
  return { ...found, candidates: likely.slice(0, most).map(({ candidate }) => candidate), near }
}
