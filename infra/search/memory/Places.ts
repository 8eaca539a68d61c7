import { type Ids, Key } from "./Ids.ts"

/** Where an id is. */
export interface Place<A> {
  readonly segment: A
  readonly slot: number
}

/** Something that has ids by slot. */
interface HasIds {
  readonly ids: Ids
}

/** How many of the highest bits of a hash choose its part. */
const partBits = 6
/** Entries that a new part has room for. */
const least = 16

/** Two words an entry: the number of the segment, from 1, and the slot. 0: the entry is empty. */
interface Part {
  table: Uint32Array
  used: number
}

/**
 * Where each id is: the number of a segment, and a slot there. It keeps no ids but looks at those of the segments: some
 * 14 bytes an id, outside the garbage-collected heap. Its parts grow one by one: a `Map` of a million is rehashed in
 * one go, and everybody would wait for that.
 */
export class Places<A extends HasIds> {
  readonly #parts: ReadonlyArray<Part> = Array.from({ length: 1 << partBits }, () => ({
    table: new Uint32Array(2 * least),
    used: 0
  }))
  readonly #segments: Array<A | undefined> = []
  readonly #freed: Array<number> = []
  readonly #numbers = new Map<A, number>()
  readonly #key = new Key()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** How many numbers segments have, in use or free. */
  get numbers(): number {
    return this.#segments.length
  }

  get(id: string): Place<A> | undefined {
    const key = this.#key.read(id)
    const { table } = this.#partOf(key.hash)
    return this.#placeAt(table, this.#find(table, key))
  }

  /** Adds the id that a segment has at a slot. Throws if the id is somewhere already. */
  add(segment: A, slot: number): void {
    const key = segment.ids.keyOf(slot, this.#key)
    const part = this.#partOf(key.hash)
    if (this.#find(part.table, key) !== undefined) throw new Error("an id is there twice")
    if ((part.used + 1) * 8 > part.table.length * 3) this.#widen(part)
    this.#enter(part.table, key.hash, this.#numberOf(segment), slot)
    part.used++
    this.#size++
  }

  /** Forgets where an id is, and gives where. Its segment must still have it. */
  delete(id: string): Place<A> | undefined {
    const key = this.#key.read(id)
    const part = this.#partOf(key.hash)
    const entry = this.#find(part.table, key)
    const place = this.#placeAt(part.table, entry)
    if (entry === undefined) return undefined
    this.#close(part.table, entry)
    part.used--
    this.#size--
    return place
  }

  /** Forgets a segment that has no ids left. Its number goes to another one. */
  forget(segment: A): void {
    const number = this.#numbers.get(segment)
    if (number === undefined) return
    this.#numbers.delete(segment)
    this.#segments[number] = undefined
    this.#freed.push(number)
  }

  #numberOf(segment: A): number {
    const known = this.#numbers.get(segment)
    if (known !== undefined) return known
    const number = this.#freed.pop() ?? this.#segments.length
    this.#segments[number] = segment
    this.#numbers.set(segment, number)
    return number
  }

  #partOf(hash: number): Part {
    return this.#parts[hash >>> (32 - partBits)]!
  }

  #find(table: Uint32Array, key: Key): number | undefined {
    const mask = table.length / 2 - 1
    for (let entry = key.hash & mask; table[2 * entry] !== 0; entry = (entry + 1) & mask)
      if (this.#segmentOf(table, entry).ids.has(table[2 * entry + 1]!, key)) return entry
    return undefined
  }

  #enter(table: Uint32Array, hash: number, number: number, slot: number): void {
    const mask = table.length / 2 - 1
    let entry = hash & mask
    while (table[2 * entry] !== 0) entry = (entry + 1) & mask
    table[2 * entry] = number + 1
    table[2 * entry + 1] = slot
  }

  #placeAt(table: Uint32Array, entry: number | undefined): Place<A> | undefined {
    return entry === undefined ? undefined : { segment: this.#segmentOf(table, entry), slot: table[2 * entry + 1]! }
  }

  #segmentOf(table: Uint32Array, entry: number): A {
    return this.#segments[table[2 * entry]! - 1]!
  }

  #hashOf(table: Uint32Array, entry: number): number {
    return this.#segmentOf(table, entry).ids.hash(table[2 * entry + 1]!)
  }

  #widen(part: Part): void {
    const { table } = part
    const wider = new Uint32Array(2 * table.length)
    for (let entry = 0; entry < table.length / 2; entry++)
      if (table[2 * entry] !== 0)
        this.#enter(wider, this.#hashOf(table, entry), table[2 * entry]! - 1, table[2 * entry + 1]!)
    part.table = wider
  }

  /** Takes out an entry, and moves up those behind it that would not be found any more. */
  #close(table: Uint32Array, entry: number): void {
    const mask = table.length / 2 - 1
    let gap = entry
    for (let next = (gap + 1) & mask; table[2 * next] !== 0; next = (next + 1) & mask) {
      const home = this.#hashOf(table, next) & mask
      // an entry stays if its home lies behind the gap
      if (((next - home) & mask) < ((next - gap) & mask)) continue
      table[2 * gap] = table[2 * next]!
      table[2 * gap + 1] = table[2 * next + 1]!
      gap = next
    }
    table[2 * gap] = 0
    table[2 * gap + 1] = 0
  }
}
