// The one loop that every search spends its time in, as WebAssembly: it has instructions for four floats at once, which
// JavaScript has not, and takes a seventh of the time. Two functions, `one` and `four`, with the same four addresses as
// parameters.

/** Bytes, nested as they are put together. */
type Code = ReadonlyArray<number | Code>

const bytesOf = (code: Code, into: Array<number> = []): Array<number> => {
  for (const part of code) {
    if (typeof part === "number") into.push(part)
    else bytesOf(part, into)
  }
  return into
}

/** A number as WebAssembly writes it: seven bits a byte, the lowest first. */
const unsigned = (value: number): Code => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, unsigned(value >>> 7)])
const signed = (value: number): Code =>
  value >= -64 && value < 64 ? [value & 0x7f] : [(value & 0x7f) | 0x80, signed(value >> 7)]

const list = (...items: ReadonlyArray<Code>): Code => [unsigned(items.length), items]
const sized = (code: Code): Code => {
  const bytes = bytesOf(code)
  return [unsigned(bytes.length), bytes]
}
const section = (id: number, content: Code): Code => [id, sized(content)]
const named = (text: string): Code => list(...[...text].map((letter) => [letter.charCodeAt(0)]))

const i32 = 0x7f
const v128 = 0x7b
const get = (local: number): Code => [0x20, local]
const set = (local: number): Code => [0x21, local]
const integer = (value: number): Code => [0x41, signed(value)]
const addInteger: Code = [0x6a]
const isBelow: Code = [0x49]
const addFloat: Code = [0x92]
const storeFloat = (offset: number): Code => [0x38, 2, unsigned(offset)]
/** Of four floats at once. */
const load = (offset: number): Code => [0xfd, 0x00, 2, unsigned(offset)]
const zeros: Code = [0xfd, 0x0c, Array.from({ length: 16 }, () => 0)]
const multiply: Code = [0xfd, unsigned(0xe6)]
const add: Code = [0xfd, unsigned(0xe4)]
const lane = (number: number): Code => [0xfd, 0x1f, number]
const loop = (body: Code, again: Code): Code => [0x03, 0x40, body, again, 0x0d, 0, 0x0b]

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

/** Does the same for each vector up to the last: so many results of each. */
const each = (dimensions: number, results: number, body: Code): Code =>
  sized([
    list([5, v128]),
    loop(
      [sums.map((sum) => [zeros, set(sum)]), body, get(to), integer(results * 4), addInteger, set(to)],
      [get(vector), integer(dimensions * 4), addInteger, set(vector), get(vector), get(end), isBelow]
    ),
    0x0b
  ])

/** Byte offsets of a vector's numbers, four by four. */
const offsets = (dimensions: number) => Array.from({ length: dimensions / 4 }, (_, step) => step * 16)

/** One query. Its products go into four sums in turn, because each addition waits for the one before it. */
const one = (dimensions: number): Code =>
  each(dimensions, 1, [
    offsets(dimensions).map((at, step) => accumulate(sums[step % 4]!, [get(vector), load(at)], at)),
    [get(sums[0]), get(sums[1]), add, get(sums[2]), get(sums[3]), add, add, set(own)],
    [get(to), across(own), storeFloat(0)]
  ])

/** Four queries, one behind the other: what is read of a vector is used four times. */
const four = (dimensions: number): Code =>
  each(dimensions, 4, [
    offsets(dimensions).map((at) => [
      [get(vector), load(at), set(own)],
      sums.map((sum, query) => accumulate(sum, get(own), query * dimensions * 4 + at))
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

/** The kernel on a memory that holds queries, vectors and results. */
export const makeKernel = (dimensions: number, memory: WebAssembly.Memory): Kernel => {
  const program = bytesOf([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(1, list([0x60, list([i32], [i32], [i32], [i32]), 0])),
    section(2, list([named("index"), named("memory"), 0x02, 0x00, 1])),
    section(3, list([0], [0])),
    section(7, list([named("one"), 0, 0], [named("four"), 0, 1])),
    section(10, list(one(dimensions), four(dimensions)))
  ])
  const module = new WebAssembly.Module(new Uint8Array(program))
  return new WebAssembly.Instance(module, { index: { memory } }).exports as unknown as Kernel
}
