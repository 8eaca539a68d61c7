import { Effect } from "effect"
import { hasReached, latest, type Position, positionOf } from "#engine/Position.ts"
import type { ReadFrom } from "./client.ts"
import { Log } from "./Log.ts"
import { nobodysSystem, type Piece, piecewise } from "./read.ts"

/**
 * The position of our last event, from the leader, even if others have written behind it. Our log has reached `seen` in
 * any case: nothing before it is read.
 */
export const headBehind = Effect.fnUntraced(function* (seen: Position) {
  const read = yield* piecewise()
  const { stored } = yield* Log
  for (let from: ReadFrom = "end", count = 1; ; count = Math.min(count * 8, 512)) {
    const { events, asked }: Piece = yield* read({ from, backwards: true, count, types: nobodysSystem })
    for (const event of events) {
      if (hasReached(seen, positionOf(event.position!.commit))) return seen
      const ours = stored(event)
      if (ours !== undefined) return latest(seen, ours.position)
    }
    if (events.length < asked) return seen
    from = Number(events.at(-1)!.position!.commit)
  }
})
