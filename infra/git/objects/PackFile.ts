import fs from "node:fs"
import type { Sha } from "#ports/WorkspaceStore.ts"
import { release } from "../../release.ts"
import { Breath } from "../Breath.ts"
import { beginningOf, type Compressed, contentOf, decompressAtOnce, mostAtOnce } from "./compressed.ts"
import { applyDelta, lengthAfter } from "./delta.ts"
import { checkSize, type ObjectType, type StoredObject } from "./object.ts"
import { PackIndex } from "./PackIndex.ts"

const types: { readonly [code: number]: ObjectType } = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" }
const offsetDelta = 6
const nameDelta = 7

/** The head of an entry of a pack. */
interface Entry {
  readonly code: number
  /** Decompressed bytes of the object, or of the delta. */
  readonly size: number
  /** Where a delta's base is; `undefined`: this is no delta. */
  readonly base: number | undefined
  /** Where the compressed bytes begin. */
  readonly start: number
}

/** Bytes that type, size and base of an entry take at most. */
const longestHead = 64
/** Deltas in a chain; git itself makes no longer one. */
const longestChain = 4_096

/** The most bytes that zlib makes of `size` bytes, at any setting. */
const mostCompressed = (size: number): number => size + (size >> 3) + 64

/**
 * A pack with its index, read only where an object is: only the index is held in memory. Packs never change, so a
 * `PackFile` is right for as long as the pack's file exists. Neither file is trusted: a chain that never ends, or bytes
 * that become far more than announced, are errors, so that they can't hold up or fill this process.
 */
export class PackFile {
  readonly #path: string
  readonly #index: PackIndex

  /**
   * `path` has no extension. An index of up to `most` bytes is held in memory. Throws `ENOENT` when a repack has
   * removed it.
   */
  constructor(path: string, most: number) {
    this.#path = `${path}.pack`
    this.#index = new PackIndex(`${path}.idx`, most)
  }

  /** Bytes of its index in memory. */
  get bytes(): number {
    return this.#index.bytes
  }

  /** Where an object's entry is; `undefined`: it is not in this pack. */
  find(sha: Sha): number | undefined {
    return this.#index.find(sha)
  }

  #entry(file: number, offset: number): Entry {
    const head = Buffer.alloc(longestHead)
    fs.readSync(file, head, 0, head.length, offset)
    let at = 0
    let byte = head[at++]!
    const code = (byte >> 4) & 7
    let size = byte & 15
    for (let factor = 16; byte & 0x80; factor *= 128) {
      byte = head[at++] ?? 0
      size += (byte & 0x7f) * factor
    }
    let base: number | undefined
    if (code === offsetDelta) {
      byte = head[at++]!
      let distance = byte & 0x7f
      while (byte & 0x80) {
        byte = head[at++] ?? 0
        distance = (distance + 1) * 128 + (byte & 0x7f)
      }
      base = offset - distance
    } else if (code === nameDelta) {
      base = this.find(head.toString("hex", at, at + 20))
      if (base === undefined) throw new Error("a delta's base is not in its pack")
      at += 20
    } else if (types[code] === undefined) throw new Error("there is no object where a pack's index says")
    return { code, size: checkSize(size), base, start: offset + at }
  }

  async #content(file: number, { start, size }: Entry): Promise<Buffer> {
    if (size > mostAtOnce) {
      return contentOf({ file: await fs.promises.open(this.#path), start, head: 0, size })
    }
    const bytes = Buffer.allocUnsafe(mostCompressed(size))
    const content = decompressAtOnce(bytes.subarray(0, fs.readSync(file, bytes, 0, bytes.length, start)), size, size)
    if (content?.length !== size) throw new Error("an entry of a pack has another length than it says")
    return content
  }

  /** The object at an offset that `find` gave. */
  async read(offset: number): Promise<StoredObject> {
    const file = fs.openSync(this.#path, "r")
    try {
      const breath = new Breath()
      const deltas: Array<Entry> = []
      let entry = this.#entry(file, offset)
      for (; entry.base !== undefined; entry = this.#entry(file, entry.base)) {
        if (deltas.push(entry) > longestChain) throw new Error("a chain of deltas does not end")
        await breath.take()
      }
      const type = types[entry.code]!
      let content: Uint8Array = await this.#content(file, entry)
      for (const delta of deltas.reverse()) {
        await breath.take()
        const [base, instructions] = [content, await this.#content(file, delta)]
        content = await applyDelta(base, instructions, breath)
        // a chain may have fifty of these, of some megabytes each
        release(base)
      }
      return { type, content }
    } finally {
      fs.closeSync(file)
    }
  }

  /** The object, to be read piece by piece. The caller closes its file. `undefined`: it is a delta. */
  async open(offset: number): Promise<Compressed | undefined> {
    const file = await fs.promises.open(this.#path)
    try {
      const { base, start, size } = this.#entry(file.fd, offset)
      if (base === undefined) return { file, start, head: 0, size }
    } catch (error) {
      await file.close()
      throw error
    }
    await file.close()
    return undefined
  }

  /** Bytes of the object's content, without reading what it is a delta of. */
  size(offset: number): number {
    const file = fs.openSync(this.#path, "r")
    try {
      const { base, start, size } = this.#entry(file, offset)
      if (base === undefined) return size
      const beginning = Buffer.allocUnsafe(128)
      return lengthAfter(beginningOf(beginning.subarray(0, fs.readSync(file, beginning, 0, 128, start))))
    } finally {
      fs.closeSync(file)
    }
  }
}
