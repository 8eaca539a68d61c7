import { fieldCount } from "#domain/search/bm25f.ts"
import type { Candidate, Candidates } from "#domain/search/Candidate.ts"
import { asTable, ofModel } from "#domain/search/modelWeights.ts"
import { plan, type QueryPlan } from "#domain/search/query.ts"
import { matches, priorOf } from "#domain/search/rank.ts"
import { leastRelevance, relevance, score, wordShare } from "#domain/search/score.ts"
import type { IndexQuery } from "#ports/SnippetIndex.ts"
import { looks, unlessGivenUp } from "../givenUp.ts"
import { Best } from "./Best.ts"
import type { Nearness } from "./Nearness.ts"
import type { Scratch } from "./Scratch.ts"
import type { Segment } from "./Segment.ts"
import { type Occurrences, sumWords } from "./words.ts"

/** What every search works with. */
interface Means {
  readonly nearness: Nearness
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
  { nearness, scratch, occurrences, locate }: Means
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
  const firsts =
    asked.read === 0 ? [] : nearness.ask(segments, documents, asked.meanings, (segment) => passing(segment, query))
  const best = new Best<Spot>(most)
  const wanted = Array.from(query.also ?? []).flatMap((id) => locate(id) ?? [])
  const also: Array<Spot> = []
  let [sharing, near] = [0, 0]
  for (const [at, segment] of segments.entries()) {
    if (segment.documents === 0) continue
    const slots = new Set(wanted.flatMap((one) => (one.segment === segment ? [one.slot] : [])))
    const counted = searchSegment(segment, weights, query, { best, wanted: slots, also }, scratch, {
      nearness,
      first: firsts[at] ?? 0
    })
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

/** Whether a slot passes what was asked beside the task. */
const passing = (
  segment: Segment,
  { agent, minVerdict, minHumanUp = 0, kinds, language, only }: IndexQuery
): ((slot: number) => boolean) => {
  const { ids, agents, verdicts } = segment
  return (slot) => {
    if (verdicts[slot]! < minVerdict) return false
    if (agent !== null && agents[slot] !== null && agents[slot] !== agent) return false
    if (segment.humanUps[slot]! < minHumanUp) return false
    if (kinds !== undefined && !kinds.includes(segment.kinds[slot]!)) return false
    if (language !== undefined && segment.languages[slot] !== language) return false
    return only === undefined || only.has(ids[slot]!)
  }
}

const searchSegment = (
  segment: Segment,
  weights: Weights,
  query: IndexQuery,
  { best, wanted, also }: Found,
  scratch: Scratch,
  { nearness, first }: { readonly nearness: Nearness; readonly first: number }
): { readonly sharing: number; readonly near: number } => {
  const { asked, preferComplete } = query
  const { terms, read, model } = asked
  scratch.begin(segment.slots)
  sumWords(segment, terms, weights, weights.table, scratch)
  const { ids, completeness } = segment
  const { cosines, ceiling } = nearness
  const passes = passing(segment, query)
  const long = asked.texts.length > 1
  let [sharing, near] = [0, 0]

  const scoreOf = (slot: number, words: number, cosine: number) =>
    score(
      relevance(words, asTable(cosine, model), read, model?.weights.meaning),
      priorOf(segment.verdictOdds[slot]!, completeness[slot]!, preferComplete)
    )
  let considered = 0
  const consider = (slot: number, sharesWord: boolean) => {
    if (considered++ % looks === 0) unlessGivenUp()
    if (!passes(slot)) return
    const words = sharesWord ? wordShare(scratch.sum(slot, long), weights.self) : 0
    const isWanted = wanted.has(slot)
    if (sharesWord && !isWanted && read > 0) {
      const known = cosines[first + slot]!
      // one that was left out of those that are compared, and has too little of the words to make up for it
      if (Number.isNaN(known) && best.refuses(scoreOf(slot, words, ceiling))) {
        sharing++
        return
      }
    }
    const cosine = read === 0 ? 0 : nearness.of(segment, slot, first + slot)
    const final = scoreOf(slot, words, cosine)
    if (!isWanted && !matches(sharesWord, final)) return
    if (sharesWord) sharing++
    else near++
    if (isWanted) also.push({ segment, slot, cosine })
    else if (!best.refuses(final)) best.offer(final, ids[slot]!, { segment, slot, cosine })
  }

  // what shares no word, and what no votes could lift far enough, is most of them; a slot that is free has no meaning
  // either
  const most = relevance(0, 1, read, model?.weights.meaning)
  const least = read === 0 ? 0 : ofModel(leastRelevance(preferComplete) / most, model)
  if (read > 0) {
    for (let slot = 0; slot < segment.slots; slot++) {
      if (cosines[first + slot]! >= least && !scratch.has(slot)) consider(slot, false)
    }
  }
  // those that were not come by so far
  for (const slot of wanted)
    if (!scratch.has(slot) && (read === 0 || !(cosines[first + slot]! >= least))) consider(slot, false)
  // last, when it is known what the best have: what need not be compared is most of a large scope
  for (let at = 0; at < scratch.found; at++) consider(scratch.slots[at]!, true)
  return { sharing, near }
}
