import {
  addFloats,
  addInteger,
  assembled,
  type Code,
  get,
  i32,
  integer,
  load,
  loadInteger,
  multiplyFloats,
  set,
  storeInteger,
  through,
  unsigned,
  v128,
  zeros
} from "../assembly.ts"
import { byWhole } from "./wholeNumbers.ts"

// The one loop that every search spends its time in, as WebAssembly: unlike JavaScript, it has instructions that work
// on several numbers at once, which take a fraction of the time. There are two functions, `one` and `four`, and the
// same two for listed vectors. All have the same four addresses as parameters.

/** The sum of the two floats before it. */
const addFloat: Code = [0x92]
/** Puts the float before it at an address. */
const storeFloat = (offset: number): Code => [0x38, 2, unsigned(offset)]
const lane = (number: number): Code => [0xfd, 0x1f, number]
/** Four 16-bit numbers, as floats. */
const loadShares = (offset: number): Code => [0xfd, 0x03, 2, unsigned(offset), 0xfd, unsigned(0xfa)]

/** Parameters: addresses of the queries, of the first vector, of the end of the vectors, and of the results. */
const [queries, vector, end, to] = [0, 1, 2, 3]
/** Locals of four floats. */
const sums = [4, 5, 6, 7] as const
const own = 8
/** Locals: the address of a listed vector, and of one that is fetched. */
const [listed, fetched] = [9, 5]

/** The sum of the four floats of a local. */
const across = (local: number): Code => [
  [get(local), lane(0), get(local), lane(1), addFloat],
  [get(local), lane(2), get(local), lane(3), addFloat, addFloat]
]

/** Adds to a sum the products of four floats, which `floats` puts on the stack, and four numbers of the queries. */
const accumulate = (sum: number, floats: Code, offset: number): Code => [
  [get(sum), floats, get(queries), load(offset), multiplyFloats, addFloats, set(sum)]
]

/** What a vector's numbers are: 32-bit floats, or 16-bit whole numbers, which take half the memory. */
interface Numbers {
  readonly bytes: number
  /** Four of them as floats. */
  readonly load: (offset: number) => Code
}
const floats: Numbers = { bytes: 4, load }
const shares: Numbers = { bytes: 2, load: loadShares }

/** Which vectors are read: adjoining ones, or those whose addresses are listed. */
interface Vectors {
  readonly bytes: number
  /** The local that has a vector's address. */
  readonly address: number
  /** Sets that local. */
  readonly begin: Code
}

const adjoining = (dimensions: number, { bytes }: Numbers): Vectors => ({
  bytes: dimensions * bytes,
  address: vector,
  begin: []
})
const some: Vectors = { bytes: 4, address: listed, begin: [get(vector), loadInteger(0), set(listed)] }

/** Does the same for each vector, which gives this many results. */
const each = ({ bytes, begin }: Vectors, results: number, body: Code): Code =>
  through(
    { item: vector, end, to, size: bytes, result: results * 4 },
    [
      [5, v128],
      [1, i32]
    ],
    [begin, sums.map((sum) => [zeros, set(sum)]), body]
  )

/** Places of a vector's numbers, in steps of four. */
const fours = (dimensions: number) => Array.from({ length: dimensions / 4 }, (_, step) => step * 4)

/**
 * One query by vectors of floats. Its products go into four sums in turn, because each addition waits for the one
 * before it.
 */
const oneOfFloats = (dimensions: number, vectors: Vectors): Code =>
  each(vectors, 1, [
    fours(dimensions).map((at, step) => accumulate(sums[step % 4]!, [get(vectors.address), load(at * 4)], at * 4)),
    [get(sums[0]), get(sums[1]), addFloats, get(sums[2]), get(sums[3]), addFloats, addFloats, set(own)],
    [get(to), across(own), storeFloat(0)]
  ])

/** One query by vectors of whole numbers. */
const oneOfShares = (dimensions: number, vectors: Vectors): Code =>
  each(vectors, 1, [
    byWhole(dimensions, { queries, vector: vectors.address }, { sum: sums[0], parts: [sums[1], sums[2]], own }),
    [get(to), across(sums[0]), storeFloat(0)]
  ])

/** Four queries, one after another: each number that is read of a vector is used four times. */
const four = (dimensions: number, numbers: Numbers, vectors: Vectors): Code =>
  each(vectors, 4, [
    fours(dimensions).map((at) => [
      [get(vectors.address), numbers.load(at * numbers.bytes), set(own)],
      sums.map((sum, query) => accumulate(sum, get(own), (query * dimensions + at) * 4))
    ]),
    sums.map((sum, query) => [get(to), across(sum), storeFloat(query * 4)])
  ])

/** Bytes that come from memory together. */
const line = 64

/**
 * Reads a bit of every part of listed vectors, and writes what it read where results go. Vectors that are scattered in
 * memory would come one after another if each was multiplied before the next one is read. This way, many come at once.
 */
const fetch = (dimensions: number, { bytes }: Numbers): Code =>
  through(
    { item: vector, end, to, size: 4, result: 4 },
    [
      [1, v128],
      [1, i32]
    ],
    [
      [get(vector), loadInteger(0), set(fetched)],
      [get(to), integer(0)],
      Array.from({ length: Math.ceil((dimensions * bytes) / line) }, (_, at) => [
        [get(fetched), loadInteger(at * line), addInteger]
      ]),
      storeInteger(0)
    ]
  )

/**
 * Products of vectors with queries, all of the same dimensions, a multiple of 4. Both functions must be given at least
 * one vector.
 */
export interface Kernel {
  /**
   * Multiplies one query by each vector from `vector` up to `end`: one result each, from `to` on. All are addresses of
   * bytes. If vectors are 16-bit whole numbers, the query is as `writeWhole` writes it, results are in its units, and
   * the eight bytes behind the last vector must be readable.
   */
  readonly one: (queries: number, vector: number, end: number, to: number) => void
  /** The same for four queries of floats, one after another: four results for each vector. */
  readonly four: (queries: number, vector: number, end: number, to: number) => void
}

/** The same for vectors whose addresses are listed from `vector` up to `end`. */
export interface ListKernel extends Kernel {
  readonly oneListed: Kernel["one"]
  readonly fourListed: Kernel["four"]
  /** Brings listed vectors near, which pays if they are far apart; writes a number for each, from `to` on. */
  readonly fetch: Kernel["one"]
}

/** The kernel on a memory that holds queries, vectors and results, all in 32-bit floats. */
export const makeKernel = (dimensions: number, memory: WebAssembly.Memory): Kernel => {
  const all = adjoining(dimensions, floats)
  return assembled({ one: oneOfFloats(dimensions, all), four: four(dimensions, floats, all) }, memory)
}

/** The same for vectors of 16-bit whole numbers other than −32,768. */
export const makeSharesKernel = (dimensions: number, memory: WebAssembly.Memory): ListKernel => {
  const all = adjoining(dimensions, shares)
  const functions = {
    one: oneOfShares(dimensions, all),
    four: four(dimensions, shares, all),
    fetch: fetch(dimensions, shares),
    oneListed: oneOfShares(dimensions, some),
    fourListed: four(dimensions, shares, some)
  }
  return assembled(functions, memory)
}
