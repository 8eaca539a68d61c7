import type { Vector } from "#domain/search/embeddings/vector.ts"
import { merged } from "#domain/search/query.ts"
import { type Kernel, makeKernel } from "./kernel.ts"

/** Bytes that a WebAssembly memory grows by. */
const unit = 65_536

/** Vectors of a full block. */
export const blockVectors = 1024

/**
 * The vectors of all snippets, outside the garbage-collected heap, in blocks of 4, 8, 16, …, 1024 vectors; freed ones
 * are used again. In front of them the queries of the search that is under way, and its results for one block.
 */
export class VectorMemory {
  readonly dimensions: number
  readonly #memory = new WebAssembly.Memory({ initial: 1 })
  readonly #kernel: Kernel
  readonly #freed = new Map<number, Array<number>>()
  readonly #results: number
  #used: number
  #asked = 0
  readonly #best = new Float32Array(blockVectors)

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#kernel = makeKernel(dimensions, this.#memory)
    // a task has seven parts at the most: two times four queries
    this.#results = 8 * dimensions * 4
    this.#used = this.#results + blockVectors * 4 * 4
    this.#fit()
  }

  /** The numbers of so many vectors from an address on. Valid until the next `allocate`. */
  numbers(address: number, vectors: number): Float32Array {
    return new Float32Array(this.#memory.buffer, address, vectors * this.dimensions)
  }

  /** The address of a block of zeros for so many vectors, a power of 2 from 4 to 1024. */
  allocate(vectors: number): number {
    const freed = this.#freed.get(vectors)?.pop()
    if (freed !== undefined) return freed
    const address = this.#used
    this.#used += vectors * this.dimensions * 4
    this.#fit()
    return address
  }

  free(address: number, vectors: number): void {
    this.numbers(address, vectors).fill(0)
    const freed = this.#freed.get(vectors)
    if (freed === undefined) this.#freed.set(vectors, [address])
    else freed.push(address)
  }

  /** Says what is to be compared with: the vector of a task, then those of its parts. */
  ask(queries: ReadonlyArray<Vector>): void {
    this.#asked = queries.length
    const numbers = this.numbers(0, 8).fill(0)
    for (const [place, query] of queries.entries()) numbers.set(query, place * this.dimensions)
  }

  /**
   * Into `cosines`, from `from` on, how near so many vectors (at least one) of a block are to what was asked: the
   * cosine with the task, and for a long one that and the best of its parts, merged.
   */
  compare(address: number, vectors: number, cosines: Float32Array, from: number): void {
    const end = address + vectors * this.dimensions * 4
    const results = new Float32Array(this.#memory.buffer, this.#results, vectors * (this.#asked === 1 ? 1 : 4))
    if (this.#asked === 1) {
      this.#kernel.one(0, address, end, this.#results)
      cosines.set(results, from)
      return
    }
    const best = this.#best
    best.fill(0)
    // the second four first: the task itself is in the first one
    if (this.#asked > 4) {
      this.#kernel.four(4 * this.dimensions * 4, address, end, this.#results)
      for (let at = 0, four = 0; at < vectors; at++, four += 4) {
        best[at] = Math.max(0, results[four]!, results[four + 1]!, results[four + 2]!, results[four + 3]!)
      }
    }
    this.#kernel.four(0, address, end, this.#results)
    for (let at = 0, four = 0; at < vectors; at++, four += 4) {
      const part = Math.max(best[at]!, results[four + 1]!, results[four + 2]!, results[four + 3]!)
      cosines[from + at] = merged(Math.max(0, results[four]!), part)
    }
  }

  #fit(): void {
    const missing = this.#used - this.#memory.buffer.byteLength
    if (missing > 0) this.#memory.grow(Math.ceil(missing / unit))
  }
}
