import { Effect } from "effect"
import { beginning, type Position } from "#engine/Position.ts"
import { EventStore, type Newest } from "#engine/ports/EventStore.ts"

/** Where the last events lie: to be read from behind `after`, as many as `count`. */
export interface Stretch {
  readonly after: Position
  readonly count: number
  /** The first of them, where others lie before it; `undefined`: none do. */
  readonly before: Position | undefined
  /** Of the last of them. */
  readonly last: Position
}

/** Finds the last events, or those that lie before a position, of those that are wanted. */
export const newestStretch = Effect.fnUntraced(function* (which: Newest) {
  // one more says where they begin, and whether that is the beginning
  const found = yield* (yield* EventStore).newest({ ...which, limit: which.limit + 1 })
  const count = Math.min(found.length, which.limit)
  const more = found.length > which.limit
  const stretch: Stretch = {
    after: found[which.limit] ?? beginning,
    count,
    before: more ? found[count - 1] : undefined,
    last: found[0] ?? beginning
  }
  return stretch
})
