import { fieldCount, occurrence, saturated } from "./bm25f.ts"
import { fields } from "./IndexedText.ts"
import { type Asked, merged, plan, type QueryPlan } from "./query.ts"
import { completenessOdds, leastScore, relevance, score, verdictOdds, wordShare } from "./score.ts"

/** What an index knows of one snippet that may be an answer. */
export interface Candidate {
  readonly id: string
  /** How often each of `Asked.terms` occurs in each field: `fieldCount` numbers a term, in the order of `fields`. */
  readonly counts: ArrayLike<number>
  /** Tokens per field. */
  readonly lengths: ArrayLike<number>
  /**
   * The cosine of what it means with the task; of a long one with the whole and its best part, as `merged`. 0: nothing
   * in it could be read.
   */
  readonly cosine: number
  readonly completeness: number
  /** By its votes, see `score.ts`. */
  readonly verdict: number
}

/** Candidates, and what rareness and average lengths are among all that the search may see. */
export interface Candidates {
  readonly documents: number
  /** How many of them have each of `Asked.terms`. */
  readonly frequencies: ReadonlyArray<number>
  /** Tokens per field over all of them. */
  readonly tokens: ReadonlyArray<number>
  /** The likeliest to rank first, in no order. */
  readonly candidates: ReadonlyArray<Candidate>
  /**
   * All that pass the query's filters and match, see `matches`. Of those that share no word an index that does not
   * compare all vectors counts the ones that it has looked at.
   */
  readonly total: number
}

/** Scores are all in 0…1. */
export interface Ranked {
  readonly id: string
  readonly score: number
  /** How well its words and its meaning match, without its votes. */
  readonly relevance: number
  /** How near its meaning is: the cosine, 0 where it is below or there is none. */
  readonly vector: number
  readonly verdict: number
}

/** Whether something matches: it shares a term with the task, or a synonym of one, or has a score all the same. */
export const matches = (sharesWord: boolean, score: number): boolean => sharesWord || score >= leastScore

/** What counts beside how well it matches. */
export const priorOf = (verdictOdds: number, completeness: number, preferComplete: boolean): number =>
  verdictOdds * (preferComplete ? completenessOdds(completeness) : 1)

const { fround } = Math

/**
 * What the terms of a text add up to in a candidate, in 32-bit floats, which is what indexes keep: what is as likely to one
 * ties here, too.
 */
const sumOfText = (terms: QueryPlan["texts"][number], counts: ArrayLike<number>, worths: ArrayLike<number>): number => {
  let sum = 0
  for (const alternatives of terms) {
    let best = 0
    for (const { term, weight } of alternatives) {
      let worth = 0
      for (let field = 0; field < fieldCount; field++) worth += counts[term * fieldCount + field]! * worths[field]!
      const value = saturated(weight, worth)
      if (value <= best) continue
      sum = fround(sum + (value - best))
      best = fround(value)
    }
  }
  return sum
}

/**
 * What a candidate's words add up to; 0: it has none that was asked for. `worths` are of an occurrence in each of its
 * fields.
 */
const sumOf = ({ texts }: QueryPlan, counts: ArrayLike<number>, worths: ArrayLike<number>): number => {
  const whole = sumOfText(texts[0]!, counts, worths)
  let part = 0
  for (let at = 1; at < texts.length; at++) part = Math.max(part, sumOfText(texts[at]!, counts, worths))
  return texts.length === 1 ? whole : merged(whole, part)
}

/**
 * The best of an index's candidates, best first, at most `limit`; ties in order of id. A score depends on nothing but
 * the candidate and what the index says of the scope: how rare a word is elsewhere must not leak.
 */
export const rank = (
  asked: Asked,
  { documents, frequencies, tokens, candidates }: Candidates,
  { preferComplete, limit }: { readonly preferComplete: boolean; readonly limit: number }
): ReadonlyArray<Ranked> => {
  if (documents === 0) return []
  const weighted = plan(asked, documents, frequencies)
  const averages = tokens.map((count) => count / documents)
  const worths = new Float32Array(fieldCount)
  const ranked: Array<Ranked> = []
  for (const { id, counts, lengths, completeness, verdict, cosine: near } of candidates) {
    for (let at = 0; at < fieldCount; at++) worths[at] = occurrence(fields[at]!, lengths[at]!, averages[at]!)
    const sum = sumOf(weighted, counts, worths)
    const cosine = asked.read === 0 ? 0 : near
    const matching = relevance(wordShare(sum, weighted.self), cosine, asked.read)
    const final = score(matching, priorOf(verdictOdds(verdict), completeness, preferComplete))
    if (!matches(sum > 0, final)) continue
    ranked.push({ id, score: final, relevance: matching, vector: Math.min(1, Math.max(0, cosine)), verdict })
  }
  const before = (one: Ranked, other: Ranked) => other.score - one.score || (one.id < other.id ? -1 : 1)
  return ranked.sort(before).slice(0, limit)
}
