import { addFloats, addWhole, type Code, get, load, multiplyFloats, multiplyPairs, set, unsigned } from "../assembly.ts"

// A task is one query, and nearly all of what a search reads is compared with it: by whole numbers, as the vectors are,
// which takes half the instructions of floats. A query has two numbers of 16 bits for each of its own, of which the
// second says what the first leaves over: together they are as exact as a float of 32 bits, and their sums the same in
// any order. (Of four queries at once that is eight sums, for which there are no registers: floats are as fast.)

/** Numbers that are multiplied at once, and those whose products are added up before floats are. */
const [step, run] = [8, 128]

/**
 * What the first number goes up to, and what the second has of its 1: of either the 32 products of a run that come to
 * one sum fit into its 32 bits, whatever the vector.
 */
const [greatest, finer] = [2_047, 4_096]

const toFloats: Code = [0xfd, unsigned(0xfa)]
/** A float in each of four places. */
const floats = (value: number): Code => [0xfd, 0x0c, [...new Uint8Array(new Float32Array(4).fill(value).buffer)]]

/** The first numbers of a query, as many as are multiplied at once: what a vector has not is 0 there. */
const firsts = (dimensions: number): number => Math.ceil(dimensions / step) * step

/** Bytes of a query. */
export const wholeBytes = (dimensions: number): number => 2 * firsts(dimensions) * 2

/** Writes a query of so many dimensions down, where it is missing 0; gives what a 1 of its results is worth. */
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

/** Locals of sixteen bytes: a sum of floats, of the whole numbers of both parts, and some of a vector's numbers. */
interface Locals {
  readonly sum: number
  readonly parts: readonly [number, number]
  readonly own: number
}

/** Adds four floats that add up to the product of a vector, at the address in a local, and of such a query. */
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
