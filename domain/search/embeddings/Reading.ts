import { log } from "../exact.ts"
import type { EmbeddingTable } from "./EmbeddingTable.ts"

/** What the second stage needs to know of a table's rows. */
export interface Rows extends Pick<EmbeddingTable, "dimensions" | "rows" | "scales"> {
  /** Lengths of the rows' integers, of each that was asked for; 0 of the others. */
  readonly norms: Float64Array
}

/** Pieces of a task that count, the weightiest ones: they bound what the second stage costs. */
const mostPieces = 32

/** Cosines are reckoned for so many pieces of the task at once. */
const atOnce = 4

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
 * The pieces of a task, and how near the table's rows are to them. A row's cosines are reckoned once, however many
 * snippets have it: in whole numbers, so that they are the same in any order and on every runtime.
 */
export class Reading {
  /** Numbers of the pieces' rows, the weightiest first. */
  readonly pieces: ReadonlyArray<number>
  /** How often each occurs in the task. */
  readonly counts: ReadonlyArray<number>
  /** What each weighs by how often it occurs, and by its row's length. */
  readonly weights: ReadonlyArray<number>
  /** From `of` on, a number for each piece of the task: −1…1. */
  cosines: Float64Array
  readonly #table: Rows
  readonly #places = new Map<number, number>()
  /** The pieces' rows, filled up with zeros to a multiple of `atOnce`. */
  readonly #rows: Int8Array
  readonly #norms: Float64Array
  readonly #lengths = new Map<number, number>()

  /** `counts`: how often each piece occurs in the task. */
  constructor(table: Rows, counts: ReadonlyMap<number, number>) {
    const { dimensions, rows } = table
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
    const filled = Math.ceil(some.length / atOnce) * atOnce
    this.#rows = new Int8Array(filled * dimensions)
    this.#norms = new Float64Array(filled).fill(1)
    for (const [place, { piece }] of some.entries()) {
      this.#rows.set(rows.subarray(piece * dimensions, (piece + 1) * dimensions), place * dimensions)
      this.#norms[place] = normOf(table, piece)
    }
    this.cosines = new Float64Array(512 * filled)
  }

  /** Where in `cosines` those of a row stand, a number for each piece of the task. */
  of(row: number): number {
    const known = this.#places.get(row)
    if (known !== undefined) return known
    const size = this.#norms.length
    const place = this.#places.size * size
    if (place + size > this.cosines.length) {
      const more = new Float64Array(2 * this.cosines.length)
      more.set(this.cosines)
      this.cosines = more
    }
    this.#reckon(row, place)
    this.#places.set(row, place)
    return place
  }

  /** The length of a row. */
  length(row: number): number {
    const known = this.#lengths.get(row)
    if (known !== undefined) return known
    const length = lengthOf(this.#table, row)
    this.#lengths.set(row, length)
    return length
  }

  #reckon(row: number, place: number): void {
    const { dimensions, rows } = this.#table
    const asked = this.#rows
    const { cosines } = this
    const norms = this.#norms
    const norm = normOf(this.#table, row)
    const from = row * dimensions
    for (let first = 0; first < norms.length; first += atOnce) {
      const one = first * dimensions
      const two = one + dimensions
      const three = two + dimensions
      const four = three + dimensions
      let a = 0
      let b = 0
      let c = 0
      let d = 0
      for (let at = 0; at < dimensions; at++) {
        const number = rows[from + at]!
        a = (a + number * asked[one + at]!) | 0
        b = (b + number * asked[two + at]!) | 0
        c = (c + number * asked[three + at]!) | 0
        d = (d + number * asked[four + at]!) | 0
      }
      const to = place + first
      cosines[to] = a / (norm * norms[first]!)
      cosines[to + 1] = b / (norm * norms[first + 1]!)
      cosines[to + 2] = c / (norm * norms[first + 2]!)
      cosines[to + 3] = d / (norm * norms[first + 3]!)
    }
  }
}
