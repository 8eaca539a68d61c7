import { exp, log } from "./exact.ts"

/**
 * A snippet's quality by its votes, 0…1: 0.5 without any, 0.29 after three against it. Two votes each way are taken as
 * given.
 */
export const verdict = (up: number, down: number): number => (up + 2) / (up + down + 4)

const clamped = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))
const odds = (probability: number): number => probability / (1 - probability)

const verdictWeight = 0.3
/** Bound of the verdict's logit: beyond about 4 to 1, more votes of a kind say nothing new. */
const verdictBound = 1.5
/** What `prefer_complete` moves the logit by, from one line to a whole program, and what a stub loses besides. */
const completenessWeight = 0.6
const stubOdds = exp(-2)

/**
 * How much of the words that were asked for a text has, 0…1: BM25F over the most it could reach (`self`, see
 * `QueryPlan`).
 */
export const wordShare = (bm25f: number, self: number): number => (self === 0 ? 0 : Math.min(1, bm25f / self))

/** What the meaning counts beside the words, 0…1. */
export const meaningWeight = 0.75

/**
 * How well a text matches, 0…1: 0.25 of its word share + 0.75 of its cosine with the query. Where only a part of the
 * query could be read (`read`, 0…1), the cosine speaks for that part only; where nothing could, the words alone count.
 * Of a model other than the table the meaning counts as `meaning` says.
 */
export const relevance = (wordShare: number, cosine: number, read: number, meaning = meaningWeight): number => {
  const weight = meaning * read
  return (1 - weight) * wordShare + weight * Math.min(1, Math.max(0, cosine))
}

/** What a verdict multiplies the odds by. */
export const verdictOdds = (verdict: number): number =>
  exp(verdictWeight * clamped(log(odds(verdict)), -verdictBound, verdictBound))

/** What completeness (0…1) multiplies the odds by where complete implementations are preferred. */
export const completenessOdds = (completeness: number): number =>
  exp(completenessWeight * (completeness - 0.5)) * (completeness === 0 ? stubOdds : 1)

/** A relevance within what can be moved by a prior: nothing is impossible, and nothing certain. */
export const bounded = (relevance: number): number => clamped(relevance, 0.001, 0.999)

/**
 * The final score, 0…1: σ(logit R + 0.3 · logit V + 0.6 · (completeness − 0.5)) with its bounds, written in odds, where
 * sums of logits are products and the votes' part can be kept. `prior` = the product of `verdictOdds` and
 * `completenessOdds`; 1 leaves the relevance as it is.
 */
export const score = (relevance: number, prior: number): number => {
  const combined = odds(bounded(relevance)) * prior
  return combined / (1 + combined)
}

/** From this score of the first stage on, a snippet matches that shares no word with the task. */
export const leastScore = 0.2

/** What a verdict adds to the logit of a probability: its own odds multiply those of the match, within their bound. */
export const verdictLogit = (verdict: number): number => clamped(log(odds(verdict)), -verdictBound, verdictBound)

/** What a stub loses where complete implementations are preferred, and what is between one line and a whole program. */
const stubLoss = 6
const wholeGain = 2

/**
 * What completeness (0…1) adds to the logit of a probability where complete implementations are preferred; 0: a stub.
 */
export const completenessLogit = (completeness: number): number =>
  completeness === 0 ? -stubLoss : wholeGain * (completeness - 0.5)

/** The probability, 0…1, that a logit stands for. */
export const probability = (logit: number): number => 1 / (1 + exp(-logit))

/** What votes, and the completeness where it counts, multiply the odds by at the most. */
export const mostPrior = (preferComplete: boolean): number =>
  exp(verdictWeight * verdictBound) * (preferComplete ? completenessOdds(1) : 1)

/** A relevance below never reaches that score, whatever the votes, and the completeness where it counts. */
export const leastRelevance = (preferComplete: boolean): number => {
  const least = odds(leastScore) / mostPrior(preferComplete)
  return least / (1 + least)
}
