import { createHash } from "node:crypto"
import fs from "node:fs"
import zlib from "node:zlib"
import type { Sha } from "#ports/WorkspaceStore.ts"

export interface PackEntry {
  readonly sha: Sha
  /** Git's number of a type: 2 tree, 3 blob; 6 a delta of what stands so many entries before, 7 a delta of a name. */
  readonly type: 2 | 3 | 6 | 7
  readonly base?: number | Sha
  readonly data: Uint8Array
  /** What the entry says of its length, where that is not the truth. */
  readonly says?: number
}

/** A name that nothing has. */
export const nameOf = (text: string): Sha => createHash("sha1").update(text).digest("hex")

/** Seven bits a byte, the lowest first. */
export const varint = (value: number): ReadonlyArray<number> =>
  value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))]

const head = (type: number, size: number): ReadonlyArray<number> => {
  const [first, rest] = [(type << 4) | (size & 15), Math.floor(size / 16)]
  return rest === 0 ? [first] : [first | 0x80, ...varint(rest)]
}

const distance = (bytes: number): ReadonlyArray<number> => {
  const digits = [bytes & 0x7f]
  for (let rest = bytes >>> 7; rest > 0; rest >>>= 7) digits.unshift((--rest & 0x7f) | 0x80)
  return digits
}

/** A delta's instruction to copy from its base, of at most 255 bytes at 255 unless they are round. */
export const copy = (from: number, size: number): ReadonlyArray<number> => {
  const bytes = [from & 255, (from >> 8) & 255, size & 255, (size >> 8) & 255, (size >> 16) & 255]
  const flags = [1, 2, 16, 32, 64].filter((_, index) => bytes[index] !== 0)
  return [0x80 | flags.reduce((sum, flag) => sum | flag, 0), ...bytes.filter((byte) => byte !== 0)]
}

/** A pack without its last digest, and where each entry begins. */
const bodyOf = (entries: ReadonlyArray<PackEntry>) => {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(entries.length)
  const parts: Array<Uint8Array> = [Buffer.from("PACK\0\0\0\x02", "latin1"), count]
  const offsets: Array<number> = []
  let at = 12
  for (const { type, base, data, says } of entries) {
    offsets.push(at)
    const where =
      typeof base === "string" ? [...Buffer.from(base, "hex")] : base === undefined ? [] : distance(at - offsets[base]!)
    const entry = Buffer.concat([Buffer.from([...head(type, says ?? data.length), ...where]), zlib.deflateSync(data)])
    parts.push(entry)
    at += entry.length
  }
  return { body: Buffer.concat(parts), offsets }
}

const digestOf = (bytes: Uint8Array) => createHash("sha1").update(bytes).digest()

/** A pack as it is sent, which is only as true as its entries. */
export const packOf = (entries: ReadonlyArray<PackEntry>): Uint8Array => {
  const { body } = bodyOf(entries)
  return Buffer.concat([body, digestOf(body)])
}

/** Writes a pack and its index into a repository, as no git would: it is only as true as its entries. */
export const writePack = (
  gitdir: string,
  entries: ReadonlyArray<PackEntry>,
  placed: (offset: number) => number = (offset) => offset
): void => {
  const { body, offsets } = bodyOf(entries)
  const digest = digestOf(body)
  const order = entries.map(({ sha }, index) => ({ sha, offset: placed(offsets[index]!) }))
  order.sort((a, b) => (a.sha < b.sha ? -1 : 1))
  const words = new DataView(new ArrayBuffer(4 * (256 + 2 * order.length)))
  for (let first = 0; first < 256; first++) {
    const until = order.filter(({ sha }) => Number.parseInt(sha.slice(0, 2), 16) <= first)
    words.setUint32(4 * first, until.length)
  }
  order.forEach(({ offset }, index) => words.setUint32(4 * (256 + order.length + index), offset))
  const tables = Buffer.from(words.buffer)
  const index = Buffer.concat([
    Buffer.from("ff744f6300000002", "hex"),
    tables.subarray(0, 1024),
    ...order.map(({ sha }) => Buffer.from(sha, "hex")),
    tables.subarray(1024),
    digest
  ])
  const path = `${gitdir}/objects/pack/pack-${digest.toString("hex")}`
  fs.mkdirSync(`${gitdir}/objects/pack`, { recursive: true })
  fs.writeFileSync(`${path}.pack`, Buffer.concat([body, digest]))
  fs.writeFileSync(`${path}.idx`, Buffer.concat([index, digestOf(index)]))
}
