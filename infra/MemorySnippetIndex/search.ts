import { fieldCount, k1, occurrence } from "#domain/search/bm25f.ts"
import { fields } from "#domain/search/IndexedText.ts"
import { merged, parts, plan, type QueryPlan, type WeightedTerm } from "#domain/search/query.ts"
import { completenessOdds, relevance, score } from "#domain/search/score.ts"
import type { IndexAnswer, IndexMatch, IndexQuery } from "#ports/SnippetIndex.ts"
import { masks, shifts } from "./Postings.ts"
import type { Scratch } from "./Scratch.ts"
import type { Segment } from "./Segment.ts"

/** Field lengths that have their worth tabulated; beyond, it is that of the last. */
const tabulated = 2048

/** What an occurrence is worth by field and length, for documents whose fields have these average lengths. */
const occurrences = (averages: ReadonlyArray<number>): Float32Array => {
  const table = new Float32Array(fieldCount * tabulated)
  for (let field = 0; field < fieldCount; field++) {
    for (let length = 0; length < tabulated; length++) {
      table[field * tabulated + length] = occurrence(fields[field]!, length, averages[field]!)
    }
  }
  return table
}

/** Adds to the sums of all documents what the best alternative gives to each. */
const addTerm = (
  segment: Segment,
  alternatives: ReadonlyArray<WeightedTerm>,
  table: Float32Array,
  scratch: Scratch
): void => {
  const { lengths } = segment
  const { sums, best } = scratch
  scratch.nextTerm()
  for (const { term, weight } of alternatives) {
    const postings = segment.postings.of(term)
    if (postings === undefined) continue
    const { words, from, to } = postings
    for (let at = from; at < to; at += 2) {
      const slot = words[at]!
      const packed = words[at + 1]!
      let worth = 0
      for (let field = 0; field < fieldCount; field++) {
        const count = (packed >>> shifts[field]!) & masks[field]!
        if (count === 0) continue
        worth += count * table[field * tabulated + Math.min(lengths[slot * fieldCount + field]!, tabulated - 1)]!
      }
      const value = (weight * worth) / (k1 + worth)
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

/** The best so far, best first; ties in order of id, so that an answer doesn't depend on the order of insertion. */
class Best {
  readonly #limit: number
  readonly matches: Array<IndexMatch> = []

  constructor(limit: number) {
    this.#limit = limit
  }

  offer(match: IndexMatch): void {
    const { matches } = this
    let at = matches.length
    while (at > 0 && before(match, matches[at - 1]!)) at--
    if (at >= this.#limit) return
    matches.splice(at, 0, match)
    if (matches.length > this.#limit) matches.pop()
  }

  /** Whether a score is too low to be offered: spares making the match. */
  refuses(score: number): boolean {
    return this.matches.length >= this.#limit && score < this.matches.at(-1)!.score
  }
}

const before = (one: IndexMatch, other: IndexMatch): boolean =>
  one.score > other.score || (one.score === other.score && one.id < other.id)

const averagesOf = (segments: ReadonlyArray<Segment>, documents: number): ReadonlyArray<number> =>
  fields.map((_, field) => segments.reduce((sum, { tokens }) => sum + tokens[field]!, 0) / documents)

/**
 * Searches segments as if they were one collection: rareness and average lengths are those of just these, so nothing outside
 * of what the caller may see has any influence on a score.
 */
export const search = (segments: ReadonlyArray<Segment>, query: IndexQuery, scratch: Scratch): IndexAnswer => {
  const documents = segments.reduce((sum, segment) => sum + segment.documents, 0)
  if (documents === 0) return { matches: [], total: 0 }
  const df = (term: string) => segments.reduce((sum, { postings }) => sum + postings.df(term), 0)
  const plans = parts(query.task).map((part) => plan(part, documents, df))
  const [whole, ...others] = plans.map(({ self }) => self)
  const self = others.length === 0 ? whole! : merged(whole!, Math.max(...others))
  const table = occurrences(averagesOf(segments, documents))
  const best = new Best(query.limit)
  let total = 0
  for (const segment of segments) {
    if (segment.documents === 0) continue
    total += searchSegment(segment, plans, self, table, query, best, scratch)
  }
  return { matches: best.matches, total }
}

const searchSegment = (
  segment: Segment,
  plans: ReadonlyArray<QueryPlan>,
  self: number,
  table: Float32Array,
  { agent, minVerdict, minHumanUp = 0, kinds, language, preferComplete, accept }: IndexQuery,
  best: Best,
  scratch: Scratch
): number => {
  scratch.begin(segment.slots)
  for (const { terms } of plans) {
    scratch.beginPart()
    for (const alternatives of terms) addTerm(segment, alternatives, table, scratch)
    scratch.endPart()
  }
  const { ids, agents, verdicts, completeness } = segment
  const long = plans.length > 1
  let total = 0
  for (let at = 0; at < scratch.found; at++) {
    const slot = scratch.slots[at]!
    if (verdicts[slot]! < minVerdict) continue
    if (agent !== null && agents[slot] !== null && agents[slot] !== agent) continue
    if (segment.humanUps[slot]! < minHumanUp) continue
    if (kinds !== undefined && !kinds.includes(segment.kinds[slot]!)) continue
    if (language !== undefined && segment.languages[slot] !== language) continue
    const id = ids[slot]!
    if (accept !== undefined && !accept(id)) continue
    total++
    const sum = long ? merged(scratch.wholes[slot]!, scratch.parts[slot]!) : scratch.wholes[slot]!
    const matching = relevance(sum, self)
    const prior = segment.verdictOdds[slot]! * (preferComplete ? completenessOdds(completeness[slot]!) : 1)
    const final = score(matching, prior)
    if (best.refuses(final)) continue
    best.offer({ id, score: final, relevance: matching, vector: 0, verdict: verdicts[slot]! })
  }
  return total
}
