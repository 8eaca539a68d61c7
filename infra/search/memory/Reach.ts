import { merged } from "#domain/search/query.ts"
import { isSet, wordsOf } from "./Bits.ts"
import type { Group } from "./groups.ts"

/** What all of a task's words together are at the most. */
const most = 60_000

/**
 * What the words of each place add up to at the most, whatever their counts and its lengths are: what each term weighs,
 * in units of which all together are some ten thousands. To add that up costs no more than to see that a place shares a
 * word, and nearly all are known by it not to be among the best.
 */
export class Reach {
  /** By place; 0: it shares no word. */
  units = new Uint16Array(0)
  #perWeight = 1
  /** What the best of a long task's parts comes to at the most, in units. */
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

  /** What a term of this weight adds. */
  unitsOf(weight: number): number {
    return Math.ceil(weight * this.#perWeight)
  }

  /** Sets the bits of those that share a word, of places from one on (the first of a word of bits) up to another. */
  any(into: Uint32Array, from: number, to: number): void {
    const { units } = this
    for (let word = from >>> 5; word < wordsOf(to); word++) {
      let bits = 0
      for (let bit = 0; bit < 32; bit++) bits |= (-units[word * 32 + bit]! >>> 31) << bit
      into[word] = bits
    }
  }

  /** What the units of a place come to: those of a long task count with the best of its parts. */
  together(units: number): number {
    return this.#isLong ? merged(units, Math.min(units, this.#part)) : units
  }

  /** The share of a task's words, which weigh `self` together, that one unit stands for. */
  shareOfUnit(self: number): number {
    return self === 0 ? 0 : 1 / (this.#perWeight * self)
  }

  /** The units without which words don't add up to so much. */
  ofSum(sum: number): number {
    // sums are of 32-bit floats
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

  /** Counts how many of some places, of those that have a bit, have so many units. */
  count(some: Uint32Array, from: number, to: number): void {
    const counts = this.#counts
    for (let place = from; place < to; place++) if (isSet(some, place)) counts[this.units[place]!]!++
  }

  /** The units that at least so many of those that were counted have, or all of them. */
  ofFirst(wanted: number): number {
    const counts = this.#counts
    let [least, has] = [counts.length, 0]
    while (least > 1 && has < wanted) has += counts[--least]!
    return least
  }
}
