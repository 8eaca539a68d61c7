import { turn } from "#ports/turn.ts"

/** Milliseconds of work on end, after which others get their turn. */
const longest = 8

/** For long work in small steps that never waits by itself: a promise that is done lets nobody else in. */
export class Breath {
  #since = performance.now()

  /** To be called between steps; waits when this work has had the process for long enough. */
  async take(): Promise<void> {
    if (performance.now() - this.#since < longest) return
    await turn()
    this.#since = performance.now()
  }
}
