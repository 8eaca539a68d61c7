import { asTable, ofModel } from "#domain/search/modelWeights.ts"
import { matches, priorOf } from "#domain/search/rank.ts"
import { bounded, leastRelevance, leastScore, mostPrior, relevance, score, verdictOdds } from "#domain/search/score.ts"
import type { IndexQuery } from "#ports/SnippetIndex.ts"
import { neutral, type Segment } from "./Segment.ts"

const halvings = 24

/** The first stage of ranking, as a search uses it. */
export class Scoring {
  /** A snippet that shares no word and has a lower cosine does not match, whatever its votes. */
  readonly least: number
  readonly #query: IndexQuery
  /** How much of a relevance is the word share, and how much the cosine on the table's scale. */
  readonly #words: number
  readonly #meaning: number
  /** The cosine that counts as 0, and the factor for what exceeds it. */
  readonly #origin: number
  readonly #scale: number

  constructor(query: IndexQuery) {
    this.#query = query
    const { asked, preferComplete } = query
    const { read, model } = asked
    this.#meaning = relevance(0, 1, read, model?.weights.meaning)
    this.#words = 1 - this.#meaning
    this.#origin = ofModel(0, model)
    this.#scale = 1 / (ofModel(1, model) - this.#origin)
    this.least = read === 0 ? Number.POSITIVE_INFINITY : ofModel(leastRelevance(preferComplete) / this.#meaning, model)
  }

  /** The score of a snippet with this word share, cosine and prior. */
  of(words: number, cosine: number, prior: number): number {
    const { read, model } = this.#query.asked
    return score(relevance(words, asTable(cosine, model), read, model?.weights.meaning), prior)
  }

  /** The same but for its last digits, at less cost: without votes, a score is the relevance. */
  about(words: number, cosine: number, prior: number): number {
    const meaning = Math.min(1, Math.max(0, (cosine - this.#origin) * this.#scale))
    const matching = this.#words * words + this.#meaning * meaning
    return prior === 1 ? bounded(matching) : score(matching, prior)
  }

  /** Whether a snippet that shares no word matches. */
  isNear(cosine: number, prior: number): boolean {
    const about = this.about(0, cosine, prior)
    return Math.abs(about - leastScore) > 1e-6 ? about > leastScore : matches(false, this.of(0, cosine, prior))
  }

  priorOf({ doubted, lifted, verdictOdds, completeness }: Segment, slot: number): number {
    const { preferComplete } = this.#query
    // most have no votes: bits show that at once, while a look at the column would wait for memory
    if (!preferComplete && !doubted.has(slot) && !lifted.has(slot)) return 1
    return priorOf(verdictOdds[slot]!, preferComplete ? completeness[slot]! : 1, preferComplete)
  }

  /**
   * The least word share with which a snippet has a score that is not `refused`, if it has at most this cosine, and
   * votes lift it or not; `undefined`: none is enough.
   */
  needed(cosine: number, isLifted: boolean, refused: (score: number) => boolean): number | undefined {
    const { preferComplete } = this.#query
    const prior = isLifted ? mostPrior(preferComplete) : priorOf(verdictOdds(neutral), 1, preferComplete)
    if (refused(this.of(1, cosine, prior))) return undefined
    if (!refused(this.of(0, cosine, prior))) return 0
    let [low, high] = [0, 1]
    for (let half = 0; half < halvings; half++) {
      const middle = (low + high) / 2
      if (refused(this.of(middle, cosine, prior))) low = middle
      else high = middle
    }
    return low
  }
}
