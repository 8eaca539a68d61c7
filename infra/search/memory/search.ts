import type { Encoder } from "#domain/search/embeddings/Encoder.ts"
import type { Vector } from "#domain/search/embeddings/vector.ts"
import { fields } from "#domain/search/IndexedText.ts"
import { merged, parts, plan, type QueryPlan } from "#domain/search/query.ts"
import { completenessOdds, leastRelevance, leastScore, relevance, score, wordShare } from "#domain/search/score.ts"
import type { IndexAnswer, IndexQuery } from "#ports/SnippetIndex.ts"
import { Best } from "./Best.ts"
import type { Scratch } from "./Scratch.ts"
import type { Segment } from "./Segment.ts"
import type { VectorMemory } from "./VectorMemory.ts"
import { occurrences, sumWords } from "./words.ts"

/** A task as all segments are searched by it: the whole first, then its parts when it is long. */
interface Asked {
  readonly plans: ReadonlyArray<QueryPlan>
  /** The most that a document's words could reach. */
  readonly self: number
  readonly meanings: ReadonlyArray<Vector>
  /** The share of the task that could be read: 0 when the meanings say nothing. */
  readonly read: number
  /** What an occurrence is worth. */
  readonly table: Float32Array
}

/** What every search works with. */
interface Means {
  readonly encoder: Encoder
  readonly vectors: VectorMemory
  readonly scratch: Scratch
}

const averagesOf = (segments: ReadonlyArray<Segment>, documents: number): ReadonlyArray<number> =>
  fields.map((_, field) => segments.reduce((sum, { tokens }) => sum + tokens[field]!, 0) / documents)

const ask = (segments: ReadonlyArray<Segment>, documents: number, task: string, encoder: Encoder): Asked => {
  const df = (term: string) => segments.reduce((sum, { postings }) => sum + postings.df(term), 0)
  const texts = parts(task)
  const plans = texts.map((text) => plan(text, documents, df))
  const [whole, ...others] = plans.map(({ self }) => self)
  const meanings = texts.map(encoder.query)
  return {
    plans,
    self: others.length === 0 ? whole! : merged(whole!, Math.max(...others)),
    meanings: meanings.map(({ vector }) => vector),
    read: meanings[0]!.read,
    table: occurrences(averagesOf(segments, documents))
  }
}

/**
 * Searches segments as if they were one collection: rareness and average lengths are those of just these, so nothing outside
 * of what the caller may see has any influence on a score.
 */
export const search = (
  segments: ReadonlyArray<Segment>,
  query: IndexQuery,
  { encoder, vectors, scratch }: Means
): IndexAnswer => {
  const documents = segments.reduce((sum, segment) => sum + segment.documents, 0)
  if (documents === 0) return { matches: [], total: 0 }
  const asked = ask(segments, documents, query.task, encoder)
  vectors.ask(asked.meanings)
  const best = new Best(query.limit)
  let total = 0
  for (const segment of segments) {
    if (segment.documents > 0) total += searchSegment(segment, asked, query, best, scratch)
  }
  return { matches: best.matches, total }
}

const searchSegment = (
  segment: Segment,
  { plans, self, read, table }: Asked,
  { agent, minVerdict, minHumanUp = 0, kinds, language, preferComplete, accept }: IndexQuery,
  best: Best,
  scratch: Scratch
): number => {
  scratch.begin(segment.slots)
  sumWords(segment, plans, table, scratch)
  const { cosines } = scratch
  if (read > 0) segment.vectors.compare(segment.slots, cosines)
  const { ids, agents, verdicts, completeness } = segment
  const long = plans.length > 1
  let total = 0

  const consider = (slot: number, sharesWord: boolean) => {
    if (verdicts[slot]! < minVerdict) return
    if (agent !== null && agents[slot] !== null && agents[slot] !== agent) return
    if (segment.humanUps[slot]! < minHumanUp) return
    if (kinds !== undefined && !kinds.includes(segment.kinds[slot]!)) return
    if (language !== undefined && segment.languages[slot] !== language) return
    const cosine = read === 0 ? 0 : cosines[slot]!
    const matching = relevance(sharesWord ? wordShare(scratch.sum(slot, long), self) : 0, cosine, read)
    const prior = segment.verdictOdds[slot]! * (preferComplete ? completenessOdds(completeness[slot]!) : 1)
    const final = score(matching, prior)
    if (!sharesWord && final < leastScore) return
    const id = ids[slot]!
    if (accept !== undefined && !accept(id)) return
    total++
    if (best.refuses(final)) return
    best.offer({
      id,
      score: final,
      relevance: matching,
      vector: Math.min(1, Math.max(0, cosine)),
      verdict: verdicts[slot]!
    })
  }

  for (let at = 0; at < scratch.found; at++) consider(scratch.slots[at]!, true)
  if (read === 0) return total
  // what shares no word, and what no votes could lift far enough, is most of them; a slot that is free has no meaning either
  const least = leastRelevance(preferComplete) / relevance(0, 1, read)
  for (let slot = 0; slot < segment.slots; slot++) {
    if (cosines[slot]! >= least && !scratch.has(slot)) consider(slot, false)
  }
  return total
}
