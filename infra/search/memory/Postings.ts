import type { Steps } from "#engine/steps.ts"
import { countsBeside } from "../packedCount.ts"
import { concatenated, Lists, stretch } from "./Lists.ts"
import { Parts } from "./Parts.ts"
import type { Sieve } from "./Sieve.ts"

/**
 * A string that shares no memory with the text it was cut from: in V8, a substring of 13 characters or more keeps a
 * whole row alive.
 */
const detached = (term: string): string => (term.length < 13 ? term : JSON.parse(JSON.stringify(term)))

const grown = <A extends Uint32Array | Uint8Array>(array: A, make: (length: number) => A): A => {
  const bigger = make(Math.max(16, array.length * 2))
  bigger.set(array)
  return bigger
}

/** Terms by number, and their postings. */
export interface TermsImage {
  /** A free number has an empty term and no words. */
  readonly terms: ReadonlyArray<string>
  /** How many words each list has. */
  readonly lengths: Uint32Array
  /** All lists, one after another. */
  readonly words: Uint32Array
}

/** An image ends after this many terms, or words of postings: some milliseconds. */
const portion = { terms: 2_000, words: 128 * 1024 }

/**
 * Which documents have a term, and how often in each field. A term's list is pairs of words (slot, packed counts) in no
 * order. A term that no document has any more is forgotten, and its number is reused.
 */
export class Postings {
  readonly #lists: Lists
  readonly #sieve: Sieve
  readonly #numbers = new Parts<number>()
  readonly #terms: Array<string> = []
  readonly #freed: Array<number> = []
  #addresses = new Uint32Array(0)
  #lengths = new Uint32Array(0)
  #classes = new Uint8Array(0)

  constructor(lists: Lists, sieve: Sieve) {
    this.#lists = lists
    this.#sieve = sieve
  }

  /** How many documents have a term. */
  df(term: string): number {
    const number = this.#numbers.get(term)
    return number === undefined ? 0 : this.#lengths[number]! / 2
  }

  /** How many documents have a term in any field but this one. */
  dfBeside(field: number, term: string): number {
    const postings = this.of(term)
    if (postings === undefined) return 0
    const { words, from, to } = postings
    let count = 0
    for (let at = from; at < to; at += 2) if (countsBeside(words[at + 1]!, field)) count++
    return count
  }

  /** The term's number, as `add` gave it. */
  number(term: string): number | undefined {
    return this.#numbers.get(term)
  }

  /** The term that has a number. */
  term(number: number): string {
    return this.#terms[number]!
  }

  /** Numbers of terms are below this. */
  get numbers(): number {
    return this.#terms.length
  }

  /** The packed counts of a document that has the term with this number. */
  packedOf(number: number, slot: number): number {
    const words = this.#lists.page(this.#addresses[number]!)
    const at = this.#placeOf(number, slot)
    return at === undefined ? 0 : words[at + 1]!
  }

  /** The term's postings as a window of words, or `undefined`. Valid until the next change. */
  of(term: string): { readonly words: Uint32Array; readonly from: number; readonly to: number } | undefined {
    const number = this.#numbers.get(term)
    if (number === undefined) return undefined
    const address = this.#addresses[number]!
    const from = this.#lists.offset(address)
    return { words: this.#lists.page(address), from, to: from + this.#lengths[number]! }
  }

  /** Adds a posting; gives the term's number, for `remove`. */
  add(term: string, slot: number, packed: number): number {
    const number = this.#numbers.get(term) ?? this.#insert(term)
    const length = this.#lengths[number]!
    if (length === Lists.capacity(this.#classes[number]!)) {
      this.#addresses[number] = this.#lists.grow(this.#addresses[number]!, this.#classes[number]!, length)
      this.#classes[number]!++
    }
    const address = this.#addresses[number]!
    const words = this.#lists.page(address)
    const at = this.#lists.offset(address) + length
    words[at] = slot
    words[at + 1] = packed
    this.#lengths[number] = length + 2
    return number
  }

  /** Removes the posting of a document under the term with this number. */
  remove(number: number, slot: number): void {
    const at = this.#placeOf(number, slot)
    if (at === undefined) return
    const address = this.#addresses[number]!
    const words = this.#lists.page(address)
    const from = this.#lists.offset(address)
    const last = from + this.#lengths[number]! - 2
    words[at] = words[last]!
    words[at + 1] = words[last + 1]!
    this.#lengths[number]! -= 2
    if (last === from) this.#forget(number)
  }

  /** Images of all terms, portion by portion. Each is valid until the next change. */
  *images(): Generator<TermsImage> {
    const all = this.#terms.length
    for (let from = 0; from < all; ) {
      let [to, words] = [from, 0]
      const lists: Array<Uint32Array> = []
      while (to < all && to - from < portion.terms && words < portion.words) {
        lists.push(this.#lists.words(this.#addresses[to]!, this.#lengths[to]!))
        words += this.#lengths[to++]!
      }
      yield {
        terms: this.#terms.slice(from, to),
        lengths: this.#lengths.subarray(from, to),
        words: concatenated(lists)
      }
      from = to
    }
  }

  /** Adds the terms of an image behind those restored so far. */
  *restore({ terms, lengths, words }: TermsImage): Steps<void> {
    let used = 0
    for (const [at, length] of lengths.entries()) {
      if (at % stretch === 0) yield
      const number = this.#terms.length
      this.#room(number)
      const next = used + length
      if (length === 0) {
        this.#terms.push("")
        this.#freed.push(number)
        continue
      }
      const sizeClass = Lists.sizeClass(length)
      this.#call(number, terms[at]!)
      this.#lengths[number] = length
      this.#classes[number] = sizeClass
      this.#addresses[number] = this.#lists.put(words.subarray(used, next), sizeClass)
      used = next
    }
  }

  /** Where a document stands in the list of the term with this number. */
  #placeOf(number: number, slot: number): number | undefined {
    const address = this.#addresses[number]!
    const words = this.#lists.page(address)
    const from = this.#lists.offset(address)
    const last = from + this.#lengths[number]! - 2
    // Slots grow as documents come, so a list is nearly in order until some are removed.
    let [low, high] = [0, this.#lengths[number]! / 2 - 1]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (words[from + 2 * middle]! < slot) low = middle + 1
      else high = middle
    }
    let at = from + 2 * low
    if (words[at] !== slot) for (at = last; at >= from && words[at] !== slot; ) at -= 2
    return at < from ? undefined : at
  }

  #room(number: number): void {
    if (number < this.#addresses.length) return
    this.#addresses = grown(this.#addresses, (length) => new Uint32Array(length))
    this.#lengths = grown(this.#lengths, (length) => new Uint32Array(length))
    this.#classes = grown(this.#classes, (length) => new Uint8Array(length))
  }

  /** Gives a number to a term. */
  #call(number: number, term: string): void {
    this.#sieve.add(term)
    this.#terms[number] = term
    this.#numbers.set(term, number)
  }

  #insert(term: string): number {
    const number = this.#freed.pop() ?? this.#terms.length
    this.#room(number)
    this.#call(number, detached(term))
    this.#classes[number] = 0
    this.#lengths[number] = 0
    this.#addresses[number] = this.#lists.allocate(0)
    return number
  }

  #forget(number: number): void {
    this.#numbers.delete(this.#terms[number]!)
    this.#terms[number] = ""
    this.#lists.free(this.#addresses[number]!, this.#classes[number]!)
    this.#freed.push(number)
  }
}
