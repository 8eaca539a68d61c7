import {
  addInteger,
  assembled,
  type Code,
  get,
  integer,
  load,
  set,
  through,
  unsigned,
  v128,
  zeros
} from "../assembly.ts"
import { add, addFloat, storeFloat } from "./kernel.ts"

// Sums of a query's numbers, each with the sign that a vector has there. Eight signs are a byte, and what each of its
// 256 values comes to is looked up: a sixteenth of the memory that the numbers take is read, and a tenth of the work.

const f32 = 0x7d
const shiftLeft: Code = [0x74]
const loadByte = (offset: number): Code => [0x2d, 0, unsigned(offset)]
const loadFloat = (offset: number): Code => [0x2a, 2, unsigned(offset)]
const zero: Code = [0x43, 0, 0, 0, 0]
const store = (offset: number): Code => [0xfd, 0x0b, 2, unsigned(offset)]

/** Parameters: addresses of the tables, of the first signs, behind the last ones, and of the results. */
const [tables, signs, end, to] = [0, 1, 2, 3]
/** Locals: sums, in turn, because each addition waits for the one before it. */
const sums = [4, 5, 6, 7] as const

const values = 256

/** What is looked up in a byte's own table is `size` bytes; `body` does it for all. */
const each = (bytes: number, type: number, size: number, start: Code, body: Code): Code =>
  through({ item: signs, end, to, size: bytes, result: size }, [4, type], [sums.map((sum) => [start, set(sum)]), body])

const lookedUp = (bytes: number, shift: number, from: (offset: number) => Code, plus: Code): Code =>
  Array.from({ length: bytes }, (_, byte) => {
    const sum = sums[byte % 4]!
    const entry = [get(tables), get(signs), loadByte(byte), integer(shift), shiftLeft, addInteger]
    return [get(sum), entry, from((byte * values) << shift), plus, set(sum)]
  })

const all = (plus: Code): Code => [get(4), get(5), plus, get(6), get(7), plus, plus]

export interface SignKernel {
  /** Of one query with the signs from `signs` up to `end`: a result each, from `to` on. All are addresses of bytes. */
  readonly one: (tables: number, signs: number, end: number, to: number) => void
  /** The same of four queries, whose entries lie side by side in the tables: four results each. */
  readonly four: (tables: number, signs: number, end: number, to: number) => void
}

/** The kernel for signs of so many bytes. */
export const makeSignKernel = (bytes: number, memory: WebAssembly.Memory): SignKernel =>
  assembled(
    {
      one: each(bytes, f32, 4, zero, [lookedUp(bytes, 2, loadFloat, addFloat), get(to), all(addFloat), storeFloat(0)]),
      four: each(bytes, v128, 16, zeros, [lookedUp(bytes, 4, load, add), get(to), all(add), store(0)])
    },
    memory
  )

/** Bytes of the tables for four queries. */
export const tableBytes = (bytes: number): number => bytes * values * 16

/**
 * Writes the tables for one query, or for up to four side by side: by byte and its value, what the numbers add up to
 * with these signs. `query(n, at)` is a number of a query, 0 behind its last one.
 */
export const writeTables = (
  into: Float32Array,
  bytes: number,
  queries: 1 | 4,
  query: (number: number, at: number) => number
): void => {
  for (let byte = 0; byte < bytes; byte++) {
    for (let number = 0; number < queries; number++) {
      const start = byte * values * queries + number
      let none = 0
      for (let bit = 0; bit < 8; bit++) none -= query(number, byte * 8 + bit)
      into[start] = none
      for (let value = 1; value < values; value++) {
        const lowest = 31 - Math.clz32(value & -value)
        const less = into[start + (value & (value - 1)) * queries]!
        into[start + value * queries] = less + 2 * query(number, byte * 8 + lowest)
      }
    }
  }
}
