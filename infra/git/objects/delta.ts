import type { Breath } from "../Breath.ts"
import { checkSize } from "./object.ts"

/** A byte of a delta, which has to be there. */
const byteOf = (delta: Uint8Array, at: number): number => {
  const byte = delta[at]
  if (byte === undefined) throw new Error("a delta ends too early")
  return byte
}

/** A number of seven bits a byte, the lowest first, and the place after it. */
const varint = (bytes: Uint8Array, at: number): readonly [number, number] => {
  let [value, factor, place] = [0, 1, at]
  for (;;) {
    const byte = byteOf(bytes, place++)
    value += (byte & 0x7f) * factor
    if ((byte & 0x80) === 0) return [checkSize(value), place]
    factor *= 128
  }
}

/** The length of what a delta makes, read from the delta's beginning. */
export const lengthAfter = (delta: Uint8Array): number => varint(delta, varint(delta, 0)[1])[0]

/** Bytes copied without a break, about a millisecond. Each instruction counts as `instructionCosts` bytes more. */
const copiedAtOnce = 1024 * 1024
const instructionCosts = 32
/** Fewer bytes are copied one by one: a call would take longer. */
const few = 32

/** What a delta makes of its base: pieces of the base, and bytes of its own. */
export const applyDelta = async (base: Uint8Array, delta: Uint8Array, breath: Breath): Promise<Uint8Array> => {
  const [before, afterBefore] = varint(delta, 0)
  const [length, begin] = varint(delta, afterBefore)
  if (before !== base.length) throw new Error("a delta is of another base")
  const result = Buffer.allocUnsafe(length)
  let [at, to, copied] = [begin, 0, 0]
  /** A number in a copy instruction. Bytes that it leaves out are 0. */
  const number = (flags: number, bytes: number): number => {
    let value = 0
    for (let byte = 0; byte < bytes; byte++) if (flags & (1 << byte)) value += byteOf(delta, at++) * 2 ** (8 * byte)
    return value
  }
  while (at < delta.length) {
    const instruction = delta[at++]!
    const copies = (instruction & 0x80) !== 0
    const source = copies ? base : delta
    const from = copies ? number(instruction, 4) : at
    const size = copies ? number(instruction >> 4, 3) || 0x10000 : instruction
    const makesSense = size > 0 && from + size <= source.length && to + size <= length
    if (!makesSense) throw new Error("a delta makes no sense")
    if (size < few) for (let byte = 0; byte < size; byte++) result[to + byte] = source[from + byte]!
    else result.set(source.subarray(from, from + size), to)
    if (!copies) at += size
    to += size
    copied += size + instructionCosts
    if (copied < copiedAtOnce) continue
    copied = 0
    await breath.take()
  }
  if (to !== length) throw new Error("a delta makes another length than it says")
  return result
}
