// Bits by place, 32 to a word: one look answers a question about 32 of a million snippets.

/** Whether the bit of a place is set. */
export const isSet = (words: Uint32Array, at: number): boolean => (words[at >>> 5]! & (1 << (at & 31))) !== 0

/** Sets the bit of a place. */
export const setBit = (words: Uint32Array, at: number): void => {
  words[at >>> 5]! |= 1 << (at & 31)
}

/** Clears the bit of a place. */
export const clearBit = (words: Uint32Array, at: number): void => {
  words[at >>> 5]! &= ~(1 << (at & 31))
}

/** The number of words that hold this many bits. */
export const wordsOf = (bits: number): number => (bits + 31) >>> 5

const bitsOf = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** How many of the first `bits` are set in both columns. */
export const countBoth = (one: Uint32Array, other: Uint32Array, bits: number): number => {
  let count = 0
  for (let at = 0; at < wordsOf(bits); at++) count += bitsOf(one[at]! & other[at]!)
  return count
}

// Loops go through bits by calling these two. A callback that sees its loop's variables would be allocated anew for
// each word, and searches go through all words.

/** The place within a word of its lowest set bit. At least one must be set. */
export const firstOf = (word: number): number => 31 - Math.clz32(word & -word)

/** The word without its lowest set bit. */
export const withoutFirst = (word: number): number => word & (word - 1)

/** A column of bits that grows as bits are set. */
export class Bits {
  #words = new Uint32Array(0)

  /** The 32 bits from 32 × `at` on. */
  word(at: number): number {
    return at < this.#words.length ? this.#words[at]! : 0
  }

  has(at: number): boolean {
    return (this.word(at >>> 5) & (1 << (at & 31))) !== 0
  }

  put(at: number, value: boolean): void {
    if (at >>> 5 >= this.#words.length) {
      if (!value) return
      const bigger = new Uint32Array(Math.max(wordsOf(at + 1), 2 * this.#words.length))
      bigger.set(this.#words)
      this.#words = bigger
    }
    if (value) setBit(this.#words, at)
    else clearBit(this.#words, at)
  }
}
