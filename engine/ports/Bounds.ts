import { Context } from "effect"

/** How much one read or one write may hold, whatever its caller asks for. */
export interface Bound {
  /** Events, or rows. */
  readonly count: number
  /** Bytes of their data and text, about: one that is bigger by itself goes alone. */
  readonly bytes: number
}

/**
 * How much one page of the log, one append and one statement on rows hold at most: memory does not grow with what is
 * stored. Adapters read it when they are made; test suites make it small, so that nothing fits into one page.
 */
export const Bounds = Context.Reference<Bound>("engine/Bounds", {
  defaultValue: () => ({ count: 5_000, bytes: 4 * 1024 * 1024 })
})
