import { fieldCount } from "#domain/search/bm25f.ts"
import type { Candidate, Candidates } from "#domain/search/Candidate.ts"
import { asTable, ofModel } from "#domain/search/modelWeights.ts"
import { plan, type QueryPlan } from "#domain/search/query.ts"
import { matches, priorOf } from "#domain/search/rank.ts"
import { leastRelevance, relevance, score, wordShare } from "#domain/search/score.ts"
import type { IndexQuery } from "#ports/SnippetIndex.ts"
import { Best } from "./Best.ts"
import type { Scratch } from "./Scratch.ts"
import type { Segment } from "./Segment.ts"
import type { VectorMemory } from "./VectorMemory.ts"
import { type Occurrences, sumWords } from "./words.ts"

/** What every search works with. */
interface Means {
  readonly vectors: VectorMemory
  readonly scratch: Scratch
  readonly occurrences: Occurrences
  /** Where a snippet is, whoever may see it. */
  readonly locate: (id: string) => { readonly segment: Segment; readonly slot: number } | undefined
}

/** Where a snippet is. */
interface Spot {
  readonly segment: Segment
  readonly slot: number
  readonly cosine: number
}

/** What a search has found so far. */
interface Found {
  readonly best: Best<Spot>
  /** Slots of the segment that are candidates whatever they say, see `IndexQuery`. */
  readonly wanted: ReadonlySet<number>
  /** Those that were found. */
  readonly also: Array<Spot>
}

/** What the terms of a query weigh in its scope. */
interface Weights extends QueryPlan {
  /** What an occurrence is worth. */
  readonly table: Float32Array
}

/**
 * Searches segments as if they were one collection: rareness and average lengths are those of just these, so nothing
 * outside of what the caller may see has any influence on a score. What is likely is told by the ranking's own
 * functions, in 32-bit floats: the best by its own account are the best.
 */
export const candidates = (
  segments: ReadonlyArray<Segment>,
  query: IndexQuery,
  most: number,
  { vectors, scratch, occurrences, locate }: Means
): Candidates => {
  const { asked } = query
  const documents = segments.reduce((sum, segment) => sum + segment.documents, 0)
  const frequencies = asked.terms.map((term) => segments.reduce((sum, { postings }) => sum + postings.df(term), 0))
  const tokens = Array.from({ length: fieldCount }, (_, field) =>
    segments.reduce((sum, segment) => sum + segment.tokens[field]!, 0)
  )
  const pieceFrequencies = asked.reading.pieces.map((piece) =>
    segments.reduce((sum, { profiles }) => sum + profiles.frequency(piece), 0)
  )
  const scope = { documents, frequencies, pieceFrequencies, tokens }
  if (documents === 0) return { ...scope, candidates: [], sharing: 0, near: 0 }
  const table = occurrences.of(tokens.map((count) => count / documents))
  const weights = { ...plan(asked, documents, frequencies), table }
  vectors.ask(asked.meanings)
  const best = new Best<Spot>(most)
  const wanted = Array.from(query.also ?? []).flatMap((id) => locate(id) ?? [])
  const also: Array<Spot> = []
  let [sharing, near] = [0, 0]
  for (const segment of segments) {
    if (segment.documents === 0) continue
    const slots = new Set(wanted.flatMap((one) => (one.segment === segment ? [one.slot] : [])))
    const counted = searchSegment(segment, weights, query, { best, wanted: slots, also }, scratch)
    sharing += counted.sharing
    near += counted.near
  }
  const found = [...Map.groupBy([...best.values, ...also], ({ segment }) => segment)].flatMap(([segment, spots]) =>
    readSpots(segment, asked.terms, spots, scratch)
  )
  return { ...scope, candidates: found, sharing, near }
}

/** What ranking needs of some snippets of a segment. */
const readSpots = (
  segment: Segment,
  terms: ReadonlyArray<string>,
  spots: ReadonlyArray<Spot>,
  scratch: Scratch
): ReadonlyArray<Candidate> => {
  const numbers = terms.map((term) => segment.postings.number(term))
  const places = scratch.placesOf(numbers, segment.postings.numbers)
  const profiles = segment.profiles.all(spots.map(({ slot }) => slot))
  const read = spots.map(({ slot, cosine }, at) => ({
    id: segment.ids[slot]!,
    counts: segment.counts(slot, places, terms.length),
    lengths: segment.lengthsOf(slot),
    cosine,
    completeness: segment.completeness[slot]!,
    verdict: segment.verdicts[slot]!,
    profile: profiles[at]!
  }))
  scratch.forget(numbers)
  return read
}

const searchSegment = (
  segment: Segment,
  weights: Weights,
  { asked, agent, minVerdict, minHumanUp = 0, kinds, language, preferComplete, only }: IndexQuery,
  { best, wanted, also }: Found,
  scratch: Scratch
): { readonly sharing: number; readonly near: number } => {
  const { terms, read, model } = asked
  scratch.begin(segment.slots)
  sumWords(segment, terms, weights, weights.table, scratch)
  const { cosines } = scratch
  if (read > 0) segment.vectors.compare(segment.slots, cosines)
  const { ids, agents, verdicts, completeness } = segment
  const long = asked.texts.length > 1
  let [sharing, near] = [0, 0]

  const consider = (slot: number, sharesWord: boolean) => {
    if (verdicts[slot]! < minVerdict) return
    if (agent !== null && agents[slot] !== null && agents[slot] !== agent) return
    if (segment.humanUps[slot]! < minHumanUp) return
    if (kinds !== undefined && !kinds.includes(segment.kinds[slot]!)) return
    if (language !== undefined && segment.languages[slot] !== language) return
    const cosine = read === 0 ? 0 : cosines[slot]!
    const words = sharesWord ? wordShare(scratch.sum(slot, long), weights.self) : 0
    const matching = relevance(words, asTable(cosine, model), read, model?.weights.meaning)
    const final = score(matching, priorOf(segment.verdictOdds[slot]!, completeness[slot]!, preferComplete))
    const isWanted = wanted.has(slot)
    if (!isWanted && !matches(sharesWord, final)) return
    const id = ids[slot]!
    if (only !== undefined && !only.has(id)) return
    if (sharesWord) sharing++
    else near++
    if (isWanted) also.push({ segment, slot, cosine })
    else if (!best.refuses(final)) best.offer(final, id, { segment, slot, cosine })
  }

  for (let at = 0; at < scratch.found; at++) consider(scratch.slots[at]!, true)
  // what shares no word, and what no votes could lift far enough, is most of them; a slot that is free has no meaning
  // either
  const most = relevance(0, 1, read, model?.weights.meaning)
  const least = read === 0 ? 0 : ofModel(leastRelevance(preferComplete) / most, model)
  if (read > 0) {
    for (let slot = 0; slot < segment.slots; slot++) {
      if (cosines[slot]! >= least && !scratch.has(slot)) consider(slot, false)
    }
  }
  // those that were not come by so far
  for (const slot of wanted) if (!scratch.has(slot) && (read === 0 || cosines[slot]! < least)) consider(slot, false)
  return { sharing, near }
}
