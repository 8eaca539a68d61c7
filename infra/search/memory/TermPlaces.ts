/**
 * By a term's number, its place among the terms of a task, from 1; 0 for all others. Kept between searches, which run
 * one after another, so that it is not allocated twice.
 */
export class TermPlaces {
  #places = new Uint32Array(0)

  /** Calls `use` with the places of the terms with these numbers, all below `size`. */
  with<A>(numbers: ReadonlyArray<number | undefined>, size: number, use: (places: Uint32Array) => A): A {
    if (size > this.#places.length) this.#places = new Uint32Array(Math.max(size, 2 * this.#places.length))
    for (let at = 0; at < numbers.length; at++) this.#put(numbers[at], at + 1)
    try {
      return use(this.#places)
    } finally {
      for (let at = 0; at < numbers.length; at++) this.#put(numbers[at], 0)
    }
  }

  #put(number: number | undefined, place: number): void {
    if (number !== undefined) this.#places[number] = place
  }
}
