import type { Profile } from "#domain/search/embeddings/Profile.ts"
import type { Steps } from "#engine/steps.ts"
import { concatenated, Lists, stretch } from "./Lists.ts"

/** Words before a profile's pieces. Pieces lie two to a word. */
const head = 2
const half = 16
const low = 0xffff

/** Profiles of some slots. A free slot has no words. */
export interface ProfilesImage {
  /** By slot, how many pieces it has. */
  readonly counts: Uint16Array
  readonly hubs: Float32Array
  readonly characters: Uint32Array
  /** All lists, one after another. */
  readonly words: Uint32Array
}

/** Profiles of a segment's slots, outside the garbage-collected heap, and how many profiles have each piece. */
export class Profiles {
  readonly #lists: Lists
  /** By slot: the address of its list, and its number of pieces, which is 0 if there is no list. */
  #addresses = new Uint32Array(0)
  #counts = new Uint16Array(0)
  #hubs = new Float32Array(0)
  #characters = new Uint32Array(0)
  readonly #frequencies = new Map<number, number>()

  constructor(lists: Lists) {
    this.#lists = lists
  }

  /** How many profiles have a piece. */
  frequency(piece: number): number {
    return this.#frequencies.get(piece) ?? 0
  }

  add(slot: number, { pieces, named, told, own, hub, characters }: Profile): void {
    if (slot >= this.#counts.length) this.#grow(slot)
    const address = this.#lists.allocate(Lists.sizeClass(wordsOf(pieces.length)))
    const words = this.#lists.page(address)
    const from = this.#lists.offset(address)
    words[from] = ((told << half) | named) >>> 0
    words[from + 1] = own
    for (let at = 0; at < pieces.length; at += 2)
      words[from + head + at / 2] = (((pieces[at + 1] ?? 0) << half) | pieces[at]!) >>> 0
    for (const piece of pieces) this.#frequencies.set(piece, this.frequency(piece) + 1)
    this.#addresses[slot] = address
    this.#counts[slot] = pieces.length
    this.#hubs[slot] = hub
    this.#characters[slot] = characters
  }

  remove(slot: number): void {
    for (const piece of this.of(slot).pieces) {
      const left = this.frequency(piece) - 1
      if (left === 0) this.#frequencies.delete(piece)
      else this.#frequencies.set(piece, left)
    }
    this.#lists.free(this.#addresses[slot]!, Lists.sizeClass(wordsOf(this.#counts[slot]!)))
    for (const column of [this.#counts, this.#hubs, this.#characters]) column[slot] = 0
  }

  /** The profiles of some slots. Their pieces share one buffer: making one takes longer than filling it. */
  all(slots: ReadonlyArray<number>): ReadonlyArray<Profile> {
    const room = new Uint16Array(slots.reduce((sum, slot) => sum + this.#counts[slot]!, 0))
    let used = 0
    return slots.map((slot) => {
      const begin = used
      used += this.#counts[slot]!
      return this.of(slot, room.subarray(begin, used))
    })
  }

  of(slot: number, pieces = new Uint16Array(this.#counts[slot]!)): Profile {
    const address = this.#addresses[slot]!
    const words = this.#lists.page(address)
    const from = this.#lists.offset(address)
    for (let at = 0; at < pieces.length; at++)
      pieces[at] = (words[from + head + (at >> 1)]! >>> (at % 2 === 0 ? 0 : half)) & low
    return {
      pieces,
      named: words[from]! & low,
      told: words[from]! >>> half,
      own: words[from + 1]!,
      hub: this.#hubs[slot]!,
      characters: this.#characters[slot]!
    }
  }

  /** The image of the slots from `from` up to `to`. `isFree` says which of them are free. */
  image(from: number, to: number, isFree: (slot: number) => boolean): ProfilesImage {
    const lists: Array<Uint32Array> = []
    for (let slot = from; slot < to; slot++) {
      if (!isFree(slot)) lists.push(this.#lists.words(this.#addresses[slot]!, wordsOf(this.#counts[slot]!)))
    }
    return {
      counts: this.#counts.subarray(from, to),
      hubs: this.#hubs.subarray(from, to),
      characters: this.#characters.subarray(from, to),
      words: concatenated(lists)
    }
  }

  /** Adds the profiles of an image behind those restored so far. */
  *restore(
    from: number,
    { counts, hubs, characters, words }: ProfilesImage,
    isFree: (slot: number) => boolean
  ): Steps<void> {
    if (from + counts.length > this.#counts.length) this.#grow(from + counts.length)
    this.#counts.set(counts, from)
    this.#hubs.set(hubs, from)
    this.#characters.set(characters, from)
    let used = 0
    for (let slot = from; slot < from + counts.length; slot++) {
      if (slot % stretch === 0) yield
      if (isFree(slot)) continue
      const next = used + wordsOf(this.#counts[slot]!)
      this.#addresses[slot] = this.#lists.put(words.subarray(used, next))
      used = next
    }
  }

  /** Each piece, followed by how many profiles have it. */
  get frequencies(): Uint32Array {
    return Uint32Array.from([...this.#frequencies].flat())
  }

  set frequencies(pairs: Uint32Array) {
    for (let at = 0; at < pairs.length; at += 2) this.#frequencies.set(pairs[at]!, pairs[at + 1]!)
  }

  #grow(slot: number): void {
    const capacity = Math.max(16, 2 * this.#counts.length, slot + 1)
    const wider = <A extends { set(from: A): void }>(column: A, bigger: A): A => {
      bigger.set(column)
      return bigger
    }
    this.#addresses = wider(this.#addresses, new Uint32Array(capacity))
    this.#counts = wider(this.#counts, new Uint16Array(capacity))
    this.#hubs = wider(this.#hubs, new Float32Array(capacity))
    this.#characters = wider(this.#characters, new Uint32Array(capacity))
  }
}

const wordsOf = (pieces: number): number => head + Math.ceil(pieces / 2)
