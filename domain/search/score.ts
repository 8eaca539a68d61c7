import { exp, log } from "./exact.ts"

/**
 * A snippet's quality by its votes, 0…1: 0.5 without any, 0.29 after three against it. It starts from two votes each
 * way.
 */
export const verdict = (up: number, down: number): number => (up + 2) / (up + down + 4)

const clamped = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))
const odds = (probability: number): number => probability / (1 - probability)

const verdictWeight = 0.3
/** Bound of the verdict's logit: beyond about 4 to 1, more votes of a kind say nothing new. */
const verdictBound = 1.5
/** How far `prefer_complete` moves the logit from one line to a whole program, and the further odds of a stub. */
const completenessWeight = 0.6
const stubOdds = exp(-2)

/**
 * The share of the task's words that a text has, 0…1: its BM25F over the most that it could reach (`self`, see
 * `QueryPlan`).
 */
export const wordShare = (bm25f: number, self: number): number => (self === 0 ? 0 : Math.min(1, bm25f / self))

/** How much the meaning counts against the words, 0…1. */
export const meaningWeight = 0.75

/**
 * How well a text matches, 0…1: 0.25 of its word share + 0.75 of its cosine with the query. If only a part of the query
 * could be read (`read`, 0…1), the cosine counts for that part only; if nothing could, the words alone count. A model
 * other than the table has its own weight, `meaning`, in place of the 0.75.
 */
export const relevance = (wordShare: number, cosine: number, read: number, meaning = meaningWeight): number => {
  const weight = meaning * read
  return (1 - weight) * wordShare + weight * Math.min(1, Math.max(0, cosine))
}

/** What a verdict multiplies the odds by. */
export const verdictOdds = (verdict: number): number =>
  exp(verdictWeight * clamped(log(odds(verdict)), -verdictBound, verdictBound))

/** What completeness (0…1) multiplies the odds by if complete implementations are preferred. */
export const completenessOdds = (completeness: number): number =>
  exp(completenessWeight * (completeness - 0.5)) * (completeness === 0 ? stubOdds : 1)

/** A relevance kept where a prior can move it: nothing is impossible, and nothing certain. */
export const bounded = (relevance: number): number => clamped(relevance, 0.001, 0.999)

/**
 * The final score, 0…1: σ(logit R + 0.3 · logit V + 0.6 · (completeness − 0.5)) with its bounds. It is written in odds:
 * there sums of logits are products, and the votes' part can be kept. `prior` = the product of `verdictOdds` and
 * `completenessOdds`; 1 leaves the relevance as it is.
 */
export const score = (relevance: number, prior: number): number => {
  const combined = odds(bounded(relevance)) * prior
  return combined / (1 + combined)
}

/** The least score of the first stage with which a snippet that shares no word with the task still matches. */
export const leastScore = 0.2

/** What a verdict adds to the logit of a probability: its own odds, within their bound, multiply those of the match. */
export const verdictLogit = (verdict: number): number => clamped(log(odds(verdict)), -verdictBound, verdictBound)

/** If complete implementations are preferred: what a stub loses, and what a whole program gains over one line. */
const stubLoss = 6
const wholeGain = 2

/**
 * What completeness (0…1) adds to the logit of a probability if complete implementations are preferred; 0 is a stub.
 */
export const completenessLogit = (completeness: number): number =>
  completeness === 0 ? -stubLoss : wholeGain * (completeness - 0.5)

/** The probability, 0…1, that a logit stands for. */
export const probability = (logit: number): number => 1 / (1 + exp(-logit))

/** The most that votes, and completeness if it counts, multiply the odds by. */
export const mostPrior = (preferComplete: boolean): number =>
  exp(verdictWeight * verdictBound) * (preferComplete ? completenessOdds(1) : 1)

/** Below this relevance a snippet never reaches `leastScore`, whatever its votes and, if it counts, completeness. */
export const leastRelevance = (preferComplete: boolean): number => {
  const least = odds(leastScore) / mostPrior(preferComplete)
  return least / (1 + least)
}
