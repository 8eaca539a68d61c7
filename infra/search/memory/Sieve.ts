/** FNV-1a, 32 bits. */
const hashOf = (term: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** A second hash, made of the first: how far apart a term's marks are. It is odd, so it is never 0. */
const mixed = (hash: number): number => Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) | 1

/** Bits for each term. In a full layer, an eighth is set: one other term in 5,000 finds all its marks there. */
const bits = 32
/** Marks that a term leaves. */
const marks = 4

/** A Bloom filter for this many terms, a power of two. */
class Layer {
  readonly #shift: number
  readonly #words: Uint32Array
  /** How many more terms it has room for. */
  left: number

  constructor(terms: number) {
    this.#shift = 32 - Math.log2(terms * bits)
    this.#words = new Uint32Array((terms * bits) / 32)
    this.left = terms
  }

  add(hash: number, step: number): void {
    for (let nth = 0; nth < marks; nth++) {
      const bit = (hash + Math.imul(nth, step)) >>> this.#shift
      this.#words[bit >>> 5]! |= 1 << (bit & 31)
    }
    this.left--
  }

  has(hash: number, step: number): boolean {
    for (let nth = 0; nth < marks; nth++) {
      const bit = (hash + Math.imul(nth, step)) >>> this.#shift
      if ((this.#words[bit >>> 5]! & (1 << (bit & 31))) === 0) return false
    }
    return true
  }
}

/** Terms of the first layer, which takes 128 KiB. Each layer has room for twice as many as the one before. */
const first = 2 ** 15
/** Terms of the largest layer: a hash of 32 bits tells its bits apart. */
const largest = 2 ** 26

/**
 * Which terms some segment may have. Hundreds of spellings are asked about at once, hardly any of them a word, and
 * there may be thousands of segments. It lets through all terms that were ever there, and a few others: of a million
 * terms, one in 840. It takes 4 bytes a term, 8 at the most.
 */
export class Sieve {
  readonly #layers = [new Layer(first)]

  add(term: string): void {
    const hash = hashOf(term)
    const step = mixed(hash)
    if (this.#has(hash, step)) return
    const last = this.#layers.at(-1)!
    last.add(hash, step)
    if (last.left === 0) this.#layers.push(new Layer(Math.min(largest, first * 2 ** this.#layers.length)))
  }

  mayHave(term: string): boolean {
    const hash = hashOf(term)
    return this.#has(hash, mixed(hash))
  }

  #has(hash: number, step: number): boolean {
    for (const layer of this.#layers) if (layer.has(hash, step)) return true
    return false
  }
}
