import { type Position, positionOf } from "#engine/Position.ts"
import type { Gap } from "#ports/LogAudit.ts"

// es_append counts on from the last position, under one lock: if a position has no event, its event is gone

const gap = (first: number, last: number): Gap | undefined =>
  first > last ? undefined : { first: positionOf(first), last: positionOf(last), count: last - first + 1 }

/** The gap between two events that were read one after the other, if there is one. */
export const missingBetween = (before: Position, next: Position) => gap(before + 1, next - 1)

/** The gap between the last event that was read and the position that the log had come to, if there is one. */
export const missingUpTo = (last: Position, to: Position) => gap(last + 1, to)

/** Half of the way between two positions, rounded down. */
export const middleOf = (low: Position, high: Position): Position => positionOf(Math.floor((low + high) / 2))

/** The position of the event behind a position, with so many others in between. */
export const following = (position: Position, others: number): Position => positionOf(position + others + 1)
