import fs from "node:fs"
import { promisify } from "node:util"
import zlib from "node:zlib"
import type { Sha } from "#ports/WorkspaceStore.ts"
import { inflated, inflatedStart } from "../inflated.ts"
import type { ObjectType, StoredObject } from "../object.ts"
import type { Compressed } from "../objectPieces.ts"
import { applyDelta, lengthAfter } from "./delta.ts"

const inflate = promisify(zlib.inflate)
/** How many bytes are decompressed on this thread: more would be felt by other requests. */
const inlineBytes = 256 * 1024

const types: { readonly [code: number]: ObjectType } = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" }
const offsetDelta = 6
const nameDelta = 7

/** What an entry of a pack begins with. */
interface Entry {
  readonly code: number
  /** Of what is decompressed: the object, or the delta. */
  readonly size: number
  /** Where the base of a delta is. */
  readonly base: number | undefined
  /** Where the compressed bytes begin. */
  readonly start: number
  readonly end: number
}

const magic = 0xff744f63
const fanOut = 8
const names = fanOut + 256 * 4
/** The pack's own digest at its end. */
const trailer = 20
/** Type, size and base of an entry take no more. */
const longestHead = 64

/**
 * A pack with its index (version 2), read where an object is instead of whole: only the index is held in memory. Packs
 * never change, so it stays right for as long as the pack's file is there.
 */
export class PackFile {
  readonly #path: string
  readonly #index: Buffer
  readonly #count: number
  #ends: Float64Array | undefined
  #size: number | undefined

  /** `path` is without its ending. Throws `ENOENT` when a repack has taken it away. */
  constructor(path: string) {
    this.#path = path
    this.#index = fs.readFileSync(`${path}.idx`)
    if (this.#index.readUInt32BE(0) !== magic || this.#index.readUInt32BE(4) !== 2) {
      throw new Error("a pack's index is of another version than 2")
    }
    this.#count = this.#index.readUInt32BE(fanOut + 255 * 4)
  }

  get bytes(): number {
    return this.#index.length
  }

  #offset(place: number): number {
    const offsets = names + this.#count * 24
    const offset = this.#index.readUInt32BE(offsets + place * 4)
    if (offset < 0x80000000) return offset
    return Number(this.#index.readBigUInt64BE(offsets + this.#count * 4 + (offset - 0x80000000) * 8))
  }

  /** Where an object's entry is; `undefined`: it is not in this pack. */
  find(sha: Sha): number | undefined {
    const name = Buffer.from(sha, "hex")
    const first = name[0]!
    let low = first === 0 ? 0 : this.#index.readUInt32BE(fanOut + (first - 1) * 4)
    let high = this.#index.readUInt32BE(fanOut + first * 4)
    while (low < high) {
      const middle = (low + high) >>> 1
      const at = names + middle * 20
      const order = this.#index.compare(name, 0, 20, at, at + 20)
      if (order === 0) return this.#offset(middle)
      // `order` is that of the index's name to ours
      if (order < 0) low = middle + 1
      else high = middle
    }
    return undefined
  }

  /** Where the entry at an offset ends: where the next one begins. */
  #end(file: number, offset: number): number {
    if (this.#ends === undefined) {
      this.#ends = Float64Array.from({ length: this.#count }, (_, place) => this.#offset(place)).sort()
    }
    let [low, high] = [0, this.#count]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#ends[middle]! <= offset) low = middle + 1
      else high = middle
    }
    this.#size ??= fs.fstatSync(file).size
    return this.#ends[low] ?? this.#size - trailer
  }

  #entry(file: number, offset: number): Entry {
    const end = this.#end(file, offset)
    const head = Buffer.alloc(longestHead)
    fs.readSync(file, head, 0, longestHead, offset)
    let at = 0
    let byte = head[at++]!
    const code = (byte >> 4) & 7
    let size = byte & 15
    for (let factor = 16; byte & 0x80; factor *= 128) {
      byte = head[at++]!
      size += (byte & 0x7f) * factor
    }
    let base: number | undefined
    if (code === offsetDelta) {
      byte = head[at++]!
      let distance = byte & 0x7f
      while (byte & 0x80) {
        byte = head[at++]!
        distance = (distance + 1) * 128 + (byte & 0x7f)
      }
      base = offset - distance
    } else if (code === nameDelta) {
      base = this.find(head.toString("hex", at, at + 20))
      if (base === undefined) throw new Error("a delta's base is not in its pack")
      at += 20
    }
    return { code, size, base, start: offset + at, end }
  }

  async #content(file: number, { start, end, size }: Entry): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(end - start)
    for (let read = 0; read < bytes.length; ) {
      const more = fs.readSync(file, bytes, read, bytes.length - read, start + read)
      if (more === 0) throw new Error("a pack is shorter than its index says")
      read += more
    }
    return size > inlineBytes ? inflate(bytes) : inflated(bytes, size)
  }

  /** The object at an offset that `find` gave. */
  async read(offset: number): Promise<StoredObject> {
    const file = fs.openSync(`${this.#path}.pack`, "r")
    try {
      const deltas: Array<Buffer> = []
      let entry = this.#entry(file, offset)
      for (; entry.base !== undefined; entry = this.#entry(file, entry.base)) {
        deltas.push(await this.#content(file, entry))
      }
      let content: Uint8Array = await this.#content(file, entry)
      for (const delta of deltas.reverse()) content = applyDelta(content, delta)
      return { type: types[entry.code]!, content }
    } finally {
      fs.closeSync(file)
    }
  }

  /** The object to be read piece by piece, for who closes its file; `undefined`: it is a delta. */
  async open(offset: number): Promise<Compressed | undefined> {
    const file = await fs.promises.open(`${this.#path}.pack`)
    const { base, start, end } = this.#entry(file.fd, offset)
    if (base === undefined) return { file, start, end: end - 1, head: 0 }
    await file.close()
    return undefined
  }

  /** Bytes of the object's content, without reading what it is a delta of. */
  async size(offset: number): Promise<number> {
    const file = fs.openSync(`${this.#path}.pack`, "r")
    try {
      const entry = this.#entry(file, offset)
      if (entry.base === undefined) return entry.size
      const start = Buffer.alloc(Math.min(128, entry.end - entry.start))
      fs.readSync(file, start, 0, start.length, entry.start)
      return lengthAfter(inflatedStart(start))
    } finally {
      fs.closeSync(file)
    }
  }
}
