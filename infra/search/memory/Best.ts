/**
 * What is likeliest so far, at most so many; of those that are as likely the first ids, so that it does not depend on
 * the order of insertion.
 */
export class Best<A> {
  readonly #most: number
  readonly #found: Array<{ readonly score: number; readonly id: string; readonly value: A }> = []

  constructor(most: number) {
    this.#most = most
  }

  /** Best first. */
  get values(): ReadonlyArray<A> {
    return this.#found.map(({ value }) => value)
  }

  offer(score: number, id: string, value: A): void {
    const found = this.#found
    let [low, high] = [0, found.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = found[middle]!
      if (score > other.score || (score === other.score && id < other.id)) high = middle
      else low = middle + 1
    }
    if (low >= this.#most) return
    found.splice(low, 0, { score, id, value })
    if (found.length > this.#most) found.pop()
  }

  /** What is below need not be offered. */
  get bar(): number {
    if (this.#most === 0) return Number.POSITIVE_INFINITY
    return this.#found.length < this.#most ? Number.NEGATIVE_INFINITY : this.#found.at(-1)!.score
  }

  /** Whether a score is too low to be offered: spares making the value. */
  refuses(score: number): boolean {
    return score < this.bar
  }

  /** The id that one with this score has to come before to be taken; `undefined`: its score decides. */
  lastOf(score: number): string | undefined {
    if (this.#found.length < this.#most) return undefined
    const last = this.#found.at(-1)
    return last?.score === score ? last.id : undefined
  }
}
