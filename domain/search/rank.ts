import { fieldCount, occurrence, saturated } from "./bm25f.ts"
import type { Candidates, Judged, Likely } from "./Candidate.ts"
import { type Explanation, explaining } from "./explanation.ts"
import { fields } from "./IndexedText.ts"
import { type Learned, sought } from "./learned.ts"
import { asTable } from "./modelWeights.ts"
import { logitsOf } from "./probability.ts"
import { type Asked, merged, plan, type QueryPlan, type Worded } from "./query.ts"
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
import { judging, looked } from "./secondStage.ts"

/** Scores are all in 0…1. */
export interface Ranked {
  readonly id: string
  /** How likely it is to answer the task, moved by its votes and, if that is asked for, by its completeness. */
  readonly score: number
  /** The same without votes and completeness. */
  readonly relevance: number
  /** How near its meaning is: the cosine, 0 if that is negative or there is none. */
  readonly vector: number
  readonly verdict: number
  /** Only if it was asked for. */
  readonly explanation?: Explanation
}

export interface Ranking {
  /** Best first, at most `limit`; ties in order of id. */
  readonly matches: ReadonlyArray<Ranked>
  /** How many snippets match. */
  readonly total: number
}

/**
 * Whether the first stage finds a snippet: it shares a term, or a synonym of one, with the task, or its score is high
 * enough without that.
 */
export const matches = (sharesWord: boolean, score: number): boolean => sharesWord || score >= leastScore

/** What multiplies the odds of a match in the first stage. */
export const priorOf = (verdictOdds: number, completeness: number, preferComplete: boolean): number =>
  verdictOdds * (preferComplete ? completenessOdds(completeness) : 1)

const { fround } = Math

/**
 * What the terms of a text add up to in a candidate, in 32-bit floats, as indexes keep them: candidates that tie in an
 * index tie here too.
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
 * What a candidate's words add up to; 0 if it has none of the task's. `worths`: what an occurrence in each of its
 * fields is worth.
 */
export const sumOf = ({ texts }: QueryPlan, counts: ArrayLike<number>, worths: ArrayLike<number>): number => {
  const whole = sumOfText(texts[0]!, counts, worths)
  let part = 0
  for (let at = 1; at < texts.length; at++) part = Math.max(part, sumOfText(texts[at]!, counts, worths))
  return texts.length === 1 ? whole : merged(whole, part)
}

const nobody: ReadonlySet<string> = new Set()
const untaught: ReadonlyMap<string, Learned> = new Map()

/**
 * An index's candidates as the first stage orders them, likeliest first; ties in order of id. The order depends on
 * nothing but the candidates and what the index says of the scope: how rare a word is elsewhere must not leak. Those in
 * `also` match whatever they say, see `IndexQuery`.
 */
export const likeliest = (
  asked: Worded,
  { documents, frequencies, tokens, candidates }: Candidates,
  preferComplete: boolean,
  also: ReadonlySet<string> = nobody
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
    const cosine = asked.read === 0 ? 0 : asTable(candidate.cosine, asked.model)
    const matching = relevance(words, cosine, asked.read, asked.model?.weights.meaning)
    const final = score(matching, priorOf(verdictOdds(verdict), completeness, preferComplete))
    if (!matches(sum > 0, final) && !also.has(candidate.id)) continue
    const shown = Math.min(1, Math.max(0, cosine))
    likely.push({ candidate, words, cosine: shown, sharesWord: sum > 0, relevance: matching, score: final })
  }
  const before = (one: Likely, other: Likely) =>
    other.score - one.score || (one.candidate.id < other.candidate.id ? -1 : 1)
  return likely.sort(before)
}

/** The same list with those of `also` moved among the first `most`, in place of the last ones there. */
export const foremost = (
  likely: ReadonlyArray<Likely>,
  most: number,
  also: ReadonlySet<string> = nobody
): ReadonlyArray<Likely> => {
  const isSought = ({ candidate }: Likely) => also.has(candidate.id)
  const behind = likely.slice(most).filter(isSought)
  if (behind.length === 0) return likely
  const others = likely.filter((one) => !isSought(one))
  const wanted = likely.filter(isSought)
  const left = new Set([...wanted, ...others.slice(0, Math.max(0, most - wanted.length))])
  return [...likely.filter((one) => left.has(one)), ...likely.filter((one) => !left.has(one))]
}

/**
 * What the second stage says of the likeliest, in their order. If a task could be read only in part, each of the two
 * judges counts by its share.
 */
export const judge = (
  asked: Asked,
  found: Candidates,
  likely: ReadonlyArray<Likely>,
  preferComplete: boolean,
  learned: ReadonlyMap<string, Learned> = untaught
): ReadonlyArray<Judged> => {
  const { read, model } = asked
  const all = likely.map(judging(asked, found))
  const ofMeaning = model?.weights.judge ?? byMeaning
  const meant = read === 0 ? [] : logitsOf(ofMeaning, all, found.documents)
  const said = read === 1 ? [] : logitsOf(byWords, all, found.documents)
  return likely.map((one, at) => {
    const { verdict, completeness } = one.candidate
    const meaning = read === 0 ? 0 : read * meant[at]!
    const words = read === 1 ? 0 : (1 - read) * said[at]!
    return {
      likely: one,
      features: all[at]!,
      logit: meaning + words,
      votes: verdictLogit(verdict),
      learned: learned.get(one.candidate.id),
      completeness: preferComplete ? completenessLogit(completeness) : 0
    }
  })
}

const sumOfLogits = ({ logit, votes, learned, completeness }: Judged): number =>
  logit + votes + (learned?.effect ?? 0) + completeness

/** Judged candidates, best first; ties in order of id. */
export const ordered = (judged: ReadonlyArray<Judged>): ReadonlyArray<Judged> =>
  [...judged].sort(
    (one, other) =>
      sumOfLogits(other) - sumOfLogits(one) || (one.likely.candidate.id < other.likely.candidate.id ? -1 : 1)
  )

/**
 * The best of an index's candidates. The likeliest 50 are judged and sorted. Any further ones follow in the order of
 * the first stage, with no higher score than the last of the 50, so a longer list begins like a shorter one. With
 * `textOf`, which gives a piece's letters, each match is explained. `learned` is by id; snippets that it speaks for are
 * among the 50.
 */
export const rank = (
  asked: Asked,
  found: Candidates,
  {
    preferComplete,
    limit,
    learned = untaught
  }: { readonly preferComplete: boolean; readonly limit: number; readonly learned?: ReadonlyMap<string, Learned> },
  textOf?: (piece: number) => string
): Ranking => {
  const also = sought(learned)
  const likely = foremost(likeliest(asked, found, preferComplete, also), looked, also)
  const judged = judge(asked, found, likely.slice(0, Math.max(limit, looked)), preferComplete, learned)
  const explain = textOf && explaining(asked, found, judged.slice(0, looked), textOf)
  let most = Number.POSITIVE_INFINITY
  const matches = [...ordered(judged.slice(0, looked)), ...judged.slice(looked)].slice(0, limit).map((one): Ranked => {
    const { candidate, cosine } = one.likely
    most = Math.min(most, sumOfLogits(one))
    const { id, verdict } = candidate
    const relevance = probability(one.logit)
    const ranked: Ranked = { id, score: probability(most), relevance, vector: cosine, verdict }
    return explain === undefined ? ranked : { ...ranked, explanation: explain(one, relevance) }
  })
  return { matches, total: found.sharing + found.near }
}
