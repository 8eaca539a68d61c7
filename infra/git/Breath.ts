import { turn } from "#ports/turn.ts"

/** Milliseconds that work may run without a break. */
const longest = 8

/** Breaks for long work in small steps: awaiting a settled promise lets nothing else run. */
export class Breath {
  #since = performance.now()

  /** Call it between steps: it lets other work run once this work has run for `longest`. */
  async take(): Promise<void> {
    if (performance.now() - this.#since < longest) return
    await turn()
    this.#since = performance.now()
  }
}
