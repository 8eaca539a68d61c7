import { crc32, deflateSync, inflateSync } from "node:zlib"

/** Bytes before the first chunk. */
const signature = 8

const chunk = (type: string, data: Uint8Array): Buffer => {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}

/** The one of three neighbours that is nearest to what they promise together. */
const likely = (left: number, above: number, beyond: number): number => {
  const promised = left + above - beyond
  const [one, two, three] = [left, above, beyond].map((neighbour) => Math.abs(promised - neighbour))
  if (one! <= two! && one! <= three!) return left
  return two! <= three! ? above : beyond
}

/** What each of a PNG's filters adds to a byte, by the bytes left of it, above it, and left of that one. */
const filters: ReadonlyArray<(left: number, above: number, beyond: number) => number> = [
  () => 0,
  (left) => left,
  (_, above) => above,
  (left, above) => (left + above) >> 1,
  likely
]

/** The lines without filters: letters on a ground repeat themselves, and compress better as they are. */
const unfiltered = (lines: Buffer, bytes: number, pixel: number): Buffer => {
  const plain = Buffer.from(lines)
  const length = bytes + 1
  for (let line = 0; line < plain.length; line += length) {
    const filter = filters[lines[line]!]!
    const at = (index: number, isIn: boolean) => (isIn && index >= 0 ? plain[index]! : 0)
    for (let byte = 1; byte < length; byte++) {
      const [here, isBehind] = [line + byte, byte > pixel]
      const added = filter(at(here - pixel, isBehind), at(here - length, true), at(here - length - pixel, isBehind))
      plain[here] = lines[here]! + added
    }
    plain[line] = 0
  }
  return plain
}

/** Bytes of a pixel, by the kind of a PNG of eight bits a colour. */
const pixels: { readonly [kind: number]: number } = { 2: 3, 6: 4 }

/** The same PNG, its lines compressed as far as that goes: a browser is content with less. */
export const smaller = (png: Buffer): Buffer => {
  const [head, lines, tail]: [Array<Buffer>, Array<Buffer>, Array<Buffer>] = [[], [], []]
  for (let at = signature; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const whole = png.subarray(at, at + 12 + length)
    if (whole.toString("latin1", 4, 8) === "IDAT") lines.push(whole.subarray(8, 8 + length))
    else (lines.length === 0 ? head : tail).push(whole)
    at += whole.length
  }
  const filtered = inflateSync(Buffer.concat(lines))
  const [width, depth, kind] = [png.readUInt32BE(16), png[24], png[25]!]
  const pixel = depth === 8 ? pixels[kind] : undefined
  const ways = [filtered, ...(pixel === undefined ? [] : [unfiltered(filtered, width * pixel, pixel)])]
  const results = ways.map((lines) => {
    const again = deflateSync(lines, { level: 9, memLevel: 9 })
    return Buffer.concat([png.subarray(0, signature), ...head, chunk("IDAT", again), ...tail])
  })
  return [png, ...results].reduce((least, one) => (one.length < least.length ? one : least))
}
