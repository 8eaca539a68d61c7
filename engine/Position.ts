import { type Brand, Order } from "effect"

/**
 * A place in the log: opaque, and comparable with others of the same log. Positions increase in commit order; how far
 * two of them are apart says nothing, and there may be none between two that follow one another. Inside it is a safe
 * integer, so that read models can keep it in a column: what is added to it is no position any more.
 */
export type Position = Brand.Branded<number, "engine/Position">

/**
 * A position from where it was written down, such as a column or a caller's cursor: for adapters, and those who read it
 * back.
 */
export const positionOf = (written: number | bigint | string): Position => Number(written) as Position

/** Before the first event. */
export const beginning = positionOf(0)

const order: Order.Order<Position> = Order.Number

/** Whether one lies strictly after another. */
export const isAfter: (one: Position, other: Position) => boolean = Order.isGreaterThan(order)

/** Whether one is another, or lies after it. */
export const hasReached: (one: Position, other: Position) => boolean = Order.isGreaterThanOrEqualTo(order)

/** The first of some. */
export const earliest = (first: Position, ...more: ReadonlyArray<Position>): Position =>
  more.reduce(Order.min(order), first)

/** The last of some. */
export const latest = (first: Position, ...more: ReadonlyArray<Position>): Position =>
  more.reduce(Order.max(order), first)
