import { log } from "../exact.ts"
import type { EmbeddingTable } from "./EmbeddingTable.ts"

/**
 * The dot products of a row's integers with those of some other rows, in their order, as whole numbers. Valid until the
 * next call.
 */
export type Products = (row: number, others: ReadonlyArray<number>) => Int32Array

/** What the second stage needs to know of a table's rows. */
export interface Rows extends Pick<EmbeddingTable, "dimensions" | "rows" | "scales"> {
  /** Lengths of the rows' integers, for the rows that were asked for; 0 for the others. */
  readonly norms: Float64Array
  readonly products: Products
  readonly desk: Desk
}

/** Numbers that a desk keeps room for from one task to the next. */
const kept = 262_144

/**
 * Where a reader writes the cosines of one task, so that a search need not allocate that much memory anew. A new reader
 * discards what the one before wrote.
 */
export class Desk {
  cosines = new Float64Array(4_096)
  #reader: object | undefined
  /** By row: the turn in which it was last written, and where. */
  readonly #turns: Uint32Array
  readonly #places: Uint32Array
  #turn = 0
  #used = 0

  constructor(rows: number) {
    this.#turns = new Uint32Array(rows)
    this.#places = new Uint32Array(rows)
  }

  /** Where this reader has written what belongs to a row; `undefined` if it has not, or another reader came since. */
  placeOf(reader: object, row: number): number | undefined {
    if (this.#reader !== reader) this.#begin(reader)
    return this.#turns[row] === this.#turn ? this.#places[row] : undefined
  }

  /** Reserves room for `size` numbers that belong to a row, for the current reader; where the room begins. */
  take(row: number, size: number): number {
    const place = this.#used
    this.#used += size
    if (this.#used > this.cosines.length) {
      const more = new Float64Array(2 * this.cosines.length)
      more.set(this.cosines)
      this.cosines = more
    }
    this.#turns[row] = this.#turn
    this.#places[row] = place
    return place
  }

  #begin(reader: object): void {
    this.#reader = reader
    this.#used = 0
    if (this.cosines.length > kept) this.cosines = new Float64Array(kept)
    this.#turn++
    if (this.#turn <= 0xffffffff) return
    this.#turns.fill(0)
    this.#turn = 1
  }
}

/** Pieces of a task that count, the weightiest ones: this bounds what the second stage costs. */
const mostPieces = 32

/** The length of a row's integers. */
const normOf = ({ dimensions, rows, norms }: Rows, row: number): number => {
  const known = norms[row]!
  if (known !== 0) return known
  let squares = 0
  for (let at = row * dimensions; at < (row + 1) * dimensions; at++) squares += rows[at]! * rows[at]!
  // a row of zeros is near to nothing
  norms[row] = squares === 0 ? 1 : Math.sqrt(squares)
  return norms[row]!
}

/** A row's length: what its piece weighs in a text's vector. */
export const lengthOf = (table: Rows, row: number): number => table.scales[row]! * normOf(table, row)

/**
 * The pieces of a task, and how near the table's rows are to them. A row's cosines are computed once, however many
 * snippets have it, and in whole numbers, so they are the same in any order and on every runtime.
 */
export class Reading {
  /** Numbers of the pieces' rows, the weightiest first. */
  readonly pieces: ReadonlyArray<number>
  /** How often each occurs in the task. */
  readonly counts: ReadonlyArray<number>
  /** What each weighs by how often it occurs, and by its row's length. */
  readonly weights: ReadonlyArray<number>
  readonly #table: Rows
  readonly #norms: ReadonlyArray<number>

  /** `counts`: how often each piece occurs in the task. */
  constructor(table: Rows, counts: ReadonlyMap<number, number>) {
    const weighed = Array.from(counts, ([piece, count]) => ({
      piece,
      count,
      weight: (1 + log(count)) * lengthOf(table, piece)
    }))
    const some = weighed.sort((one, other) => other.weight - one.weight || one.piece - other.piece).slice(0, mostPieces)
    this.#table = table
    this.pieces = some.map(({ piece }) => piece)
    this.counts = some.map(({ count }) => count)
    this.weights = some.map(({ weight }) => weight)
    this.#norms = some.map(({ piece }) => normOf(table, piece))
  }

  /** From the place that `of` gives, a number in −1…1 for each piece of the task. Valid until `of` is called again. */
  get cosines(): Float64Array {
    return this.#table.desk.cosines
  }

  /** The place in `cosines` where those of a row begin, a number for each piece of the task. */
  of(row: number): number {
    const { desk, products } = this.#table
    const known = desk.placeOf(this, row)
    if (known !== undefined) return known
    const norms = this.#norms
    const place = desk.take(row, norms.length)
    const { cosines } = desk
    const sums = products(row, this.pieces)
    const norm = normOf(this.#table, row)
    for (let at = 0; at < norms.length; at++) cosines[place + at] = sums[at]! / (norm * norms[at]!)
    return place
  }

  /** The length of a row. */
  length(row: number): number {
    return lengthOf(this.#table, row)
  }
}
