/**
 * The likeliest so far, at most this many. Of two with the same score, the one that comes before the other wins, so the
 * order in which they are offered does not matter.
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

  /** Puts in a value that `takes` has accepted. */
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

  /** A value with a score below this need not be offered. */
  get bar(): number {
    if (this.#most === 0) return Number.POSITIVE_INFINITY
    return this.#found.length < this.#most ? Number.NEGATIVE_INFINITY : this.#found.at(-1)!.score
  }

  /** Whether a score is too low at any place. */
  refuses(score: number): boolean {
    return score < this.bar
  }

  /** Whether a value with this score and place would be among them. To ask first spares making the value. */
  takes(score: number, place: number): boolean {
    if (this.#found.length < this.#most) return true
    const last = this.#found.at(-1)
    if (last === undefined || score < last.score) return false
    return score > last.score || this.#isBefore(place, last.place)
  }
}
