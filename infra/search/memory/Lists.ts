/** Words of a shared page: 256 KiB. A list of more than an eighth of that has a page of its own. */
const pageBits = 16
const pageWords = 1 << pageBits
const offsetMask = pageWords - 1

/** Capacities in words: 2, 4, 6, 8, 12, 16, 24, 32, …, so that at most a third of a list is unused. */
const capacities: ReadonlyArray<number> = [
  2,
  4,
  ...Array.from({ length: 44 }, (_, n) => (n % 2 === 0 ? 3 : 4) << ((n >> 1) + 1))
]

/** Lists that are put in one go: a millisecond. */
export const stretch = 256

/** The words of all lists, one list after another. */
export const concatenated = (lists: ReadonlyArray<Uint32Array>): Uint32Array => {
  const words = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0))
  let used = 0
  for (const list of lists) {
    words.set(list, used)
    used += list.length
  }
  return words
}

/**
 * Growing lists of 32-bit words, outside the garbage-collected heap. Most terms occur in one snippet, and a typed array
 * for each would cost some hundred bytes. So short lists lie together in pages, by size class, and freed ones are
 * reused.
 *
 * A list is an address and a size class, which its owner keeps.
 */
export class Lists {
  readonly #pages: Array<Uint32Array> = []
  readonly #freed: Array<Array<number>> = capacities.map(() => [])
  readonly #freePages: Array<number> = []
  #shared = -1
  #used = pageWords

  /** The words that hold the list at `address`, from `offset(address)` on. Valid until that list is freed or grown. */
  page(address: number): Uint32Array {
    return this.#pages[address >>> pageBits]!
  }

  offset(address: number): number {
    return address & offsetMask
  }

  /** The first `length` words of the list at `address`. Valid as long as `page` is. */
  words(address: number, length: number): Uint32Array {
    const from = this.offset(address)
    return this.page(address).subarray(from, from + length)
  }

  /** The smallest size class with room for this many words. */
  static sizeClass(words: number): number {
    let found = 0
    while (capacities[found]! < words) found++
    return found
  }

  static capacity(sizeClass: number): number {
    return capacities[sizeClass]!
  }

  /** The address of a list of this class. Its words are not cleared. */
  allocate(sizeClass: number): number {
    const freed = this.#freed[sizeClass]!.pop()
    if (freed !== undefined) return freed
    const words = capacities[sizeClass]!
    if (words > pageWords / 8) return this.#newPage(words) * pageWords
    if (this.#used + words > pageWords) {
      this.#shared = this.#newPage(pageWords)
      this.#used = 0
    }
    const address = this.#shared * pageWords + this.#used
    this.#used += words
    return address
  }

  /** The address of a new list of these words. */
  put(words: Uint32Array, sizeClass = Lists.sizeClass(words.length)): number {
    const address = this.allocate(sizeClass)
    this.page(address).set(words, this.offset(address))
    return address
  }

  free(address: number, sizeClass: number): void {
    if (capacities[sizeClass]! > pageWords / 8) {
      const page = address >>> pageBits
      this.#pages[page] = new Uint32Array(0)
      this.#freePages.push(page)
    } else this.#freed[sizeClass]!.push(address)
  }

  /** Moves a list of `length` words into the next class; gives its new address. */
  grow(address: number, sizeClass: number, length: number): number {
    const bigger = this.allocate(sizeClass + 1)
    const from = this.offset(address)
    this.page(bigger).set(this.page(address).subarray(from, from + length), this.offset(bigger))
    this.free(address, sizeClass)
    return bigger
  }

  #newPage(words: number): number {
    const page = this.#freePages.pop() ?? this.#pages.length
    this.#pages[page] = new Uint32Array(words)
    return page
  }
}
