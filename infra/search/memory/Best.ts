import type { IndexMatch } from "#ports/SnippetIndex.ts"

const before = (one: IndexMatch, other: IndexMatch): boolean =>
  one.score > other.score || (one.score === other.score && one.id < other.id)

/** The best so far, best first; ties in order of id, so that an answer doesn't depend on the order of insertion. */
export class Best {
  readonly #limit: number
  readonly matches: Array<IndexMatch> = []

  constructor(limit: number) {
    this.#limit = limit
  }

  offer(match: IndexMatch): void {
    const { matches } = this
    let at = matches.length
    while (at > 0 && before(match, matches[at - 1]!)) at--
    if (at >= this.#limit) return
    matches.splice(at, 0, match)
    if (matches.length > this.#limit) matches.pop()
  }

  /** Whether a score is too low to be offered: spares making the match. */
  refuses(score: number): boolean {
    return this.matches.length >= this.#limit && score < this.matches.at(-1)!.score
  }
}
