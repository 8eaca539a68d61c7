import { assembled, type Code, get, integer, load, set, store, through, unsigned, v128, zeros } from "../assembly.ts"

// Adds up a query's numbers, each with the sign that a vector has there, as 16-bit whole numbers. A table of sixteen
// bytes gives the sum of four signs. One instruction looks it up for sixteen vectors, so this takes no longer than
// reading the signs. Signs lie in groups of sixteen vectors: one byte of each, then the next byte.

/** Vectors of a group. */
export const group = 16
const signsOfByte = 8
const nibble = 4
/** The greatest entry of a table of four signs: two of them add up in a byte. */
const mostEntry = 127

/** Instructions on bytes, and on 16-bit whole numbers. */
const bytesOp = (code: number): Code => [0xfd, unsigned(code)]
const swizzle = bytesOp(0x0e)
const and = bytesOp(0x4e)
const shiftBytes = bytesOp(0x6d)
const addBytes = bytesOp(0x6e)
const shiftLeft = bytesOp(0x8b)
const shiftRight = bytesOp(0x8d)
const add = bytesOp(0x8e)
const subtract = bytesOp(0x91)
/** Subtracts; gives 0 where the second is the greater one. */
const lessAtMost = bytesOp(0x93)
const greater = bytesOp(0x99)
const shuffle = (from: ReadonlyArray<number>): Code => [0xfd, 0x0d, from]
const constant = (byte: number): Code => [0xfd, 0x0c, Array.from({ length: 16 }, () => byte)]
/** The 16-bit numbers of two locals in turn, from one of each on. */
const inTurn = (from: number): Code =>
  shuffle(Array.from({ length: 16 }, (_, at) => ((at >> 1) & 1) * 16 + (from + (at >> 2)) * 2 + (at & 1)))

/** Parameters: addresses of the tables, of the first signs, of the end of the signs, and of the results. */
const [tables, signs, end, to] = [0, 1, 2, 3]
/** Locals: a byte's signs, the sum for both of its halves, sums of all and of every second vector, and a mask. */
const [own, both, all, odd, mask] = [4, 5, 6, 7, 8]

const sumsOf = (bytes: number): Code =>
  through(
    { item: signs, end, to, size: bytes * group, result: group * 2 },
    [5, v128],
    [
      [zeros, set(all), zeros, set(odd), constant(0x0f), set(mask)],
      Array.from({ length: bytes }, (_, byte) => [
        [get(signs), load(byte * group), set(own)],
        [get(tables), load(tableAt(byte)), get(own), get(mask), and, swizzle],
        [get(tables), load(tableAt(byte) + group), get(own), integer(nibble), shiftBytes, swizzle],
        [addBytes, set(both)],
        // in 16-bit numbers, every second byte is an upper half: what it adds there is taken off at the end
        [get(all), get(both), add, set(all)],
        [get(odd), get(both), integer(8), shiftRight, add, set(odd)]
      ]),
      [get(all), get(odd), integer(8), shiftLeft, subtract, set(all)],
      [0, 1].map((half) => [
        [get(to), get(all), get(odd), inTurn(half * 4)],
        [get(tables), load(0), lessAtMost, store(half * group)]
      ])
    ]
  )

/** Parameters of a walk through results: their address, their end, and the address of those to be overwritten. */
const results = { item: signs, end, to, size: 16, result: 16 }

/** The greater of each two. */
const greaterOf = through(results, [1, v128], [get(to), get(to), load(0), get(signs), load(0), greater, store(0)])

/** A quarter of the whole's plus three quarters of the best part's. */
const mergedOf = through(
  results,
  [1, v128],
  [
    [get(to), get(signs), load(0), integer(2), shiftRight],
    [get(to), load(0), add, get(to), load(0), integer(2), shiftRight, subtract, store(0)]
  ]
)

export interface SignKernel {
  /** Looks up each group of signs from `signs` up to `end` in a query's tables: sixteen results each, from `to` on. */
  readonly sums: (tables: number, signs: number, end: number, to: number) => void
  /** Puts into each result at `to` the greater of it and the one from `from` up to `end`, sixteen bytes at a time. */
  readonly greater: (unused: number, from: number, end: number, to: number) => void
  /** Merges the results of the whole, from `from` up to `end`, into those of the best parts at `to`. */
  readonly merged: (unused: number, from: number, end: number, to: number) => void
}

/** The kernel for this many bytes of signs. */
export const makeSignKernel = (bytes: number, memory: WebAssembly.Memory): SignKernel =>
  assembled({ sums: sumsOf(bytes), greater: greaterOf, merged: mergedOf }, memory)

/** Where in a query's tables those of a byte of signs begin. Before all of them stands what is taken off each sum. */
const tableAt = (byte: number): number => group + byte * 2 * group

/** Bytes of a query's tables. */
export const tableBytes = (bytes: number): number => tableAt(bytes)

const entryFor = (bytes: number): number => Math.min(mostEntry, Math.floor(0xffff / (2 * bytes)))

/** The greatest sum of this many bytes of signs. */
export const greatestSum = (bytes: number): number => 2 * bytes * entryFor(bytes)

/**
 * Writes the tables of some queries, one after another. All have one step, so that their sums can be compared. Entries
 * count from the least of their table on. With several queries, a sum below 0 counts as 0; with one, it does not.
 */
export const writeTables = (into: Uint8Array, bytes: number, queries: ReadonlyArray<ArrayLike<number>>): void => {
  const of = (query: ArrayLike<number>, first: number) =>
    Array.from({ length: nibble }, (_, at) => query[first + at] ?? 0)
  const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((all, number) => all + Math.abs(number), 0)
  const firsts = Array.from({ length: (bytes * signsOfByte) / nibble }, (_, at) => at * nibble)
  const widest = Math.max(...queries.flatMap((query) => firsts.map((first) => 2 * sum(of(query, first)))))
  const step = widest === 0 ? 1 : widest / entryFor(bytes)
  for (const [place, query] of queries.entries()) {
    const its = into.subarray(place * tableBytes(bytes), (place + 1) * tableBytes(bytes))
    let all = 0
    for (const [at, first] of firsts.entries()) {
      const numbers = of(query, first)
      all += sum(numbers)
      for (let value = 0; value < 1 << nibble; value++) {
        // how far it is above the least: by the numbers whose signs differ from those there
        let more = 0
        for (let bit = 0; bit < nibble; bit++)
          if (((value >> bit) & 1) === (numbers[bit]! > 0 ? 1 : 0)) more += 2 * Math.abs(numbers[bit]!)
        its[group + at * group + value] = Math.round(more / step)
      }
    }
    const nothing = queries.length === 1 ? 0 : Math.round(all / step)
    for (let byte = 0; byte < group; byte++) its[byte] = byte % 2 === 0 ? nothing & 0xff : nothing >> 8
  }
}
