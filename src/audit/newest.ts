import { Effect } from "effect"
import { beginning, type Position } from "#engine/Position.ts"
import { EventStore, type Newest } from "#engine/ports/EventStore.ts"

/** Where the last events are in the log: `count` of them after the position `after`. */
export interface Stretch {
  readonly after: Position
  readonly count: number
  /** The position of the first of them, if others come before it; `undefined`: none do. */
  readonly before: Position | undefined
  /** The position of the last of them. */
  readonly last: Position
}

/** Finds the last of the wanted events, or the last ones before a position. */
export const newestStretch = Effect.fnUntraced(function* (which: Newest) {
  // one event more says where they begin, and whether that is the beginning of the log
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
