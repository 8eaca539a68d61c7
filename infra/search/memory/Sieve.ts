/** FNV-1a, 32 bits. */
const hashOf = (term: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** A second hash, of the first one. */
const mixed = (hash: number): number => Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)

/** Of so many marks one is made: of other terms, whose two must be there, one in 256 is let through. */
const sparse = 16

/** A Bloom filter of so many terms, whose number is a power of two: each leaves two marks. */
class Layer {
  readonly #shift: number
  readonly #marks: Uint32Array
  /** Terms that it has room for yet. */
  left: number

  constructor(terms: number) {
    const marks = 2 * terms * sparse
    this.#shift = 32 - Math.log2(marks)
    this.#marks = new Uint32Array(marks / 32)
    this.left = terms
  }

  add(hash: number, second: number): void {
    for (const one of [hash, second]) {
      const mark = one >>> this.#shift
      this.#marks[mark >>> 5]! |= 1 << (mark & 31)
    }
    this.left--
  }

  has(hash: number, second: number): boolean {
    return this.#has(hash >>> this.#shift) && this.#has(second >>> this.#shift)
  }

  #has(mark: number): boolean {
    return (this.#marks[mark >>> 5]! & (1 << (mark & 31))) !== 0
  }
}

/** Terms of the first layer, which takes 128 KiB; each has room for twice as many as the one before. */
const first = 2 ** 15
/** A layer's marks are told apart by a hash of 32 bits. */
const largest = 2 ** 26

/**
 * Which terms some segment may have: hundreds of spellings are asked about at once, of which hardly any is a word, and
 * there may be thousands of segments. Lets all through that was ever there, and a few others: of a million terms, one
 * in fifty.
 */
export class Sieve {
  readonly #layers = [new Layer(first)]

  add(term: string): void {
    if (this.mayHave(term)) return
    const last = this.#layers.at(-1)!
    const hash = hashOf(term)
    last.add(hash, mixed(hash))
    if (last.left === 0) this.#layers.push(new Layer(Math.min(largest, first * 2 ** this.#layers.length)))
  }

  mayHave(term: string): boolean {
    const hash = hashOf(term)
    const second = mixed(hash)
    for (const layer of this.#layers) if (layer.has(hash, second)) return true
    return false
  }
}
