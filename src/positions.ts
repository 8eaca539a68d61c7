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

/** Reads back a position that a caller was told. Fails if another log told it, such as this one before it was moved. */
export const readTold = Effect.fnUntraced(function* (text: string) {
  const { positions = "" } = yield* Installation
  const [number, mark = ""] = text.split("-").reverse()
  // 0 is before the first event of any log
  if (mark === positions || text === "0") return positionOf(number!)
  return yield* new ForeignPosition({
    message:
      "is a position of another log: this one has been moved since, to where positions are others. Begin anew, without it."
  })
})

/** What cursors carry to tell places in this log from those in another one. */
export const placesIn = Effect.map(Installation, ({ positions }) => (positions === undefined ? [] : [positions]))

/** How far a read model lies behind where it is due: a number to watch, 0 if it has everything. */
export const lagOf = (position: Position, due: Position): number => (hasReached(position, due) ? 0 : due - position)
