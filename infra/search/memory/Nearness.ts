import type { Vector } from "#domain/search/embeddings/vector.ts"
import type { Steps } from "#engine/steps.ts"
import { firstOf, isSet, withoutFirst, wordsOf } from "./Bits.ts"
import type { Pace } from "./Pace.ts"
import type { Scope } from "./Scope.ts"
import type { Segment } from "./Segment.ts"
import { blockVectors, type VectorMemory } from "./VectorMemory.ts"

/** How the vectors of a scope are compared. */
export interface Comparing {
  /** In a scope of up to this many snippets, all are compared. */
  readonly exactUpTo: number
  /** In a larger scope, the share that is compared: those whose signs are nearest. */
  readonly share: number
}

export const comparing: Comparing = { exactUpTo: 100_000, share: 0.05 }

/** The share of the compared whose signs are farthest. What was left out is hardly nearer than the nearest of them. */
const edge = 0.2

/** Slots that are looked at in one go: some whole blocks. */
const stretch = 8 * blockVectors
/**
 * Nanoseconds of a vector, about: compared with one to four texts where it lies, or by a list; estimated for one text
 * by its signs; and counted, or chosen, by its estimate.
 */
const costs = { compared: 40, listed: 120, estimated: 1.5, counted: 4 }

/**
 * How near the snippets of a scope that pass are to a task. In a large scope, signs choose which of them are compared:
 * they are a sixteenth of the memory to read. Columns are kept between searches, which run one after another.
 */
export class Nearness {
  /** The first `compared` entries: the places that were compared, in ascending order, and their cosines. */
  places = new Uint32Array(0)
  cosines = new Float32Array(0)
  compared = 0
  /** By segment, how many were compared up to its end. */
  ends: ReadonlyArray<number> = []
  /** Whether all that pass were compared. */
  isAll = false
  /** A cosine that what was not compared hardly surpasses. */
  ceiling = 1
  /** By place, whether it was compared. Valid only if not all were. */
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

  /** Compares nothing: the task's meaning says nothing. */
  skip(scope: Scope): void {
    this.#room(scope.places)
    this.chosen.fill(0, 0, wordsOf(scope.places))
    this.compared = 0
    this.ends = scope.segments.map(() => 0)
    this.isAll = false
    this.ceiling = 0
  }

  /** Compares the snippets that pass or, in a scope with too many `documents`, the nearest of them. */
  *asking(
    scope: Scope,
    documents: number,
    queries: ReadonlyArray<Vector>,
    passing: Uint32Array,
    pace: Pace
  ): Steps<void> {
    this.#memory.ask(queries)
    this.#room(scope.places)
    if (documents > this.#how.exactUpTo) yield* this.#choose(scope, documents * this.#how.share, passing, pace)
    else yield* this.#compareAll(scope, passing, pace)
  }

  /** The cosine of a slot that was not compared yet; 0 without a vector. */
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

  *#compareAll({ segments, firsts }: Scope, passing: Uint32Array, pace: Pace): Steps<void> {
    const ends: Array<number> = []
    let used = 0
    for (const [at, { vectors, slots }] of segments.entries()) {
      const first = firsts[at]!
      yield* pace.through(0, slots, { length: stretch, cost: costs.compared }, (from, to) => {
        vectors.compare(from, to, this.cosines, first)
        used = this.#gathered(first + from, first + to, used, passing)
      })
      ends.push(used)
    }
    this.ends = ends
    this.compared = used
    this.isAll = true
    this.ceiling = 1
  }

  /** Gathers the places that pass, with their cosines, from `used` on, never beyond where they were; gives the end. */
  #gathered(from: number, to: number, used: number, passing: Uint32Array): number {
    const { places, cosines } = this
    let next = used
    for (let place = from; place < to; place++) {
      if (!isSet(passing, place)) continue
      cosines[next] = cosines[place]!
      places[next++] = place
    }
    return next
  }

  /** Compares about `wanted` of the snippets that pass: those whose signs are nearest. */
  *#choose({ segments, firsts }: Scope, wanted: number, passing: Uint32Array, pace: Pace): Steps<void> {
    const estimates = this.#estimates
    const counts = this.#counts.fill(0)
    for (const [at, segment] of segments.entries()) {
      for (let from = 0; from < segment.slots; from += stretch) {
        const to = Math.min(from + stretch, segment.slots)
        segment.vectors.estimate(from, to, estimates, firsts[at]!)
        this.#count(segment, firsts[at]!, from, to, passing)
        if (pace.isDue((to - from) * (this.#memory.asked * costs.estimated + costs.counted))) yield
      }
    }
    let [least, chosen] = [counts.length, 0]
    while (least > 0 && chosen < wanted) chosen += counts[--least]!
    let [upper, edged] = [least, 0]
    while (upper < counts.length && edged < edge * chosen) edged += counts[upper++]!
    const ends: Array<number> = []
    let used = 0
    for (const [at, segment] of segments.entries()) {
      const first = firsts[at]!
      for (let from = 0; from < segment.slots; from += stretch) {
        const to = Math.min(from + stretch, segment.slots)
        const begin = used
        used = this.#list(segment, first, from, to, least, used, passing)
        segment.vectors.compareListed(this.places, first, begin, used, this.cosines)
        if (pace.isDue((to - from) * costs.counted + (used - begin) * costs.listed)) yield
      }
      ends.push(used)
    }
    this.ends = ends
    this.compared = used
    this.isAll = least === 0
    this.ceiling = 0
    const { places, cosines } = this
    for (let at = 0; at < used; at++)
      if (estimates[places[at]!]! < upper && cosines[at]! > this.ceiling) this.ceiling = cosines[at]!
  }

  /** Lists, from `used` on, those of some slots that pass and whose estimate is at least `least`; gives the end. */
  #list(
    { vectors }: Segment,
    first: number,
    from: number,
    to: number,
    least: number,
    used: number,
    passing: Uint32Array
  ): number {
    const { places, chosen } = this
    const estimates = this.#estimates
    let next = used
    for (let word = from >>> 5; word < wordsOf(to); word++) {
      const given = vectors.given.word(word)
      const place = first + word * 32
      const its = passing[place >>> 5]!
      let near = 0
      for (let bit = 0; bit < 32; bit++) near |= ((least - 1 - estimates[place + bit]!) >>> 31) << bit
      // a slot without a vector is listed too: its cosine is known to be 0
      near = (near | ~given) & its
      chosen[place >>> 5] = near
      for (let rest = near; rest !== 0; rest = withoutFirst(rest)) places[next++] = place + firstOf(rest)
    }
    return next
  }

  /** Counts those of some slots that pass and have a vector, by estimate. */
  #count({ vectors }: Segment, first: number, from: number, to: number, passing: Uint32Array): void {
    const counts = this.#counts
    const estimates = this.#estimates
    for (let word = from >>> 5; word < wordsOf(to); word++) {
      const place = first + word * 32
      const its = passing[place >>> 5]! & vectors.given.word(word)
      if (its === -1) for (let bit = 0; bit < 32; bit++) counts[estimates[place + bit]!]!++
      else for (let rest = its; rest !== 0; rest = withoutFirst(rest)) counts[estimates[place + firstOf(rest)]!]!++
    }
  }
}
