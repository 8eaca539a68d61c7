/** The greatest of the numbers offered, at most this many. */
export class Greatest {
  readonly #most: number
  /** A heap: no number is below its parent, so the least comes first. */
  readonly #heap: Array<number> = []

  constructor(most: number) {
    this.#most = most
  }

  /** The least that a number must be to count among them; minus infinity while there are fewer. */
  get bar(): number {
    if (this.#most === 0) return Number.POSITIVE_INFINITY
    return this.#heap.length < this.#most ? Number.NEGATIVE_INFINITY : this.#heap[0]!
  }

  offer(number: number): void {
    const heap = this.#heap
    if (heap.length < this.#most) {
      let at = heap.length
      heap.push(number)
      while (at > 0 && heap[(at - 1) >> 1]! > number) {
        heap[at] = heap[(at - 1) >> 1]!
        at = (at - 1) >> 1
      }
      heap[at] = number
      return
    }
    if (!(number > this.bar)) return
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && heap[child + 1]! < heap[child]!) child++
      if (heap[child]! >= number) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = number
  }
}
