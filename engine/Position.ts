import { type Brand, Order } from "effect"

/**
 * A place in the log: opaque, and comparable with other positions of the same log. Positions increase in commit order;
 * how far apart two of them are means nothing, but to people who watch it grow (`reacting.ts`). A position is a safe
 * integer, so that read models can keep it in a column, but the result of arithmetic on it is not a position.
 */
export type Position = Brand.Branded<number, "engine/Position">

/**
 * Reads back a position that was written down, in a column or a caller's cursor. For adapters, and code that stores
 * positions.
 */
export const positionOf = (written: number | bigint | string): Position => Number(written) as Position

/** Before the first event. */
export const beginning = positionOf(0)

const order: Order.Order<Position> = Order.Number

/** Whether `one` lies strictly after `other`. */
export const isAfter: (one: Position, other: Position) => boolean = Order.isGreaterThan(order)

/** Whether `one` is `other` or lies after it. */
export const hasReached: (one: Position, other: Position) => boolean = Order.isGreaterThanOrEqualTo(order)

/** The earliest of the given positions. */
export const earliest = (first: Position, ...more: ReadonlyArray<Position>): Position =>
  more.reduce(Order.min(order), first)

/** The latest of the given positions. */
export const latest = (first: Position, ...more: ReadonlyArray<Position>): Position =>
  more.reduce(Order.max(order), first)
