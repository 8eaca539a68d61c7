import { isSet } from "./Bits.ts"
import type { Finalist } from "./Finals.ts"
import { Greatest } from "./Greatest.ts"
import type { Nearness } from "./Nearness.ts"
import type { Reach } from "./Reach.ts"
import type { Rows } from "./Rows.ts"
import type { Scope } from "./Scope.ts"
import type { Scoring } from "./Scoring.ts"

/** The share of what they can reach that words usually come to: the likeliest are guessed by it. */
const usual = 0.6
/** For a snippet that can't match, or is no longer open. */
const out = -1

/** What a search is assessed by. `self`: what the words of its task weigh together. */
export interface Measures {
  readonly scope: Scope
  readonly nearness: Nearness
  readonly reach: Reach
  readonly rows: Rows
  readonly scoring: Scoring
  readonly self: number
}

/**
 * What each compared snippet likely scores, and at most, in the order of comparison. Since some ten thousand are
 * assessed, that is one loop that has all it needs at hand before it begins. Columns are kept between searches, which
 * run one after another.
 */
export class Assessed {
  /** The most that each can score; below 0: it can't match, or is not open. */
  most = new Float32Array(0)
  #likely = new Float32Array(0)
  #greatest = new Greatest(0)

  /** Begins a search that has compared this many snippets and wants this many. */
  begin(compared: number, wanted: number): void {
    this.#greatest = new Greatest(wanted)
    if (compared <= this.#likely.length) return
    const size = Math.ceil(compared * 1.25)
    this.#likely = new Float32Array(size)
    this.most = new Float32Array(size)
  }

  /** Assesses what was compared of a segment, `from` up to `to`. Gives how many open ones match without a word. */
  assess(number: number, from: number, to: number, measures: Measures): number {
    const { scope, nearness, reach, rows, scoring, self } = measures
    const { places, cosines } = nearness
    const { units } = reach
    const { open } = rows
    const { least } = scoring
    const segment = scope.segments[number]!
    const first = scope.firsts[number]!
    const [likely, most, greatest] = [this.#likely, this.most, this.#greatest]
    const share = reach.shareOfUnit(self)
    let near = 0
    for (let at = from; at < to; at++) {
      const place = places[at]!
      const unit = units[place]!
      const cosine = cosines[at]!
      if ((unit === 0 && cosine < least) || !isSet(open, place)) {
        likely[at] = most[at] = out
        continue
      }
      const prior = scoring.priorOf(segment, place - first)
      const words = unit === 0 ? 0 : Math.min(1, reach.together(unit) * share)
      const guess = scoring.about(usual * words, cosine, prior)
      likely[at] = guess
      most[at] = unit === 0 ? guess : scoring.about(words, cosine, prior)
      greatest.offer(guess)
      if (unit === 0 && scoring.isNear(cosine, prior)) near++
    }
    return near
  }

  /** The first of the compared whose guess is among the best, at most `atMost`. */
  foremost({ places, cosines, compared }: Nearness, atMost: number): ReadonlyArray<Finalist> {
    const likely = this.#likely
    const some: Array<Finalist> = []
    // guesses are kept as 32-bit floats, so the bar is rounded as they are
    const bar = Math.fround(Math.max(0, this.#greatest.bar))
    for (let at = 0; at < compared && some.length < atMost; at++)
      if (likely[at]! >= bar) some.push({ place: places[at]!, cosine: cosines[at]! })
    return some
  }
}
