import { fieldCount, idf } from "./bm25f.ts"
import type { Candidates, Likely } from "./Candidate.ts"
import type { Profile } from "./embeddings/Profile.ts"
import type { Reading } from "./embeddings/Reading.ts"
import { log } from "./exact.ts"
import type { Features } from "./Features.ts"
import type { Asked } from "./query.ts"

/** How many of the likeliest the second stage looks at. */
export const looked = 50

/** The most characters of a source that count as its length: the weights were fitted on no longer ones. */
const mostCharacters = 1_500

/** What each piece of a task weighs, by three measures, each summing to 1. */
interface PieceWeights {
  readonly byLength: Float64Array
  readonly byRareness: Float64Array
  readonly byBoth: Float64Array
}

const shares = (weights: ReadonlyArray<number>): Float64Array => {
  const sum = weights.reduce((sum, weight) => sum + weight, 0)
  return Float64Array.from(weights, (weight) => (sum === 0 ? 0 : weight / sum))
}

const pieceWeights = (
  { weights, counts }: Reading,
  documents: number,
  frequencies: ReadonlyArray<number>
): PieceWeights => {
  const byLength = shares(weights)
  const byRareness = shares(counts.map((count, place) => (1 + log(count)) * idf(frequencies[place]!, documents)))
  const byBoth = shares(Array.from(byLength, (weight, place) => Math.sqrt(weight * byRareness[place]!)))
  return { byLength, byRareness, byBoth }
}

/**
 * For each piece of the task, the best cosine with any piece of the snippet, and with one of its name or description;
 * at least 0.
 */
interface Nearness {
  readonly any: Float64Array
  readonly told: Float64Array
  /** How near the pieces of its name are to the task, weighed by the lengths of their rows. */
  readonly name: number
}

const noNearness = ({ pieces }: Reading): Pick<Nearness, "any" | "told"> => ({
  any: new Float64Array(pieces.length),
  told: new Float64Array(pieces.length)
})

/** How near a profile's pieces are to those of a task. Overwrites the last parameter, if it is given. */
export const nearness = (
  reading: Reading,
  { pieces, named, told }: Profile,
  { any, told: toldBest }: Pick<Nearness, "any" | "told"> = noNearness(reading)
): Nearness => {
  const size = reading.pieces.length
  any.fill(0)
  toldBest.fill(0)
  let near = 0
  let weight = 0
  for (let place = 0; place < pieces.length; place++) {
    if (place === told) toldBest.set(any)
    const from = reading.of(pieces[place]!)
    const { cosines } = reading
    let best = 0
    for (let at = 0; at < size; at++) {
      const cosine = cosines[from + at]!
      if (cosine > any[at]!) any[at] = cosine
      if (cosine > best) best = cosine
    }
    if (place >= named) continue
    const length = reading.length(pieces[place]!)
    near += length * best
    weight += length
  }
  if (told >= pieces.length) toldBest.set(any)
  return { any, told: toldBest, name: weight === 0 ? 0 : near / weight }
}

/** The share of a task's rareness that a candidate's words cover. */
const coverage = ({ texts }: Asked, { documents, frequencies }: Candidates) => {
  const terms = texts[0]!.map((alternatives) => ({
    alternatives,
    weight: idf(frequencies[alternatives[0]!]!, documents)
  }))
  const all = terms.reduce((sum, { weight }) => sum + weight, 0)
  const isThere = (counts: ArrayLike<number>, term: number): boolean => {
    for (let at = term * fieldCount; at < (term + 1) * fieldCount; at++) if (counts[at]! > 0) return true
    return false
  }
  return (counts: ArrayLike<number>): number => {
    if (all === 0) return 0
    let sum = 0
    for (let at = 0; at < terms.length; at++) {
      const { alternatives, weight } = terms[at]!
      for (let one = 0; one < alternatives.length; one++) {
        if (!isThere(counts, alternatives[one]!)) continue
        sum += weight
        break
      }
    }
    return sum / all
  }
}

/** Gives a candidate's features for the second stage: by each piece of the task, and by what it says in general. */
export const judging = (asked: Asked, found: Candidates): ((likely: Likely) => Features) => {
  const { reading } = asked
  const { byLength, byRareness, byBoth } = pieceWeights(reading, found.documents, found.pieceFrequencies)
  const covered = coverage(asked, found)
  const into = noNearness(reading)
  return ({ candidate: { profile, counts }, words, cosine }) => {
    const { any, told, name } = nearness(reading, profile, into)
    let pieces = 0
    let rarePieces = 0
    let squaredPieces = 0
    let toldPieces = 0
    for (let at = 0; at < any.length; at++) {
      pieces += byLength[at]! * any[at]!
      rarePieces += byRareness[at]! * any[at]!
      squaredPieces += byBoth[at]! * any[at]! * any[at]!
      toldPieces += byBoth[at]! * told[at]!
    }
    return {
      words,
      meaning: cosine,
      pieces,
      rarePieces,
      squaredPieces,
      hub: profile.hub,
      length: log(Math.min(profile.characters, mostCharacters) + 20),
      toldPieces,
      name,
      covered: covered(counts)
    }
  }
}
