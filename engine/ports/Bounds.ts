import { Context } from "effect"

/** How much one read or one write may hold, whatever its caller asks for. */
export interface Bound {
  /** Events, or rows. */
  readonly count: number
  /** Of their data and text, about: what is bigger by itself goes alone. */
  readonly bytes: number
}

/**
 * What one page of the log, one call to append and one statement on rows hold at most: memory does not grow with what
 * was stored. Adapters look at it when they are made; suites make it small, so that nothing they do fits into one page.
 */
export const Bounds = Context.Reference<Bound>("cairn/Bounds", {
  defaultValue: () => ({ count: 5_000, bytes: 4 * 1024 * 1024 })
})
