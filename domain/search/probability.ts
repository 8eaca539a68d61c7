import { exp, log } from "./exact.ts"
import { type Features, features } from "./Features.ts"
import { type Judge, type Sign, signs } from "./Judge.ts"
import { looked } from "./secondStage.ts"

/** What a judge makes of a candidate's features: one number, the greater the better. */
export const strengthOf = (judge: Judge, of: Features): number => {
  let sum = 0
  for (const feature of features) sum += (judge.features[feature] ?? 0) * of[feature]
  return sum
}

/** Of a share of nearly nothing the logarithm is not asked for. */
const leastShare = 1e-4

/**
 * The signs of some candidates, in their order. The first `looked` tell what the others stand beside; where there are
 * fewer, the backdrop stands for the rest. All signs but the first three are of the strongest, so that the order of the
 * probabilities is that of the strengths.
 */
export const signsOf = (
  judge: Judge,
  all: ReadonlyArray<Features>,
  documents: number
): ReadonlyArray<Readonly<Record<Sign, number>>> => {
  const strengths = all.map((of) => strengthOf(judge, of))
  const beside = strengths.slice(0, looked)
  const missing = looked - beside.length
  let [first, second, place] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, -1]
  for (const [at, strength] of beside.entries()) {
    if (strength > first) [first, second, place] = [strength, first, at]
    else if (strength > second) second = strength
  }
  if (place === -1) return []
  if (missing > 0) second = Math.max(second, judge.backdrop)
  let sum = missing * exp(judge.backdrop - first)
  // in one order, whatever order they came in: so it is the same to the last bit
  for (const strength of beside.toSorted((one, other) => other - one)) sum += exp(strength - first)
  const { words, meaning, pieces, covered, toldPieces } = all[place]!
  const ofBest = {
    words,
    meaning,
    pieces,
    covered,
    toldPieces,
    documents: log(documents),
    fewness: Math.max(0, 1 - documents / looked),
    one: 1
  }
  return strengths.map((strength, at) => ({
    strength,
    lead: strength - (at === place ? second : first),
    share: log(exp(strength - first) / sum + leastShare),
    ...ofBest
  }))
}

/** The logit of the probability that a candidate answers the task. */
export const logitOf = (judge: Judge, of: Readonly<Record<Sign, number>>): number => {
  let sum = 0
  for (const sign of signs) sum += (judge.signs[sign] ?? 0) * of[sign]
  return sum
}
