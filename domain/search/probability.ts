import { exp, log } from "./exact.ts"
import type { Features } from "./Features.ts"
import { type Judge, type Sign, type SignOfBest, signs, signsOfBest } from "./Judge.ts"
import { looked } from "./secondStage.ts"

/**
 * The strength that a judge gives a candidate's features, the greater the better. It sums them in the order of
 * `features`, each by its own name: a lookup by a name that varies allocates.
 */
export const strengthOf = ({ features: weights }: Judge, of: Features): number =>
  (weights.words ?? 0) * of.words +
  (weights.meaning ?? 0) * of.meaning +
  (weights.pieces ?? 0) * of.pieces +
  (weights.rarePieces ?? 0) * of.rarePieces +
  (weights.squaredPieces ?? 0) * of.squaredPieces +
  (weights.hub ?? 0) * of.hub +
  (weights.length ?? 0) * of.length +
  (weights.toldPieces ?? 0) * of.toldPieces +
  (weights.name ?? 0) * of.name

/** Keeps the logarithm of a share of nearly nothing within bounds. */
const leastShare = 1e-4

/** How some candidates compare with each other, and the signs of the strongest. */
interface Standing {
  readonly strengths: ReadonlyArray<number>
  readonly lead: (at: number) => number
  readonly share: (at: number) => number
  readonly best: Readonly<Record<SignOfBest, number>>
}

/**
 * The candidates compared with the first `looked` of them; if there are fewer, the backdrop stands for the rest.
 * `undefined` if there are none.
 */
const standingOf = (judge: Judge, all: ReadonlyArray<Features>, documents: number): Standing | undefined => {
  const strengths = all.map((of) => strengthOf(judge, of))
  const beside = strengths.slice(0, looked)
  const missing = looked - beside.length
  let first = Number.NEGATIVE_INFINITY
  let second = Number.NEGATIVE_INFINITY
  let place = -1
  for (let at = 0; at < beside.length; at++) {
    const strength = beside[at]!
    if (strength > first) {
      second = first
      first = strength
      place = at
    } else if (strength > second) second = strength
  }
  if (place === -1) return undefined
  if (missing > 0) second = Math.max(second, judge.backdrop)
  let sum = missing * exp(judge.backdrop - first)
  // in sorted order, whatever order they came in, so the sum is the same to the last bit
  for (const strength of beside.toSorted((one, other) => other - one)) sum += exp(strength - first)
  const { words, meaning, pieces, covered, toldPieces } = all[place]!
  return {
    strengths,
    lead: (at) => strengths[at]! - (at === place ? second : first),
    share: (at) => log(exp(strengths[at]! - first) / sum + leastShare),
    best: {
      words,
      meaning,
      pieces,
      covered,
      toldPieces,
      documents: log(documents),
      fewness: Math.max(0, 1 - documents / looked),
      one: 1
    }
  }
}

/**
 * The signs of some candidates, in their order. All but the first three signs are those of the strongest candidate, so
 * probabilities are ordered as strengths are.
 */
export const signsOf = (
  judge: Judge,
  all: ReadonlyArray<Features>,
  documents: number
): ReadonlyArray<Readonly<Record<Sign, number>>> => {
  const standing = standingOf(judge, all, documents)
  if (standing === undefined) return []
  const { strengths, lead, share, best } = standing
  return strengths.map((strength, at) => ({ strength, lead: lead(at), share: share(at), ...best }))
}

/** The logit of the probability that a candidate with these signs answers the task. */
export const logitOf = (judge: Judge, of: Readonly<Record<Sign, number>>): number => {
  let sum = 0
  for (const sign of signs) sum += (judge.signs[sign] ?? 0) * of[sign]
  return sum
}

/** `logitOf` for each of some candidates, in order, the same to the last bit, without making their signs. */
export const logitsOf = (judge: Judge, all: ReadonlyArray<Features>, documents: number): ReadonlyArray<number> => {
  const standing = standingOf(judge, all, documents)
  if (standing === undefined) return []
  const { strengths, lead, share, best } = standing
  const { strength: byStrength = 0, lead: byLead = 0, share: byShare = 0 } = judge.signs
  const shared = signsOfBest.map((sign) => (judge.signs[sign] ?? 0) * best[sign])
  return strengths.map((strength, at) => {
    let sum = byStrength * strength + byLead * lead(at) + byShare * share(at)
    for (let sign = 0; sign < shared.length; sign++) sum += shared[sign]!
    return sum
  })
}
