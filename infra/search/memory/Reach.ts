import { merged } from "#domain/search/query.ts"
import { isSet, wordsOf } from "./Bits.ts"
import type { Group } from "./groups.ts"

/** What all of a task's words weigh together, in units. */
const most = 60_000

/**
 * The most that the words of each place can add up to, whatever their counts and its lengths are: the sum of its terms'
 * weights, in units of which all terms together have tens of thousands. Adding it up costs no more than seeing whether
 * a place shares a word, and it rules out nearly all places.
 */
export class Reach {
  /** By place; 0: it shares no word. */
  units = new Uint16Array(0)
  #perWeight = 1
  /** The most that the best part of a long task can come to, in units. */
  #part = 0
  #isLong = false
  readonly #counts = new Uint32Array(0x10000)

  begin(groups: ReadonlyArray<Group>, texts: number, places: number): void {
    if (places > this.units.length) this.units = new Uint16Array(Math.max(places, Math.ceil(this.units.length * 1.25)))
    this.units.fill(0, 0, places)
    this.#counts.fill(0)
    const all = groups.reduce((sum, { alternatives }) => alternatives.reduce((its, { weight }) => its + weight, sum), 0)
    this.#perWeight = all === 0 ? 1 : most / all
    const parts = new Float64Array(texts)
    for (const { alternatives, texts: its } of groups)
      for (const text of its) parts[text]! += Math.max(...alternatives.map(({ weight }) => this.unitsOf(weight)))
    this.#isLong = texts > 1
    this.#part = Math.max(0, ...parts.subarray(1))
  }

  /** The units that a term of this weight adds. */
  unitsOf(weight: number): number {
    return Math.ceil(weight * this.#perWeight)
  }

  /** Sets, for the places from `from` (the first of a word of bits) up to `to`, the bits of those that share a word. */
  any(into: Uint32Array, from: number, to: number): void {
    const { units } = this
    for (let word = from >>> 5; word < wordsOf(to); word++) {
      let bits = 0
      for (let bit = 0; bit < 32; bit++) bits |= (-units[word * 32 + bit]! >>> 31) << bit
      into[word] = bits
    }
  }

  /** What the units of a place come to: for a long task, they are merged with those of its best part. */
  together(units: number): number {
    return this.#isLong ? merged(units, Math.min(units, this.#part)) : units
  }

  /** The share of a task's words that one unit stands for. `self`: what these words weigh together. */
  shareOfUnit(self: number): number {
    return self === 0 ? 0 : 1 / (this.#perWeight * self)
  }

  /** The units below which words can't add up to this sum. */
  ofSum(sum: number): number {
    // sums are rounded to 32-bit floats
    const wanted = sum * this.#perWeight * (1 - 1e-5)
    if (!this.#isLong) return wanted
    let [low, high] = [0, 0xffff]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.together(middle) < wanted) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Counts, by their units, those of some places that have their bit set. */
  count(some: Uint32Array, from: number, to: number): void {
    const counts = this.#counts
    for (let place = from; place < to; place++) if (isSet(some, place)) counts[this.units[place]!]!++
  }

  /** The most units that at least `wanted` of the counted places have; 1 if there are fewer. */
  ofFirst(wanted: number): number {
    const counts = this.#counts
    let [least, has] = [counts.length, 0]
    while (least > 1 && has < wanted) has += counts[--least]!
    return least
  }
}
