import type { Vector } from "#domain/search/embeddings/vector.ts"
import { merged } from "#domain/search/query.ts"
import { type ListKernel, makeSharesKernel } from "./kernel.ts"
import { greatestSum, group, makeSignKernel, type SignKernel, tableBytes, writeTables } from "./signKernel.ts"
import { wholeBytes, writeWhole } from "./wholeNumbers.ts"

/** Bytes by which a WebAssembly memory grows. */
const unit = 65_536

/** Vectors of a full block. */
export const blockVectors = 1024

/** Queries that a task has at the most, itself and six parts, rounded up to two times four. */
const mostQueries = 8
const steps = 32_767

/** A place in memory with room for this many vectors, a power of 2 from 4 to 1024. */
export interface Block {
  readonly address: number
  readonly vectors: number
}

/**
 * The vectors of all snippets, outside the garbage-collected heap, in blocks of 4, 8, 16, …, 1024 vectors; freed blocks
 * are reused. A vector's numbers are 16-bit shares of its greatest, as in the catalogue's rows (cosines differ by
 * millionths). In a block, they are followed by what a share of each vector is worth, and by the signs of all, one bit
 * a number, in groups. Before all blocks lie the queries of the current search (a single one in whole numbers) and its
 * results for one block.
 */
export class VectorMemory {
  readonly dimensions: number
  readonly #memory = new WebAssembly.Memory({ initial: 1 })
  readonly #kernel: ListKernel
  readonly #signKernel: SignKernel
  /** Bytes of one vector's numbers, and of its signs. */
  readonly #width: number
  readonly #signWidth: number
  readonly #freed = new Map<number, Array<Block>>()
  /**
   * Addresses: of a single query in whole numbers, of the results of the first four queries, of those of the second
   * four, of a list, and of the tables for signs.
   */
  readonly #whole: number
  readonly #results: number
  readonly #further: number
  readonly #listed: number
  readonly #tables: number
  #used: number
  #asked: ReadonlyArray<Vector> = []
  /** What 1 in a result is worth. */
  #worth = 1
  #tabled: ReadonlyArray<Vector> | undefined
  #floats = new Float32Array(0)
  #addresses = new Uint32Array(0)
  #shares = new Int16Array(0)
  #estimates = new Uint16Array(0)
  #bytes = new Uint8Array(0)

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#width = dimensions * 2
    this.#signWidth = Math.ceil(dimensions / 8)
    this.#kernel = makeSharesKernel(dimensions, this.#memory)
    this.#signKernel = makeSignKernel(this.#signWidth, this.#memory)
    this.#whole = mostQueries * dimensions * 4
    this.#results = this.#whole + wholeBytes(dimensions)
    this.#further = this.#results + blockVectors * 16
    this.#listed = this.#further + blockVectors * 16
    this.#tables = this.#listed + blockVectors * 4
    this.#used = this.#tables + mostQueries * tableBytes(this.#signWidth)
    this.#fit(this.#used)
  }

  /** The greatest estimate. */
  get mostEstimate(): number {
    return greatestSum(this.#signWidth)
  }

  /** How many texts were asked. */
  get asked(): number {
    return this.#asked.length
  }

  /** A block without vectors. */
  allocate(vectors: number): Block {
    const freed = this.#freed.get(vectors)?.pop()
    if (freed !== undefined) return freed
    const address = this.#used
    // if memory can't grow, this throws before anything is taken
    this.#fit(address + this.#size(vectors))
    this.#used = address + this.#size(vectors)
    return { address, vectors }
  }

  free(block: Block): void {
    const { address, vectors } = block
    this.#bytes.fill(0, address, address + this.#size(vectors))
    const freed = this.#freed.get(vectors)
    if (freed === undefined) this.#freed.set(vectors, [block])
    else freed.push(block)
  }

  /** All bytes of a block. Valid until the next one is allocated. */
  bytesOf({ address, vectors }: Block): Uint8Array {
    return this.#bytes.subarray(address, address + this.#size(vectors))
  }

  /** A new block with these bytes. */
  load(vectors: number, bytes: Uint8Array): Block {
    if (bytes.length !== this.#size(vectors)) throw new Error("these are no bytes of such a block")
    const block = this.allocate(vectors)
    this.#bytes.set(bytes, block.address)
    return block
  }

  /** Whether a place of a block has a vector that is not all 0. */
  has(block: Block, place: number): boolean {
    return this.#floats[this.#scalesOf(block) / 4 + place] !== 0
  }

  /** Whether a block has nothing left of any vector. */
  isBlank(block: Block): boolean {
    return this.bytesOf(block).every((byte) => byte === 0)
  }

  /** Copies all vectors of a block into a larger one. */
  copy(from: Block, into: Block): void {
    const bytes = this.#bytes
    const rows = from.vectors
    bytes.copyWithin(into.address, from.address, from.address + rows * this.#width)
    const [scales, itsScales] = [this.#scalesOf(from), this.#scalesOf(into)]
    bytes.copyWithin(itsScales, scales, scales + rows * 4)
    const [signs, itsSigns] = [this.#signsOf(from), this.#signsOf(into)]
    bytes.copyWithin(itsSigns, signs, signs + this.#signBytes(rows))
  }

  /** Puts a vector at a place of a block; `null` clears the place. */
  set(block: Block, place: number, vector: Vector | null): void {
    const first = (block.address + place * this.#width) / 2
    const signs = this.#signsOf(block) + this.#signBytes(place - (place % group)) + (place % group)
    const greatest = vector === null ? 0 : vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0)
    this.#floats[this.#scalesOf(block) / 4 + place] = greatest / steps
    for (let byte = 0; byte < this.#signWidth; byte++) this.#bytes[signs + byte * group] = 0
    for (let at = 0; at < this.dimensions; at++) {
      const number = vector === null || greatest === 0 ? 0 : vector[at]!
      this.#shares[first + at] = number === 0 ? 0 : Math.round((number / greatest) * steps)
      if (number > 0) this.#bytes[signs + (at >> 3) * group]! |= 1 << (at & 7)
    }
  }

  /** Sets the queries that vectors are compared with: the vector of a task, then those of its parts. */
  ask(queries: ReadonlyArray<Vector>): void {
    this.#asked = queries
    if (queries.length === 1) {
      const room = this.#shares.subarray(this.#whole / 2, this.#results / 2)
      this.#worth = writeWhole(room, queries[0]!, this.dimensions)
      return
    }
    this.#worth = 1
    const numbers = this.#floats.subarray(0, mostQueries * this.dimensions).fill(0)
    for (const [place, query] of queries.entries()) numbers.set(query, place * this.dimensions)
  }

  /**
   * Writes into `cosines`, from `from` on, how near the `vectors` (at least one) of a block from `place` on are to the
   * queries: the cosine with the task or, for a long task, that one merged with the best of its parts.
   */
  compare(block: Block, place: number, vectors: number, cosines: Float32Array, from: number): void {
    const first = block.address + place * this.#width
    const end = first + vectors * this.#width
    const { one, four } = this.#kernel
    if (this.#asked.length === 1) one(this.#whole, first, end, this.#results)
    else {
      four(0, first, end, this.#results)
      if (this.#asked.length > 4) four(4 * this.dimensions * 4, first, end, this.#further)
    }
    this.#collect(vectors, cosines, from)
    const scales = this.#scalesOf(block) / 4 + place
    const worth = this.#worth
    for (let at = 0; at < vectors; at++) cosines[from + at]! *= this.#floats[scales + at]! * worth
  }

  /**
   * The same for listed places: those of `places` from `from` up to `end`, at most a block's, each minus `less`. A
   * result has the index of its place.
   */
  compareListed(
    block: Block,
    places: Uint32Array,
    less: number,
    from: number,
    end: number,
    cosines: Float32Array
  ): void {
    const addresses = this.#listed / 4 - from
    for (let at = from; at < end; at++)
      this.#addresses[addresses + at] = block.address + (places[at]! - less) * this.#width
    const behind = this.#listed + (end - from) * 4
    const { fetch, oneListed, fourListed } = this.#kernel
    if (end - from > 1) fetch(0, this.#listed, behind, this.#results)
    if (this.#asked.length === 1) oneListed(this.#whole, this.#listed, behind, this.#results)
    else {
      fourListed(0, this.#listed, behind, this.#results)
      if (this.#asked.length > 4) fourListed(4 * this.dimensions * 4, this.#listed, behind, this.#further)
    }
    this.#collect(end - from, cosines, from)
    const scales = this.#scalesOf(block) / 4 - less
    const worth = this.#worth
    for (let at = from; at < end; at++) cosines[at]! *= this.#floats[scales + places[at]!]! * worth
  }

  /**
   * Writes how near the first vectors of a block are by their signs alone: the greater an estimate, the likelier a
   * vector is near. For a place without a vector, it means nothing.
   */
  estimate(block: Block, vectors: number, estimates: Uint16Array, from: number): void {
    const size = tableBytes(this.#signWidth)
    if (this.#tabled !== this.#asked) {
      const tables = this.#bytes.subarray(this.#tables, this.#tables + mostQueries * size)
      writeTables(tables, this.#signWidth, this.#asked)
      this.#tabled = this.#asked
    }
    const first = this.#signsOf(block)
    const end = first + this.#signBytes(vectors)
    const bytes = Math.ceil(vectors / group) * group * 2
    // results of the whole, of the best of the parts so far, and of one more part
    const [whole, best, part] = [0, 1, 2].map((at) => this.#results + at * blockVectors * 2) as [number, number, number]
    const { sums, greater, merged } = this.#signKernel
    sums(this.#tables, first, end, whole)
    for (let query = 1; query < this.#asked.length; query++) {
      sums(this.#tables + query * size, first, end, query === 1 ? best : part)
      if (query > 1) greater(0, part, part + bytes, best)
    }
    if (this.#asked.length > 1) merged(0, whole, whole + bytes, best)
    const results = (this.#asked.length > 1 ? best : whole) / 2
    estimates.set(this.#estimates.subarray(results, results + vectors), from)
  }

  /** The results of a single query as they are; those of several, merged. */
  #collect(vectors: number, into: Float32Array, from: number): void {
    const [floats, results, further] = [this.#floats, this.#results / 4, this.#further / 4]
    const asked = this.#asked.length
    for (let at = 0; at < vectors; at++) {
      if (asked === 1) {
        into[from + at] = floats[results + at]!
        continue
      }
      const four = results + at * 4
      let part = Math.max(0, floats[four + 1]!, floats[four + 2]!, floats[four + 3]!)
      if (asked > 4) {
        const other = further + at * 4
        part = Math.max(part, floats[other]!, floats[other + 1]!, floats[other + 2]!, floats[other + 3]!)
      }
      into[from + at] = merged(Math.max(0, floats[four]!), part)
    }
  }

  #scalesOf({ address, vectors }: Block): number {
    return address + vectors * this.#width
  }

  #signsOf({ address, vectors }: Block): number {
    return address + vectors * (this.#width + 4)
  }

  #size(vectors: number): number {
    return vectors * (this.#width + 4) + this.#signBytes(vectors)
  }

  /** The last group counts whole. */
  #signBytes(vectors: number): number {
    return Math.ceil(vectors / group) * group * this.#signWidth
  }

  #fit(bytes: number): void {
    const missing = bytes - this.#memory.buffer.byteLength
    if (missing > 0) this.#memory.grow(Math.ceil(missing / unit))
    const { buffer } = this.#memory
    if (this.#floats.buffer === buffer) return
    this.#floats = new Float32Array(buffer)
    this.#addresses = new Uint32Array(buffer)
    this.#estimates = new Uint16Array(buffer)
    this.#shares = new Int16Array(buffer)
    this.#bytes = new Uint8Array(buffer)
  }
}
