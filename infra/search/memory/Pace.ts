import type { Steps } from "#engine/steps.ts"

/** Nanoseconds of work after which others get a turn. */
const enough = 250_000

/**
 * How far a search has come since it last gave way, by what its work is known to cost: to look at a clock would take
 * longer than most pieces of that work. So where a search gives way depends only on what it looks at.
 */
export class Pace {
  #done = 0

  /** Counts work of about this many nanoseconds. Gives whether it is time for others to get a turn. */
  isDue(nanoseconds: number): boolean {
    this.#done += nanoseconds
    if (this.#done < enough) return false
    this.#done = 0
    return true
  }

  /**
   * Goes from `from` up to `end`, `length` numbers in one go, each about `cost` nanoseconds of work. Gives way in
   * between when it is time.
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
