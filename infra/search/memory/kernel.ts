import { assembled, type Code, get, load, set, through, unsigned, v128, zeros } from "../assembly.ts"

// The one loop that every search spends its time in, as WebAssembly: it has instructions for four floats at once, which
// JavaScript has not, and takes a seventh of the time. Two functions, `one` and `four`, with the same four addresses as
// parameters.

/** The sum of the two floats before it. */
export const addFloat: Code = [0x92]
/** Puts the float before it at an address. */
export const storeFloat = (offset: number): Code => [0x38, 2, unsigned(offset)]
const multiply: Code = [0xfd, unsigned(0xe6)]
/** Of four floats at once. */
export const add: Code = [0xfd, unsigned(0xe4)]
const lane = (number: number): Code => [0xfd, 0x1f, number]
/** Four floats of four numbers of 16 bits. */
const loadShares = (offset: number): Code => [0xfd, 0x03, 2, unsigned(offset), 0xfd, unsigned(0xfa)]

/** Parameters: addresses of the queries, of the first vector, behind the last vector, and of the results. */
const [queries, vector, end, to] = [0, 1, 2, 3]
/** Locals of four floats. */
const sums = [4, 5, 6, 7] as const
const own = 8

/** The sum of the four floats of a local. */
const across = (local: number): Code => [
  [get(local), lane(0), get(local), lane(1), addFloat],
  [get(local), lane(2), get(local), lane(3), addFloat, addFloat]
]

/** Adds the products of four floats, which `floats` puts on the stack, and of four of the queries. */
const accumulate = (sum: number, floats: Code, offset: number): Code => [
  [get(sum), floats, get(queries), load(offset), multiply, add, set(sum)]
]

/** What a vector's numbers are: 32-bit floats, or whole numbers of 16 bits, which take half the memory. */
interface Numbers {
  readonly bytes: number
  /** Four of them as floats. */
  readonly load: (offset: number) => Code
}
const floats: Numbers = { bytes: 4, load }
const shares: Numbers = { bytes: 2, load: loadShares }

/** Does the same for each vector up to the last: so many results of each. */
const each = (dimensions: number, { bytes }: Numbers, results: number, body: Code): Code =>
  through(
    { item: vector, end, to, size: dimensions * bytes, result: results * 4 },
    [5, v128],
    [sums.map((sum) => [zeros, set(sum)]), body]
  )

/** Places of a vector's numbers, four by four. */
const fours = (dimensions: number) => Array.from({ length: dimensions / 4 }, (_, step) => step * 4)

/** One query. Its products go into four sums in turn, because each addition waits for the one before it. */
const one = (dimensions: number, numbers: Numbers): Code =>
  each(dimensions, numbers, 1, [
    fours(dimensions).map((at, step) =>
      accumulate(sums[step % 4]!, [get(vector), numbers.load(at * numbers.bytes)], at * 4)
    ),
    [get(sums[0]), get(sums[1]), add, get(sums[2]), get(sums[3]), add, add, set(own)],
    [get(to), across(own), storeFloat(0)]
  ])

/** Four queries, one behind the other: what is read of a vector is used four times. */
const four = (dimensions: number, numbers: Numbers): Code =>
  each(dimensions, numbers, 4, [
    fours(dimensions).map((at) => [
      [get(vector), numbers.load(at * numbers.bytes), set(own)],
      sums.map((sum, query) => accumulate(sum, get(own), (query * dimensions + at) * 4))
    ]),
    sums.map((sum, query) => [get(to), across(sum), storeFloat(query * 4)])
  ])

/**
 * Products of vectors with queries, all of so many dimensions, a multiple of 4. Each of the two must be given a vector
 * at least.
 */
export interface Kernel {
  /**
   * Of one query with each vector from `vector` up to `end`: a result each, from `to` on. All are addresses of bytes.
   */
  readonly one: (queries: number, vector: number, end: number, to: number) => void
  /** The same of four queries, one behind the other: four results for each vector. */
  readonly four: (queries: number, vector: number, end: number, to: number) => void
}

const kernelOf = (dimensions: number, numbers: Numbers, memory: WebAssembly.Memory): Kernel =>
  assembled({ one: one(dimensions, numbers), four: four(dimensions, numbers) }, memory)

/** The kernel on a memory that holds queries, vectors and results, all in 32-bit floats. */
export const makeKernel = (dimensions: number, memory: WebAssembly.Memory): Kernel =>
  kernelOf(dimensions, floats, memory)

/** The same for vectors of whole numbers of 16 bits. */
export const makeSharesKernel = (dimensions: number, memory: WebAssembly.Memory): Kernel =>
  kernelOf(dimensions, shares, memory)
