import type { QueryPlan } from "#domain/search/query.ts"
import { sumOf } from "#domain/search/rank.ts"
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
  /** What it comes to by its sums. */
  readonly final: number
}

/** What the terms of a task weigh in its scope. */
export interface Weights extends QueryPlan {
  /** What an occurrence is worth. */
  readonly table: Float32Array
}

/** Finalists that are read for each that is wanted: copies of one thing are all as likely. */
const read = 20

/** What the ranking makes of the few that are left of a search. */
export class Finals {
  readonly #scope: Scope
  readonly #weights: Weights
  readonly #terms: ReadonlyArray<string>
  readonly #termPlaces: TermPlaces

  constructor(scope: Scope, weights: Weights, terms: ReadonlyArray<string>, termPlaces: TermPlaces) {
    this.#scope = scope
    this.#weights = weights
    this.#terms = terms
    this.#termPlaces = termPlaces
  }

  /** All of them; of very many that are as likely the first ones by their ids. */
  foremost(finalists: ReadonlyArray<Finalist>, wanted: number): ReadonlyArray<Finalist> {
    const most = read * Math.max(1, wanted)
    if (finalists.length <= most) return finalists
    const { segments, firsts } = this.#scope
    const idOf = (place: number) => {
      const segment = segmentAt(this.#scope, place)
      return segments[segment]!.ids[place - firsts[segment]!]!
    }
    return finalists
      .toSorted((one, other) => other.final - one.final || (idOf(one.place) < idOf(other.place) ? -1 : 1))
      .slice(0, most)
  }

  /** What ranking looks at of some places, and what their words add up to for it. */
  read(some: ReadonlyArray<Omit<Finalist, "final">>): ReadonlyArray<{ readonly spot: Spot; readonly sum: number }> {
    const { firsts, segments } = this.#scope
    return [...Map.groupBy(some, ({ place }) => segmentAt(this.#scope, place))].flatMap(([number, its]) => {
      const segment = segments[number]!
      const { postings } = segment
      const numbers = this.#terms.map((term) => postings.number(term))
      return this.#termPlaces.with(numbers, postings.numbers, (termPlaces) =>
        its.map(({ place, cosine }) => {
          const slot = place - firsts[number]!
          const counts = segment.counts(slot, termPlaces, this.#terms.length)
          const lengths = segment.lengthsOf(slot)
          const spot: Spot = { segment: number, slot, cosine, counts, lengths }
          return { spot, sum: sumOf(this.#weights, counts, worthsIn(this.#weights.table, lengths)) }
        })
      )
    })
  }
}
