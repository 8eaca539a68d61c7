import { Data, Effect } from "effect"
import { type Position, positionOf } from "#engine/Position.ts"
import { Installation } from "#ports/Installation.ts"

/** A position that is not of this log, as it is now. */
export class ForeignPosition extends Data.TaggedError("ForeignPosition")<{ readonly message: string }> {}

/** How positions are told; four letters stand before those of a log that was moved to an engine which counts otherwise. */
export const toldPosition = /^(?:[a-z]{4}-)?[0-9]{1,15}$/u

/** A position as callers are told it. */
export const told = (position: Position): Effect.Effect<string, never, Installation> =>
  Effect.map(Installation, ({ positions }) => (positions === undefined ? `${position}` : `${positions}-${position}`))

/** What was told, read back: fails for what another log has told, such as this one before it was moved. */
export const readTold = Effect.fnUntraced(function* (text: string) {
  const { positions = "" } = yield* Installation
  const [number, mark = ""] = text.split("-").reverse()
  if (!toldPosition.test(text)) return yield* new ForeignPosition({ message: "is no position." })
  if (mark === positions) return positionOf(number!)
  return yield* new ForeignPosition({
    message:
      "is a position of another log: this one was moved since to an engine that counts otherwise. Begin anew, without it."
  })
})
