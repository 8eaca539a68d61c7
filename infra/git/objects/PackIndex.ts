import fs from "node:fs"
import type { Sha } from "#ports/WorkspaceStore.ts"

const magic = 0xff744f63
const fanOut = 8
const names = fanOut + 256 * 4
const nameBytes = 20

/** Up to `length` bytes from `at` on. */
type Read = (at: number, length: number) => Buffer

const readingOf =
  (file: number): Read =>
  (at, length) => {
    const bytes = Buffer.allocUnsafe(length)
    return bytes.subarray(0, fs.readSync(file, bytes, 0, length, at))
  }

/** Exactly `length` bytes; throws when there are fewer. */
const whole = (read: Read, at: number, length: number): Buffer => {
  const bytes = read(at, length)
  if (bytes.length !== length) throw new Error("a pack's index is shorter than it says")
  return bytes
}

/**
 * The index of a pack (version 2): where its objects are. An index too large to be held in memory is read only where a
 * search looks: to read it whole for each object would take longer than all else.
 */
export class PackIndex {
  readonly #path: string
  readonly #held: Buffer
  readonly #isWhole: boolean
  readonly #count: number

  /** Holds an index of up to `most` bytes, some 28 an object. Throws `ENOENT` when a repack has removed it. */
  constructor(path: string, most: number) {
    this.#path = path
    const file = fs.openSync(path, "r")
    try {
      this.#isWhole = fs.fstatSync(file).size <= most
      this.#held = this.#isWhole ? fs.readFileSync(file) : whole(readingOf(file), 0, names)
    } finally {
      fs.closeSync(file)
    }
    if (this.#held.readUInt32BE(0) !== magic || this.#held.readUInt32BE(4) !== 2) {
      throw new Error("a pack's index is of another version than 2")
    }
    this.#count = this.#held.readUInt32BE(fanOut + 255 * 4)
  }

  /** Bytes held in memory. */
  get bytes(): number {
    return this.#held.length
  }

  /** Where an object's entry is in the pack; `undefined`: it is not in it. Throws `ENOENT` as the constructor does. */
  find(sha: Sha): number | undefined {
    if (this.#isWhole) return this.#found(sha, (at, length) => this.#held.subarray(at, at + length))
    const file = fs.openSync(this.#path, "r")
    try {
      return this.#found(sha, readingOf(file))
    } finally {
      fs.closeSync(file)
    }
  }

  #found(sha: Sha, read: Read): number | undefined {
    const name = Buffer.from(sha, "hex")
    const first = name[0]!
    let low = first === 0 ? 0 : this.#held.readUInt32BE(fanOut + (first - 1) * 4)
    let high = this.#held.readUInt32BE(fanOut + first * 4)
    while (low < high) {
      const middle = (low + high) >>> 1
      const order = whole(read, names + middle * nameBytes, nameBytes).compare(name)
      if (order === 0) return this.#offset(middle, read)
      // `order` compares the index's name with ours
      if (order < 0) low = middle + 1
      else high = middle
    }
    return undefined
  }

  #offset(place: number, read: Read): number {
    const offsets = names + this.#count * 24
    const offset = whole(read, offsets + place * 4, 4).readUInt32BE()
    if (offset < 0x80000000) return offset
    return Number(whole(read, offsets + this.#count * 4 + (offset - 0x80000000) * 8, 8).readBigUInt64BE())
  }
}
