import { fieldCount, occurrence, saturated } from "./bm25f.ts"
import type { Profile } from "./embeddings/Profile.ts"
import { fields } from "./IndexedText.ts"
import { logitOf, signsOf } from "./probability.ts"
import { type Asked, merged, plan, type QueryPlan } from "./query.ts"
import { byMeaning, byWords } from "./ranker.ts"
import {
  completenessLogit,
  completenessOdds,
  leastScore,
  probability,
  relevance,
  score,
  verdictLogit,
  verdictOdds,
  wordShare
} from "./score.ts"
import { type Features, judging, looked } from "./secondStage.ts"

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
  readonly profile: Profile
}

/** Candidates, and what rareness and average lengths are among all that the search may see. */
export interface Candidates {
  readonly documents: number
  /** How many of them have each of `Asked.terms`. */
  readonly frequencies: ReadonlyArray<number>
  /** How many of them have each of the task's pieces, `Asked.reading.pieces`. */
  readonly pieceFrequencies: ReadonlyArray<number>
  /** Tokens per field over all of them. */
  readonly tokens: ReadonlyArray<number>
  /** The likeliest to rank first, in no order. */
  readonly candidates: ReadonlyArray<Candidate>
  /** All that pass the query's filters and share a word with the task, or a synonym of one. */
  readonly sharing: number
  /**
   * All others that pass them and match, see `matches`. An index that does not compare all vectors counts the ones that it
   * has looked at.
   */
  readonly near: number
}

/** Scores are all in 0…1. */
export interface Ranked {
  readonly id: string
  /** How likely it is that it answers the task, moved by its votes, and by its completeness where that is asked for. */
  readonly score: number
  /** The same without its votes and its completeness. */
  readonly relevance: number
  /** How near its meaning is: the cosine, 0 where it is below or there is none. */
  readonly vector: number
  readonly verdict: number
}

export interface Ranking {
  /** Best first, at most `limit`; ties in order of id. */
  readonly matches: ReadonlyArray<Ranked>
  /** All that match. */
  readonly total: number
}

/** A candidate as the first stage sees it. */
export interface Likely {
  readonly candidate: Candidate
  /** The share of the task's words that it has, 0…1. */
  readonly words: number
  /** 0…1 */
  readonly cosine: number
  readonly sharesWord: boolean
  readonly relevance: number
  readonly score: number
}

/** A candidate as the second stage sees it. */
export interface Judged {
  readonly likely: Likely
  readonly features: Features
  /** Of the probability that it answers the task. */
  readonly logit: number
  /** What its votes and its completeness add to that. */
  readonly votes: number
  readonly completeness: number
}

/** Whether the first stage finds something: it shares a term with the task, or a synonym of one, or is near all the same. */
export const matches = (sharesWord: boolean, score: number): boolean => sharesWord || score >= leastScore

/** What counts in the first stage beside how well it matches. */
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
 * An index's candidates as the first stage orders them, likeliest first; ties in order of id. What it says depends on nothing
 * but the candidate and what the index says of the scope: how rare a word is elsewhere must not leak.
 */
export const likeliest = (
  asked: Asked,
  { documents, frequencies, tokens, candidates }: Candidates,
  preferComplete: boolean
): ReadonlyArray<Likely> => {
  if (documents === 0) return []
  const weighted = plan(asked, documents, frequencies)
  const averages = tokens.map((count) => count / documents)
  const worths = new Float32Array(fieldCount)
  const likely: Array<Likely> = []
  for (const candidate of candidates) {
    const { counts, lengths, completeness, verdict } = candidate
    for (let at = 0; at < fieldCount; at++) worths[at] = occurrence(fields[at]!, lengths[at]!, averages[at]!)
    const sum = sumOf(weighted, counts, worths)
    const words = wordShare(sum, weighted.self)
    const cosine = asked.read === 0 ? 0 : candidate.cosine
    const matching = relevance(words, cosine, asked.read)
    const final = score(matching, priorOf(verdictOdds(verdict), completeness, preferComplete))
    if (!matches(sum > 0, final)) continue
    const shown = Math.min(1, Math.max(0, cosine))
    likely.push({ candidate, words, cosine: shown, sharesWord: sum > 0, relevance: matching, score: final })
  }
  const before = (one: Likely, other: Likely) =>
    other.score - one.score || (one.candidate.id < other.candidate.id ? -1 : 1)
  return likely.sort(before)
}

/**
 * What the second stage says of the likeliest, in their order. Of a task that could be read in part each of the two judges
 * counts by its share.
 */
export const judge = (
  asked: Asked,
  found: Candidates,
  likely: ReadonlyArray<Likely>,
  preferComplete: boolean
): ReadonlyArray<Judged> => {
  const { read } = asked
  const all = likely.map(judging(asked, found))
  const meant = signsOf(byMeaning, all, found.documents)
  const said = read === 1 ? [] : signsOf(byWords, all, found.documents)
  return likely.map((one, at) => {
    const { verdict, completeness } = one.candidate
    const meaning = read === 0 ? 0 : read * logitOf(byMeaning, meant[at]!)
    const words = read === 1 ? 0 : (1 - read) * logitOf(byWords, said[at]!)
    return {
      likely: one,
      features: all[at]!,
      logit: meaning + words,
      votes: verdictLogit(verdict),
      completeness: preferComplete ? completenessLogit(completeness) : 0
    }
  })
}

const sumOfLogits = ({ logit, votes, completeness }: Judged): number => logit + votes + completeness

/** Judged candidates, best first; ties in order of id. */
export const ordered = (judged: ReadonlyArray<Judged>): ReadonlyArray<Judged> =>
  [...judged].sort(
    (one, other) =>
      sumOfLogits(other) - sumOfLogits(one) || (one.likely.candidate.id < other.likely.candidate.id ? -1 : 1)
  )

/**
 * The best of an index's candidates. The likeliest 50 are judged and put in order; whoever wants more gets the others behind
 * them as the first stage has them, by no higher a score than the last of these: so a longer list begins as a shorter one.
 */
export const rank = (
  asked: Asked,
  found: Candidates,
  { preferComplete, limit }: { readonly preferComplete: boolean; readonly limit: number }
): Ranking => {
  const likely = likeliest(asked, found, preferComplete)
  const judged = judge(asked, found, likely.slice(0, Math.max(limit, looked)), preferComplete)
  let most = Number.POSITIVE_INFINITY
  const matches = [...ordered(judged.slice(0, looked)), ...judged.slice(looked)].slice(0, limit).map((one): Ranked => {
    const { candidate, cosine } = one.likely
    most = Math.min(most, sumOfLogits(one))
    const { id, verdict } = candidate
    return { id, score: probability(most), relevance: probability(one.logit), vector: cosine, verdict }
  })
  return { matches, total: found.sharing + found.near }
}
