import type { Vector } from "#domain/search/embeddings/vector.ts"
import { looks, unlessGivenUp } from "../givenUp.ts"
import type { Segment } from "./Segment.ts"
import type { VectorMemory } from "./VectorMemory.ts"

/** How the vectors of a scope are compared. */
export interface Comparing {
  /** Snippets of a scope up to which all are compared. */
  readonly exactUpTo: number
  /** Of a larger one, the share whose signs are nearest, and which is compared. */
  readonly share: number
}

export const comparing: Comparing = { exactUpTo: 100_000, share: 0.05 }

const bins = 4096
/** The share of the compared whose signs are farthest: what they come to, those that were left out hardly surpass. */
const edge = 0.2

/**
 * How near the snippets of a scope are to a task, all of them; of a large scope those whose signs are nearest, which
 * costs a sixteenth of the memory that is read. Columns are kept between searches, which run one after another.
 */
export class Nearness {
  /** By the segment's first place and the slot; `NaN`: not compared. */
  cosines = new Float32Array(0)
  /** What the cosine of one that was not compared hardly surpasses. */
  ceiling = 1

  readonly #memory: VectorMemory
  readonly #how: Comparing
  readonly #counts = new Uint32Array(bins)

  constructor(memory: VectorMemory, how: Comparing) {
    this.#memory = memory
    this.#how = how
  }

  /**
   * Compares the snippets of some segments, or the nearest of those that pass; gives the segments' first places, in
   * their order.
   */
  ask(
    segments: ReadonlyArray<Segment>,
    documents: number,
    queries: ReadonlyArray<Vector>,
    passing: (segment: Segment) => (slot: number) => boolean
  ): ReadonlyArray<number> {
    this.#memory.ask(queries)
    let places = 0
    const firsts = segments.map(({ slots }) => {
      const first = places
      places += slots
      return first
    })
    if (places > this.cosines.length) this.cosines = new Float32Array(Math.max(places, 2 * this.cosines.length))
    this.ceiling = 1
    if (documents > this.#how.exactUpTo) {
      for (const [at, segment] of segments.entries()) this.#estimate(segment, firsts[at]!, passing(segment))
      this.#choose(segments, firsts, documents * this.#how.share)
    } else for (const [at, { vectors, slots }] of segments.entries()) vectors.compare(slots, this.cosines, firsts[at]!)
    return firsts
  }

  /** The cosine of a slot, which is compared now if it was not before. */
  of(segment: Segment, slot: number, place: number): number {
    const known = this.cosines[place]!
    if (!Number.isNaN(known)) return known
    segment.vectors.compareOne(slot, this.cosines, place)
    return this.cosines[place]!
  }

  #estimate({ vectors, slots }: Segment, first: number, passes: (slot: number) => boolean): void {
    vectors.estimate(slots, this.cosines, first)
    for (let slot = 0; slot < slots; slot++) if (!passes(slot)) this.cosines[first + slot] = Number.NaN
  }

  /** Compares so many of those that have an estimate, of the nearest. */
  #choose(segments: ReadonlyArray<Segment>, firsts: ReadonlyArray<number>, wanted: number): void {
    const { cosines } = this
    const counts = this.#counts.fill(0)
    const places = firsts.at(-1)! + segments.at(-1)!.slots
    const most = this.#memory.mostEstimate
    const scale = (bins - 1) / (2 * most)
    for (let place = 0; place < places; place++) {
      const estimate = cosines[place]!
      if (!Number.isNaN(estimate)) counts[((estimate + most) * scale) | 0]!++
    }
    let [bin, chosen] = [bins, 0]
    while (bin > 0 && chosen < wanted) chosen += counts[--bin]!
    let [upper, edged] = [bin, 0]
    while (upper < bins && edged < edge * chosen) edged += counts[upper++]!
    const isAll = bin === 0
    let ceiling = 0
    for (const [at, { vectors, slots }] of segments.entries()) {
      const first = firsts[at]!
      for (let slot = 0; slot < slots; slot++) {
        const estimate = cosines[first + slot]!
        const its = ((estimate + most) * scale) | 0
        if (slot % looks === 0) unlessGivenUp()
        if (Number.isNaN(estimate) || its < bin) {
          cosines[first + slot] = Number.NaN
          continue
        }
        vectors.compareOne(slot, cosines, first + slot)
        if (its < upper && cosines[first + slot]! > ceiling) ceiling = cosines[first + slot]!
      }
    }
    this.ceiling = isAll ? 1 : ceiling
  }
}
