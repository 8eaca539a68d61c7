import { fieldCount } from "#domain/search/bm25f.ts"
import type { QueryPlan } from "#domain/search/query.ts"
import { sumOf } from "#domain/search/rank.ts"
import type { Steps } from "#engine/steps.ts"
import type { Pace } from "./Pace.ts"
import { type Scope, segmentAt } from "./Scope.ts"
import type { TermPlaces } from "./TermPlaces.ts"
import { writeWorths } from "./words.ts"

/** Where a snippet is, how near it is, and how often it has each of the task's terms. */
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

/** What the terms of a task weigh in the scope that is searched. */
export interface Weights extends QueryPlan {
  /** What an occurrence is worth, by field and length. */
  readonly table: Float32Array
}

/** Finalists that are read in one go, and the nanoseconds, about, of one for each of the task's terms. */
const stretch = 16
const cost = 100

/** Reads what the ranking itself looks at, for the few snippets that are left in a search. */
export class Finals {
  readonly #scope: Scope
  readonly #weights: Weights
  readonly #terms: ReadonlyArray<string>
  readonly #termPlaces: TermPlaces
  readonly #pace: Pace
  /** Of the finalist that was read last. */
  readonly #counts: Array<number>
  #lengths: ReadonlyArray<number> = []
  readonly #worths = new Float32Array(fieldCount)

  constructor(scope: Scope, weights: Weights, terms: ReadonlyArray<string>, termPlaces: TermPlaces, pace: Pace) {
    this.#scope = scope
    this.#weights = weights
    this.#terms = terms
    this.#termPlaces = termPlaces
    this.#pace = pace
    // not a typed array: making one takes longer than filling it
    this.#counts = new Array<number>(terms.length * fieldCount).fill(0)
  }

  /** Reads what ranking looks at of each finalist, and calls `take` with what its words add up to. */
  *reading(some: ReadonlyArray<Finalist>, take: (finalist: Finalist, sum: number) => void): Steps<void> {
    for (const [number, its] of Map.groupBy(some, ({ place }) => segmentAt(this.#scope, place))) {
      const { postings } = this.#scope.segments[number]!
      const numbers = this.#terms.map((term) => postings.number(term))
      for (let from = 0; from < its.length; from += stretch) {
        const now = its.slice(from, from + stretch)
        this.#termPlaces.with(numbers, postings.numbers, (termPlaces) => {
          for (const finalist of now) take(finalist, this.#read(finalist.place, number, termPlaces))
        })
        if (this.#pace.isDue(now.length * this.#terms.length * cost)) yield
      }
    }
  }

  /** What ranking needs of the finalist that was read last. It is made only for those that are taken. */
  spot({ place, cosine }: Finalist): Spot {
    const segment = segmentAt(this.#scope, place)
    const slot = place - this.#scope.firsts[segment]!
    return { segment, slot, cosine, counts: this.#counts.slice(), lengths: this.#lengths }
  }

  #read(place: number, number: number, termPlaces: Uint32Array): number {
    const segment = this.#scope.segments[number]!
    const slot = place - this.#scope.firsts[number]!
    segment.count(slot, termPlaces, this.#counts)
    this.#lengths = segment.lengthsOf(slot)
    writeWorths(this.#weights.table, this.#lengths, this.#worths)
    return sumOf(this.#weights, this.#counts, this.#worths)
  }
}
