import { merged } from "#domain/search/query.ts"

/**
 * Working columns of one search, by slot; kept between searches, which run one after another, so that none is allocated
 * twice.
 */
export class Scratch {
  /** The part's sum so far. */
  sums = new Float32Array(0)
  /** What the current term gave so far; stale unless `isNew` was false. */
  best = new Float32Array(0)
  /** The first part's sum. */
  wholes = new Float32Array(0)
  /** The largest sum of any other part. */
  parts = new Float32Array(0)
  /** The first `found` are the slots that share a term with the query. */
  slots = new Uint32Array(0)
  found = 0

  /** By a term's number, its place in the query from 1; all are 0 between searches. */
  #places = new Uint32Array(0)

  /** Per slot, the last term and part that met it, counted on over all searches so that nothing has to be cleared. */
  #terms = new Uint32Array(0)
  #parts = new Uint32Array(0)
  #searches = new Uint32Array(0)
  #term = 0
  #part = 0
  #search = 0
  #partSlots = new Uint32Array(0)
  #inPart = 0
  #first = true

  begin(slots: number): void {
    if (slots > this.sums.length || Math.max(this.#term, this.#part) > 0xf0000000)
      this.#allocate(Math.max(slots, 2 * this.sums.length))
    this.#search++
    this.found = 0
    this.#first = true
  }

  beginPart(): void {
    this.#part++
    this.#inPart = 0
  }

  nextTerm(): void {
    this.#term++
  }

  /** Whether the current term meets this slot for the first time; then its sum is ready to be added to. */
  isNew(slot: number): boolean {
    if (this.#terms[slot] === this.#term) return false
    this.#terms[slot] = this.#term
    if (this.#parts[slot] !== this.#part) {
      this.#parts[slot] = this.#part
      this.sums[slot] = 0
      this.#partSlots[this.#inPart++] = slot
    }
    return true
  }

  endPart(): void {
    for (let at = 0; at < this.#inPart; at++) {
      const slot = this.#partSlots[at]!
      if (this.#searches[slot] !== this.#search) {
        this.#searches[slot] = this.#search
        this.slots[this.found++] = slot
        this.wholes[slot] = 0
        this.parts[slot] = 0
      }
      if (this.#first) this.wholes[slot] = this.sums[slot]!
      else if (this.sums[slot]! > this.parts[slot]!) this.parts[slot] = this.sums[slot]!
    }
    this.#first = false
  }

  /** Whether a slot shares a term with the query. */
  has(slot: number): boolean {
    return this.#searches[slot] === this.#search
  }

  /** The sum of a slot that shares a term; of a long query from the whole and the best part. */
  sum(slot: number, long: boolean): number {
    return long ? merged(this.wholes[slot]!, this.parts[slot]!) : this.wholes[slot]!
  }

  /**
   * By the numbers of terms, which are below `size`, their places in the query from 1; 0 of all others, until `forget`.
   */
  placesOf(numbers: ReadonlyArray<number | undefined>, size: number): Uint32Array {
    if (size > this.#places.length) this.#places = new Uint32Array(Math.max(size, 2 * this.#places.length))
    for (const [place, number] of numbers.entries()) if (number !== undefined) this.#places[number] = place + 1
    return this.#places
  }

  forget(numbers: ReadonlyArray<number | undefined>): void {
    for (const number of numbers) if (number !== undefined) this.#places[number] = 0
  }

  #allocate(slots: number): void {
    this.sums = new Float32Array(slots)
    this.best = new Float32Array(slots)
    this.wholes = new Float32Array(slots)
    this.parts = new Float32Array(slots)
    this.slots = new Uint32Array(slots)
    this.#terms = new Uint32Array(slots)
    this.#parts = new Uint32Array(slots)
    this.#searches = new Uint32Array(slots)
    this.#partSlots = new Uint32Array(slots)
    this.#term = 0
    this.#part = 0
    this.#search = 0
  }
}
