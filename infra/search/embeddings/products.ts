import type { EmbeddingTable } from "#domain/search/embeddings/EmbeddingTable.ts"
import type { Products } from "#domain/search/embeddings/Reading.ts"
import {
  addInteger,
  addWhole,
  assembled,
  type Code,
  get,
  i32,
  integer,
  isBelow,
  list,
  loadWidened,
  loop,
  multiplyPairs,
  set,
  sized,
  unsigned,
  v128,
  zeros
} from "../assembly.ts"

/** Numbers of a row that are multiplied at once. */
const step = 8

const loadInteger: Code = [0x28, 2, 0]
const storeInteger: Code = [0x36, 2, 0]
const lane = (number: number): Code => [0xfd, 0x1b, number]

/** Parameters: the address of a row, of the first of the others' addresses, of their end, and of the results. */
const [row, first, end, to] = [0, 1, 2, 3]
const local = 4

/** Multiplies one row by each of the others. The row is read once. */
const multiplied = (dimensions: number): Code => {
  const steps = Array.from({ length: dimensions / step }, (_, at) => at)
  const [one, two, other] = [local + steps.length, local + steps.length + 1, local + steps.length + 2]
  return sized([
    list([unsigned(steps.length + 2), v128], [1, i32]),
    steps.map((at) => [get(row), loadWidened(at * step), set(local + at)]),
    loop(
      [
        [get(first), loadInteger, set(other)],
        [zeros, set(one), zeros, set(two)],
        // into two sums in turn, because each addition waits for the one before it
        steps.map((at) => {
          const sum = at % 2 === 0 ? one : two
          return [get(sum), get(local + at), get(other), loadWidened(at * step), multiplyPairs, addWhole, set(sum)]
        }),
        [get(one), get(two), addWhole, set(one)],
        [get(to), get(one), lane(0), get(one), lane(1), addInteger],
        [get(one), lane(2), addInteger, get(one), lane(3), addInteger, storeInteger],
        [get(to), integer(4), addInteger, set(to)]
      ],
      [get(first), integer(4), addInteger, set(first), get(first), get(end), isBelow]
    ),
    0x0b
  ])
}

/** The most rows that one is multiplied by at once: more than the pieces of a task that count. */
const most = 64

/**
 * The products of a table's rows, and the table with its rows in the memory where they are multiplied. Products are
 * whole numbers, so a sum is the same in any order. Throws an `Error` if the length of a row is no multiple of 8.
 */
export const multiplying = (table: EmbeddingTable): { readonly table: EmbeddingTable; readonly products: Products } => {
  const { dimensions, rows } = table
  // the file's bytes are let go: nothing below may hold on to what they were read into
  const scales = table.scales.slice()
  if (dimensions % step !== 0)
    throw new Error(`its rows have ${dimensions} numbers, and only multiples of ${step} are multiplied`)
  const results = 4 * most
  const start = 2 * results
  const memory = new WebAssembly.Memory({ initial: Math.ceil((start + rows.length) / 65_536) })
  const { multiply } = assembled({ multiply: multiplied(dimensions) }, memory)
  const numbers = new Int8Array(memory.buffer, start, rows.length)
  numbers.set(rows)
  const addresses = new Int32Array(memory.buffer, 0, most)
  const sums = new Int32Array(memory.buffer, results, most)
  const nothing = new Int32Array(most)
  let written: ReadonlyArray<number> | undefined
  return {
    table: { ...table, rows: numbers, scales },
    products: (row, others) => {
      // a profile of another table may name any row
      if (others.length === 0 || row >= scales.length) return nothing
      if (others !== written) {
        for (const [place, other] of others.entries()) addresses[place] = start + other * dimensions
        written = others
      }
      multiply(start + row * dimensions, 0, 4 * others.length, results)
      return sums
    }
  }
}
