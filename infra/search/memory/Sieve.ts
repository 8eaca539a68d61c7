/** 4 MiB: of a million terms, which leave two marks each, one in three hundred others is let through. */
const bits = 25

const mask = 2 ** bits - 1

/** FNV-1a, 32 bits. */
const hashOf = (term: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** A second hash, of the first one. */
const mixed = (hash: number): number => Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> (32 - bits)

/**
 * Which terms some segment may have: hundreds of spellings are asked about at once, of which hardly any is a word, and
 * there may be thousands of segments. Lets all through that was ever there, and a few others.
 */
export class Sieve {
  readonly #marks = new Uint32Array(2 ** (bits - 5))

  add(term: string): void {
    const hash = hashOf(term)
    for (const mark of [hash & mask, mixed(hash)]) this.#marks[mark >>> 5]! |= 1 << (mark & 31)
  }

  mayHave(term: string): boolean {
    const hash = hashOf(term)
    return this.#has(hash & mask) && this.#has(mixed(hash))
  }

  #has(mark: number): boolean {
    return (this.#marks[mark >>> 5]! & (1 << (mark & 31))) !== 0
  }
}
