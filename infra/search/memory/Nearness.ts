import type { Vector } from "#domain/search/embeddings/vector.ts"
import { lookEvery, unlessGivenUp } from "../givenUp.ts"
import { eachBit, isSet, wordsOf } from "./Bits.ts"
import type { Scope } from "./Scope.ts"
import type { VectorMemory } from "./VectorMemory.ts"

/** How the vectors of a scope are compared. */
export interface Comparing {
  /** Snippets of a scope up to which all are compared. */
  readonly exactUpTo: number
  /** Of a larger one, the share whose signs are nearest, and which is compared. */
  readonly share: number
}

export const comparing: Comparing = { exactUpTo: 100_000, share: 0.05 }

/** The share of the compared whose signs are farthest: what they come to, those that were left out hardly surpass. */
const edge = 0.2

/**
 * How near the snippets of a scope are to a task, all of them that pass; of a large scope those whose signs are
 * nearest, which costs a sixteenth of the memory that is read. Columns are kept between searches, which run one after
 * another.
 */
export class Nearness {
  /** The first `compared` are the places that were compared, in their order, and how near they are. */
  places = new Uint32Array(0)
  cosines = new Float32Array(0)
  compared = 0
  /** By segment, how many were compared up to its end. */
  ends: ReadonlyArray<number> = []
  /** Whether all that pass were. */
  isAll = false
  /** What the cosine of one that was not compared hardly surpasses. */
  ceiling = 1
  /** By place, whether it was compared; where not all were. */
  chosen = new Uint32Array(0)

  readonly #memory: VectorMemory
  readonly #how: Comparing
  readonly #counts: Uint32Array
  #estimates = new Uint16Array(0)
  readonly #one = { place: new Uint32Array(1), cosine: new Float32Array(1) }

  constructor(memory: VectorMemory, how: Comparing) {
    this.#memory = memory
    this.#how = how
    this.#counts = new Uint32Array(memory.mostEstimate + 1)
  }

  /** Nothing is compared: what was asked says nothing by which it could be. */
  skip(scope: Scope): void {
    this.#room(scope.places)
    this.chosen.fill(0, 0, wordsOf(scope.places))
    this.compared = 0
    this.ends = scope.segments.map(() => 0)
    this.isAll = false
    this.ceiling = 0
  }

  /** Compares those that pass, of a scope with so many documents, or the nearest of them. */
  ask(scope: Scope, documents: number, queries: ReadonlyArray<Vector>, passing: Uint32Array): void {
    this.#memory.ask(queries)
    this.#room(scope.places)
    if (documents > this.#how.exactUpTo) this.#choose(scope, documents * this.#how.share, passing)
    else this.#compareAll(scope, passing)
  }

  /** The cosine of a slot that was not compared; 0 without a vector. */
  of({ segments }: Scope, segment: number, slot: number): number {
    const { place, cosine } = this.#one
    place[0] = slot
    segments[segment]!.vectors.compareListed(place, 0, 0, 1, cosine)
    return cosine[0]!
  }

  #room(places: number): void {
    if (places <= this.places.length) return
    const size = Math.max(places, Math.ceil(this.places.length * 1.25))
    this.places = new Uint32Array(size)
    this.cosines = new Float32Array(size)
    this.chosen = new Uint32Array(wordsOf(size))
    this.#estimates = new Uint16Array(size)
  }

  #compareAll({ segments, firsts }: Scope, passing: Uint32Array): void {
    const { places, cosines } = this
    let used = 0
    this.ends = segments.map(({ vectors, slots }, at) => {
      const first = firsts[at]!
      // what passes is moved to where it belongs, which is never behind where it is
      vectors.compare(slots, cosines, first)
      for (let place = first; place < first + slots; place++) {
        if (!isSet(passing, place)) continue
        cosines[used] = cosines[place]!
        places[used++] = place
      }
      return used
    })
    this.compared = used
    this.isAll = true
    this.ceiling = 1
  }

  /** Compares so many of those that pass, of the nearest. */
  #choose(scope: Scope, wanted: number, passing: Uint32Array): void {
    const { segments, firsts } = scope
    const estimates = this.#estimates
    for (const [at, { vectors, slots }] of segments.entries()) vectors.estimate(slots, estimates, firsts[at]!)
    const counts = this.#count(scope, passing)
    let [least, chosen] = [counts.length, 0]
    while (least > 0 && chosen < wanted) chosen += counts[--least]!
    let [upper, edged] = [least, 0]
    while (upper < counts.length && edged < edge * chosen) edged += counts[upper++]!
    const { places, cosines } = this
    let used = 0
    this.ends = segments.map(({ vectors, slots }, at) => {
      const first = firsts[at]!
      const from = used
      for (let word = 0; word < wordsOf(slots); word++) {
        if (word % lookEvery === 0) unlessGivenUp()
        const given = vectors.given.word(word)
        const place = first + word * 32
        const its = passing[place >>> 5]!
        let near = 0
        for (let bit = 0; bit < 32; bit++) near |= ((least - 1 - estimates[place + bit]!) >>> 31) << bit
        // it is known at once how near one is that has no vector
        near = (near | ~given) & its
        this.chosen[place >>> 5] = near
        if (near !== 0)
          eachBit(near, place, (one) => {
            places[used++] = one
          })
      }
      vectors.compareListed(places, first, from, used, cosines)
      return used
    })
    this.compared = used
    this.isAll = least === 0
    this.ceiling = 0
    for (let at = 0; at < used; at++)
      if (estimates[places[at]!]! < upper && cosines[at]! > this.ceiling) this.ceiling = cosines[at]!
  }

  /** How many of those that pass and have a vector have each estimate. */
  #count({ segments, firsts }: Scope, passing: Uint32Array): Uint32Array {
    const counts = this.#counts.fill(0)
    const estimates = this.#estimates
    for (const [at, { vectors, slots }] of segments.entries()) {
      for (let word = 0; word < wordsOf(slots); word++) {
        const place = firsts[at]! + word * 32
        const its = passing[place >>> 5]! & vectors.given.word(word)
        if (its === -1) for (let bit = 0; bit < 32; bit++) counts[estimates[place + bit]!]!++
        else if (its !== 0)
          eachBit(its, place, (one) => {
            counts[estimates[one]!]!++
          })
      }
    }
    return counts
  }
}
