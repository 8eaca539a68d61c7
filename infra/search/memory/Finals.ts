import type { QueryPlan } from "#domain/search/query.ts"
import { sumOf } from "#domain/search/rank.ts"
import type { Steps } from "#engine/steps.ts"
import type { Pace } from "./Pace.ts"
import { type Scope, segmentAt } from "./Scope.ts"
import type { TermPlaces } from "./TermPlaces.ts"
import { worthsIn } from "./words.ts"

/** Where a snippet is, how near, and how often it has each of the task's terms. */
export interface Spot {
  /** The number of its segment. */
  readonly segment: number
  readonly slot: number
  readonly cosine: number
  readonly counts: ReadonlyArray<number>
  readonly lengths: ReadonlyArray<number>
}

export interface Finalist {
  readonly place: number
  readonly cosine: number
}

/** What was read of one, and what its words add up to. */
export interface Read {
  readonly spot: Spot
  readonly sum: number
}

/** What the terms of a task weigh in its scope. */
export interface Weights extends QueryPlan {
  /** What an occurrence is worth. */
  readonly table: Float32Array
}

/** Finalists that are read on end, and nanoseconds, about, of each for each of the task's terms. */
const stretch = 16
const cost = 100

/** What the ranking makes of the few that are left of a search. */
export class Finals {
  readonly #scope: Scope
  readonly #weights: Weights
  readonly #terms: ReadonlyArray<string>
  readonly #termPlaces: TermPlaces
  readonly #pace: Pace

  constructor(scope: Scope, weights: Weights, terms: ReadonlyArray<string>, termPlaces: TermPlaces, pace: Pace) {
    this.#scope = scope
    this.#weights = weights
    this.#terms = terms
    this.#termPlaces = termPlaces
    this.#pace = pace
  }

  /** What ranking looks at of some places, and what their words add up to for it. */
  *reading(some: ReadonlyArray<Finalist>): Steps<ReadonlyArray<Read>> {
    const all: Array<Read> = []
    for (const [number, its] of Map.groupBy(some, ({ place }) => segmentAt(this.#scope, place))) {
      const { postings } = this.#scope.segments[number]!
      const numbers = this.#terms.map((term) => postings.number(term))
      for (let from = 0; from < its.length; from += stretch) {
        const now = its.slice(from, from + stretch)
        all.push(
          ...this.#termPlaces.with(numbers, postings.numbers, (termPlaces) =>
            now.map((finalist) => this.#read(finalist, number, termPlaces))
          )
        )
        if (this.#pace.isDue(now.length * this.#terms.length * cost)) yield
      }
    }
    return all
  }

  #read({ place, cosine }: Finalist, number: number, termPlaces: Uint32Array): Read {
    const segment = this.#scope.segments[number]!
    const slot = place - this.#scope.firsts[number]!
    const counts = segment.counts(slot, termPlaces, this.#terms.length)
    const lengths = segment.lengthsOf(slot)
    const sum = sumOf(this.#weights, counts, worthsIn(this.#weights.table, lengths))
    return { spot: { segment: number, slot, cosine, counts, lengths }, sum }
  }
}
