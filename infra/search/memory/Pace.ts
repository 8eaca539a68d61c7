import type { Steps } from "#engine/steps.ts"

/** Nanoseconds of work after which others may have their turn. */
const enough = 250_000

/**
 * How far a search has come since it was last interrupted, by what its work is known to cost: to look at a clock would
 * take longer than most of its pieces. So where it may be interrupted depends on nothing but what it looks at.
 */
export class Pace {
  #done = 0

  /** Counts work of about so many nanoseconds; whether it is time for others to have their turn. */
  isDue(nanoseconds: number): boolean {
    this.#done += nanoseconds
    if (this.#done < enough) return false
    this.#done = 0
    return true
  }

  /**
   * Goes from one number to before another, so many of them on end, each of about so many nanoseconds: gives way in
   * between where it is time.
   */
  *through(
    from: number,
    end: number,
    { length, cost }: { readonly length: number; readonly cost: number },
    take: (from: number, to: number) => void
  ): Steps<void> {
    for (let at = from; at < end; at += length) {
      const to = Math.min(at + length, end)
      take(at, to)
      if (this.isDue((to - at) * cost)) yield
    }
  }
}
