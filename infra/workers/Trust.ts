/** Milliseconds that any job gets, and milliseconds after which it is forgotten that an owner's jobs were given up. */
const least = 500
const remembered = 60_000

/**
 * How long jobs of an owner may take: half as long after each that took all of its time, so that jobs made to last soon
 * cost little.
 */
export class Trust {
  readonly #now: () => number
  readonly #givenUp = new Map<string, { readonly times: number; readonly at: number }>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  #times(owner: string): number {
    const known = this.#givenUp.get(owner)
    if (known === undefined) return 0
    if (this.#now() - known.at <= remembered) return known.times
    this.#givenUp.delete(owner)
    return 0
  }

  /** Milliseconds for a job that would get `within`. */
  within(owner: string, within: number): number {
    return Math.min(within, Math.max(least, within / 2 ** this.#times(owner)))
  }

  gaveUp(owner: string): void {
    this.#givenUp.set(owner, { times: Math.min(10, this.#times(owner) + 1), at: this.#now() })
  }
}
