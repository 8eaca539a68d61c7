import { randomBytes } from "node:crypto"

const dash = "-".charCodeAt(0)
/** What a digit is worth, by its character code; -1 if the character is no digit. */
const digits = new Int8Array(128).fill(-1)
for (const [worth, digit] of Array.from("0123456789abcdef").entries()) digits[digit.charCodeAt(0)] = worth

/** 32-bit words of a UUID. */
const width = 4

/** Whether a dash stands after this many digits. */
const isDashed = (count: number): boolean => count === 8 || count === 12 || count === 16 || count === 20

/** Reads a UUID in lower case. Gives whether it is one, and not the one of zeros. */
const read = (id: string, into: Uint32Array): boolean => {
  if (id.length !== 36) return false
  let word = 0
  for (let count = 0, at = 0; count < 32; count++, at++) {
    if (isDashed(count) && id.charCodeAt(at++) !== dash) return false
    const code = id.charCodeAt(at)
    const digit = code < digits.length ? digits[code]! : -1
    if (digit === -1) return false
    word = (word << 4) | digit
    if ((count & 7) === 7) into[count >>> 3] = word
  }
  return (into[0]! | into[1]! | into[2]! | into[3]!) !== 0
}

const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))
const hex = (word: number): string =>
  bytes[word >>> 24]! + bytes[(word >>> 16) & 255]! + bytes[(word >>> 8) & 255]! + bytes[word & 255]!
const half = (word: number): string => bytes[(word >>> 8) & 255]! + bytes[word & 255]!

const written = (words: Uint32Array, from: number): string => {
  const [second, third] = [words[from + 1]!, words[from + 2]!]
  return `${hex(words[from]!)}-${half(second >>> 16)}-${half(second)}-${half(third >>> 16)}-${half(third)}${hex(words[from + 3]!)}`
}

/** Odd, and different in each process: whoever chooses ids can't tell which of them collide. */
const factors = Uint32Array.from({ length: width + 1 }, () => randomBytes(4).readUInt32LE() | 1)

const spread = (number: number): number => {
  const mixed = Math.imul(number ^ (number >>> 16), factors[width]!)
  return (mixed ^ (mixed >>> 15)) >>> 0
}

const ofWords = (words: Uint32Array, from: number): number => {
  let sum = 0
  for (let at = 0; at < width; at++) {
    const product = Math.imul(words[from + at]! ^ (sum >>> 15), factors[at]!)
    sum = (sum + (product ^ (product >>> 13))) | 0
  }
  return spread(sum)
}

const ofText = (text: string): number => {
  let sum = text.length
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), factors[0]!) + (sum >>> 15)
  return spread(sum)
}

/** An id to look for, in the form that it has in a column. A key reads the next id into the same words. */
export class Key {
  readonly words = new Uint32Array(width)
  text = ""
  isUuid = false
  /** 32 bits, equal for equal ids. */
  hash = 0

  read(id: string): this {
    this.text = id
    this.isUuid = read(id, this.words)
    this.hash = this.isUuid ? ofWords(this.words, 0) : ofText(id)
    return this
  }
}

/**
 * A column of ids by slot, 16 bytes each, outside the garbage-collected heap: there, a million texts would be 56 MB
 * that each collection goes through. An id that is no UUID is kept as text.
 */
export class Ids {
  #words = new Uint32Array(0)
  readonly #others = new Map<number, string>()
  readonly #key = new Key()
  #length = 0

  /** Slots that have an id, or had one, are below this. */
  get length(): number {
    return this.#length
  }

  /** The id of a slot; empty if the slot is free. */
  at(slot: number): string {
    return this.isFree(slot) ? "" : (this.#others.get(slot) ?? written(this.#words, slot * width))
  }

  isFree(slot: number): boolean {
    const words = this.#words
    const at = slot * width
    if ((words[at]! | words[at + 1]! | words[at + 2]! | words[at + 3]!) !== 0) return false
    return !this.#others.has(slot)
  }

  /** Whether a slot has this id. */
  has(slot: number, { isUuid, words, text }: Key): boolean {
    if (!isUuid) return this.#others.get(slot) === text
    const its = this.#words
    const at = slot * width
    return words[0] === its[at] && words[1] === its[at + 1] && words[2] === its[at + 2] && words[3] === its[at + 3]
  }

  /**
   * Whether the id of a slot comes before an id of this or another column, in the order of texts, mostly without making
   * a text. Neither slot may be free.
   */
  isBefore(slot: number, others: Ids, other: number): boolean {
    if (this.#otherOf(slot) !== undefined || others.#otherOf(other) !== undefined)
      return this.at(slot) < others.at(other)
    // digits sort by their codes, and dashes stand in the same places
    for (let at = 0; at < width; at++) {
      const its = this.#words[slot * width + at]!
      const theirs = others.#words[other * width + at]!
      if (its !== theirs) return its < theirs
    }
    return false
  }

  /** The hash of a slot's id, as `Key` has it. The slot must not be free. */
  hash(slot: number): number {
    const other = this.#otherOf(slot)
    return other === undefined ? ofWords(this.#words, slot * width) : ofText(other)
  }

  /** Puts a slot's id into a key, to look for it. The slot must not be free. */
  keyOf(slot: number, key: Key): Key {
    const other = this.#otherOf(slot)
    if (other !== undefined) return key.read(other)
    for (let at = 0; at < width; at++) key.words[at] = this.#words[slot * width + at]!
    key.isUuid = true
    key.text = ""
    key.hash = ofWords(key.words, 0)
    return key
  }

  #otherOf(slot: number): string | undefined {
    return this.#others.size === 0 ? undefined : this.#others.get(slot)
  }

  /** Gives an id to a slot that the column has room for. An empty id frees the slot. */
  set(slot: number, id: string): void {
    const { isUuid, words } = this.#key.read(id)
    this.#length = Math.max(this.#length, slot + 1)
    if (isUuid) this.#words.set(words, slot * width)
    else this.#words.fill(0, slot * width, (slot + 1) * width)
    if (isUuid || id === "") this.#others.delete(slot)
    else this.#others.set(slot, id)
  }

  /** Makes room for this many slots. */
  grow(slots: number): void {
    const wider = new Uint32Array(slots * width)
    wider.set(this.#words)
    this.#words = wider
  }

  slice(from: number, to: number): ReadonlyArray<string> {
    return Array.from({ length: to - from }, (_, at) => this.at(from + at))
  }
}
