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
  const again = deflateSync(inflateSync(Buffer.concat(lines)), { level: 9, memLevel: 9 })
  const result = Buffer.concat([png.subarray(0, signature), ...head, chunk("IDAT", again), ...tail])
  return result.length < png.length ? result : png
}
