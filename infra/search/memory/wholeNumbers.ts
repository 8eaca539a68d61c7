import { addFloats, addWhole, type Code, get, load, multiplyFloats, multiplyPairs, set, unsigned } from "../assembly.ts"

// Most of what a search reads is compared with a single query, its task. Whole numbers, as the vectors have, take half
// the instructions of floats for that. A query has two 16-bit numbers for each of its own: the second says what the
// first leaves over. Together they are as exact as a 32-bit float, and their sums are the same in any order. (Four
// queries at once would be eight sums, for which there are no registers: floats are as fast.)

/** Numbers that are multiplied at once, and numbers whose products are added up before they become floats. */
const [step, run] = [8, 128]

/**
 * The greatest first number, and the parts into which the second divides its 1. For either, the 32 products of a run
 * that go into one sum fit into its 32 bits, whatever the vector.
 */
const [greatest, finer] = [2_047, 4_096]

const toFloats: Code = [0xfd, unsigned(0xfa)]
/** The same float in each of four places. */
const floats = (value: number): Code => [0xfd, 0x0c, [...new Uint8Array(new Float32Array(4).fill(value).buffer)]]

/** How many first numbers a query has: a multiple of those multiplied at once. Beyond the dimensions they are 0. */
const firsts = (dimensions: number): number => Math.ceil(dimensions / step) * step

/** Bytes of a query. */
export const wholeBytes = (dimensions: number): number => 2 * firsts(dimensions) * 2

/** Writes down a query of this many dimensions, with 0 for what is missing; gives what 1 in its results is worth. */
export const writeWhole = (into: Int16Array, query: ArrayLike<number>, dimensions: number): number => {
  let most = 0
  for (let at = 0; at < query.length; at++) most = Math.max(most, Math.abs(query[at]!))
  const unit = most === 0 ? 1 : most / greatest
  const second = firsts(dimensions)
  into.fill(0, 0, 2 * second)
  for (let at = 0; at < query.length; at++) {
    const units = query[at]! / unit
    const first = Math.round(units)
    into[at] = first
    into[second + at] = Math.round((units - first) * finer)
  }
  return unit
}

/** Locals of sixteen bytes: a sum of floats, whole-number sums of both parts, and some of a vector's numbers. */
interface Locals {
  readonly sum: number
  readonly parts: readonly [number, number]
  readonly own: number
}

/** Adds four floats to `sum`: together, the product of such a query and the vector at the address in a local. */
export const byWhole = (
  dimensions: number,
  { queries, vector }: { readonly queries: number; readonly vector: number },
  { sum, parts, own }: Locals
): Code => {
  const product = (part: number, at: number): Code => [
    [get(own), get(queries), load((part * firsts(dimensions) + at) * 2), multiplyPairs]
  ]
  const steps = Array.from({ length: Math.ceil(dimensions / step) }, (_, at) => at * step)
  return [
    steps.map((at) => [
      [get(vector), load(at * 2), set(own)],
      parts.map((local, part) =>
        at % run === 0 ? [product(part, at), set(local)] : [get(local), product(part, at), addWhole, set(local)]
      ),
      (at + step) % run === 0 || at === steps.at(-1)
        ? [
            [get(sum), get(parts[0]), toFloats, addFloats],
            [get(parts[1]), toFloats, floats(1 / finer), multiplyFloats, addFloats, set(sum)]
          ]
        : []
    ])
  ]
}
