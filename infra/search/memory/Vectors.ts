import type { Vector } from "#domain/search/embeddings/vector.ts"
import { Bits } from "./Bits.ts"
import { type Block, blockVectors, type VectorMemory } from "./VectorMemory.ts"

/** A block as it lies in memory. */
export interface BlockImage {
  readonly vectors: number
  readonly bytes: Uint8Array
}

/** The vectors of a segment's slots, of length 1, in blocks: adding one copies at most the content of one block. */
export class Vectors {
  readonly #memory: VectorMemory
  readonly #blocks: Array<Block | undefined> = []
  /** Slots that have a vector. */
  readonly given = new Bits()

  constructor(memory: VectorMemory) {
    this.#memory = memory
  }

  /** `null` clears it: what a removed snippet meant leaves memory too. */
  set(slot: number, vector: Vector | null): void {
    this.given.put(slot, vector !== null)
    const place = slot % blockVectors
    const number = Math.floor(slot / blockVectors)
    if (vector === null) {
      const block = this.#blocks[number]
      if (block !== undefined && place < block.vectors) this.#memory.set(block, place, null)
      return
    }
    const { dimensions } = this.#memory
    if (vector.length !== dimensions)
      throw new Error(`a vector has ${vector.length} numbers, and the table's have ${dimensions}`)
    this.#memory.set(this.#block(number, place + 1), place, vector)
  }

  /**
   * Writes into `cosines`, at the slot plus `at`, how near each slot from `from` (the first of its block) up to `to` is
   * to what the memory was asked; 0 without a vector. See `VectorMemory.compare`.
   */
  compare(from: number, to: number, cosines: Float32Array, at = 0): void {
    cosines.fill(0, at + from, at + to)
    this.#each(from, to, (block, first, count) => this.#memory.compare(block, 0, count, cosines, at + first))
  }

  /**
   * The same for listed slots: the entries from `from` up to `end`, in ascending order, each with `first` added to it.
   * A result has the index of its entry.
   */
  compareListed(places: Uint32Array, first: number, from: number, end: number, cosines: Float32Array): void {
    let at = from
    while (at < end) {
      const number = Math.floor((places[at]! - first) / blockVectors)
      const block = this.#blocks[number]
      const less = first + number * blockVectors
      const behind = less + (block?.vectors ?? 0)
      const begin = at
      while (at < end && places[at]! < behind) at++
      if (at > begin) this.#memory.compareListed(block!, places, less, begin, at, cosines)
      // a slot beyond the end of its block has no vector
      while (at < end && places[at]! >= behind && places[at]! < less + blockVectors) cosines[at++] = 0
    }
  }

  /** Writes the estimates of slots by their signs, for those that have a vector; see `VectorMemory.estimate`. */
  estimate(from: number, to: number, estimates: Uint16Array, at: number): void {
    this.#each(from, to, (block, first, count) => this.#memory.estimate(block, count, estimates, at + first))
  }

  /** The bytes of a block, valid until something is allocated. Blocks have `blockVectors` slots each. */
  image(number: number): BlockImage | undefined {
    const block = this.#blocks[number]
    return block === undefined ? undefined : { vectors: block.vectors, bytes: this.#memory.bytesOf(block) }
  }

  restore(number: number, { vectors, bytes }: BlockImage): void {
    const block = this.#memory.load(vectors, bytes)
    this.#blocks[number] = block
    for (let place = 0; place < vectors; place++)
      this.given.put(number * blockVectors + place, this.#memory.has(block, place))
  }

  /** Gives back all memory. */
  free(): void {
    for (const block of this.#blocks) if (block !== undefined) this.#memory.free(block)
    this.#blocks.length = 0
  }

  /** A block with room for this many vectors. The first one grows with its segment, since most segments are small. */
  #block(number: number, vectors: number): Block {
    const had = this.#blocks[number]
    if (had !== undefined && had.vectors >= vectors) return had
    const size = number > 0 ? blockVectors : Math.max(4, 2 ** Math.ceil(Math.log2(vectors)))
    const block = this.#memory.allocate(size)
    this.#blocks[number] = block
    if (had !== undefined) {
      this.#memory.copy(had, block)
      this.#memory.free(had)
    }
    return block
  }

  /** Calls `visit` for each block that has some of these slots, with the first of them and how many there are. */
  #each(from: number, to: number, visit: (block: Block, first: number, count: number) => void): void {
    for (let first = from; first < to; first += blockVectors) {
      const block = this.#blocks[first / blockVectors]
      const count = Math.min(to - first, block?.vectors ?? 0)
      if (count > 0) visit(block!, first, count)
    }
  }
}
