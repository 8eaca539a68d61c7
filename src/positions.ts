import { Data, Effect } from "effect"
import { hasReached, type Position, positionOf } from "#engine/Position.ts"
import { Installation } from "#ports/Installation.ts"

/** A position that is not of this log, as it is now. */
export class ForeignPosition extends Data.TaggedError("ForeignPosition")<{ readonly message: string }> {}

/** Writes positions as callers are told them. */
export const positionWriter: Effect.Effect<(position: Position) => string, never, Installation> = Effect.map(
  Installation,
  ({ positions }) => (positions === undefined ? String : (position: Position) => `${positions}-${position}`)
)

/** A position as callers are told it. */
export const writtenPosition = (position: Position) => Effect.map(positionWriter, (tell) => tell(position))

/** What was told, read back. Fails where another log has told it, such as this one before it was moved. */
export const readTold = Effect.fnUntraced(function* (text: string) {
  const { positions = "" } = yield* Installation
  const [number, mark = ""] = text.split("-").reverse()
  // before the first event of any log
  if (mark === positions || text === "0") return positionOf(number!)
  return yield* new ForeignPosition({
    message:
      "is a position of another log: this one has been moved since, to where positions are others. Begin anew, without it."
  })
})

/** What tells lists of places in this log from those in another one, for their cursors. */
export const placesIn = Effect.map(Installation, ({ positions }) => (positions === undefined ? [] : [positions]))

/** How far a read model lies behind what it is due: a number to watch, 0 when it has all. */
export const lagOf = (position: Position, due: Position): number => (hasReached(position, due) ? 0 : due - position)
