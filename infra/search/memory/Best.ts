/**
 * What is likeliest so far, at most so many; of those that are as likely the ones that come `before`, so that it does
 * not depend on the order in which they are offered.
 */
export class Best<A> {
  readonly #most: number
  readonly #isBefore: (place: number, other: number) => boolean
  readonly #found: Array<{ readonly score: number; readonly place: number; readonly value: A }> = []

  constructor(most: number, isBefore: (place: number, other: number) => boolean) {
    this.#most = most
    this.#isBefore = isBefore
  }

  /** Best first. */
  get values(): ReadonlyArray<A> {
    return this.#found.map(({ value }) => value)
  }

  /** Puts in what `takes`. */
  put(score: number, place: number, value: A): void {
    const found = this.#found
    let [low, high] = [0, found.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = found[middle]!
      if (score > other.score || (score === other.score && this.#isBefore(place, other.place))) high = middle
      else low = middle + 1
    }
    found.splice(low, 0, { score, place, value })
    if (found.length > this.#most) found.pop()
  }

  /** What is below need not be offered. */
  get bar(): number {
    if (this.#most === 0) return Number.POSITIVE_INFINITY
    return this.#found.length < this.#most ? Number.NEGATIVE_INFINITY : this.#found.at(-1)!.score
  }

  /** Whether a score is too low, wherever it is. */
  refuses(score: number): boolean {
    return score < this.bar
  }

  /** Whether what has such a score there is among them: spares making the value. */
  takes(score: number, place: number): boolean {
    if (this.#found.length < this.#most) return true
    const last = this.#found.at(-1)
    if (last === undefined || score < last.score) return false
    return score > last.score || this.#isBefore(place, last.place)
  }
}
