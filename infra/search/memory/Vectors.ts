import type { Vector } from "#domain/search/embeddings/vector.ts"
import { blockVectors, type VectorMemory } from "./VectorMemory.ts"

interface Block {
  readonly address: number
  readonly vectors: number
}

/** Unit vectors of a segment's slots, by slot, in blocks: to add one copies no more than what is in one block. */
export class Vectors {
  readonly #memory: VectorMemory
  readonly #blocks: Array<Block | undefined> = []

  constructor(memory: VectorMemory) {
    this.#memory = memory
  }

  /** `null` clears it: what a removed snippet meant is gone from memory too. */
  set(slot: number, vector: Vector | null): void {
    const place = slot % blockVectors
    const number = Math.floor(slot / blockVectors)
    const { dimensions } = this.#memory
    if (vector === null) {
      const block = this.#blocks[number]
      if (block !== undefined && place < block.vectors)
        this.#memory.numbers(block.address + place * dimensions * 4, 1).fill(0)
      return
    }
    if (vector.length !== dimensions)
      throw new Error(`a vector has ${vector.length} numbers, and the table's have ${dimensions}`)
    const { address } = this.#block(number, place + 1)
    this.#memory.numbers(address + place * dimensions * 4, 1).set(vector)
  }

  /**
   * How near all slots below `slots` are to what the memory was asked; 0 without a vector. See `VectorMemory.compare`.
   */
  compare(slots: number, cosines: Float32Array): void {
    cosines.fill(0, 0, slots)
    for (const [number, block] of this.#blocks.entries()) {
      const from = number * blockVectors
      const count = Math.min(slots - from, block?.vectors ?? 0)
      if (count > 0) this.#memory.compare(block!.address, count, cosines, from)
    }
  }

  /** Gives back all memory. */
  free(): void {
    for (const block of this.#blocks) if (block !== undefined) this.#memory.free(block.address, block.vectors)
    this.#blocks.length = 0
  }

  /** A block with room for so many vectors. The first one grows with its segment, since most segments are small. */
  #block(number: number, vectors: number): Block {
    const had = this.#blocks[number]
    if (had !== undefined && had.vectors >= vectors) return had
    const size = number > 0 ? blockVectors : Math.max(4, 2 ** Math.ceil(Math.log2(vectors)))
    const block = { address: this.#memory.allocate(size), vectors: size }
    this.#blocks[number] = block
    if (had !== undefined) {
      this.#memory.numbers(block.address, had.vectors).set(this.#memory.numbers(had.address, had.vectors))
      this.#memory.free(had.address, had.vectors)
    }
    return block
  }
}
