/** A number of seven bits a byte, the lowest first, and where it ends. */
const varint = (bytes: Uint8Array, at: number): readonly [number, number] => {
  let [value, factor, place] = [0, 1, at]
  for (;;) {
    const byte = bytes[place++]!
    value += (byte & 0x7f) * factor
    if ((byte & 0x80) === 0) return [value, place]
    factor *= 128
  }
}

/** How long what a delta makes is; its beginning is enough. */
export const lengthAfter = (delta: Uint8Array): number => varint(delta, varint(delta, 0)[1])[0]

/** What a delta makes of its base: pieces of the base, and bytes of its own. */
export const applyDelta = (base: Uint8Array, delta: Uint8Array): Uint8Array => {
  const [before, afterBefore] = varint(delta, 0)
  const [length, begin] = varint(delta, afterBefore)
  if (before !== base.length) throw new Error("a delta is of another base")
  const result = Buffer.allocUnsafe(length)
  let [at, to] = [begin, 0]
  /** The bytes of a number that a copy instruction has; those left out are 0. */
  const number = (flags: number, bytes: number): number => {
    let value = 0
    for (let byte = 0; byte < bytes; byte++) if (flags & (1 << byte)) value += delta[at++]! * 2 ** (8 * byte)
    return value
  }
  while (at < delta.length) {
    const instruction = delta[at++]!
    if (instruction & 0x80) {
      const from = number(instruction, 4)
      const size = number(instruction >> 4, 3) || 0x10000
      result.set(base.subarray(from, from + size), to)
      to += size
    } else {
      result.set(delta.subarray(at, at + instruction), to)
      at += instruction
      to += instruction
    }
  }
  if (to !== length) throw new Error("a delta makes another length than it says")
  return result
}
