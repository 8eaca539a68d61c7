import { type Position, positionOf } from "#engine/Position.ts"
import type { Gap } from "#ports/LogAudit.ts"

// es_append counts on from the last position, under one lock: whatever is not there is gone

const gap = (first: number, last: number): Gap | undefined =>
  first > last ? undefined : { first: positionOf(first), last: positionOf(last), count: last - first + 1 }

/** What is missing between two events that were read one after the other. */
export const missingBetween = (before: Position, next: Position) => gap(before + 1, next - 1)

/** What is missing behind the last event that was read, of a log that had come to a position. */
export const missingUpTo = (last: Position, to: Position) => gap(last + 1, to)

/** Half of the way between two positions, rounded down. */
export const middleOf = (low: Position, high: Position): Position => positionOf(Math.floor((low + high) / 2))

/** The position of the event that comes behind a position, so many others in between. */
export const following = (position: Position, others: number): Position => positionOf(position + others + 1)
