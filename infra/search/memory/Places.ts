import { type Ids, Key } from "./Ids.ts"

/** What has ids by slots. */
interface Holder {
  readonly ids: Ids
}

/** A power of 2, by the highest bits of a hash. */
const partBits = 6
/** Entries that a part begins with. */
const least = 16

/** Two words an entry: the number of what holds it, from 1, and its slot; 0: there is none. */
interface Part {
  table: Uint32Array
  used: number
}

/**
 * Where ids are: the number of a holder, and a slot there. It keeps no ids, but looks at those that the holders have:
 * some 14 bytes each, outside the garbage-collected heap. In parts that grow by themselves: a `Map` of a million is
 * laid out anew in one go, for which everybody would wait.
 */
export class Places<A extends Holder> {
  readonly #parts: ReadonlyArray<Part> = Array.from({ length: 1 << partBits }, () => ({
    table: new Uint32Array(2 * least),
    used: 0
  }))
  readonly #holders: Array<A | undefined> = []
  readonly #freed: Array<number> = []
  readonly #numbers = new Map<A, number>()
  readonly #key = new Key()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Holders that it has numbers for, in use or free. */
  get numbers(): number {
    return this.#holders.length
  }

  get(id: string): { readonly holder: A; readonly slot: number } | undefined {
    const key = this.#key.read(id)
    const { table } = this.#partOf(key.hash)
    const entry = this.#find(table, key)
    if (entry === undefined) return undefined
    return { holder: this.#holderOf(table, entry), slot: table[2 * entry + 1]! }
  }

  /** Says where an id is; it has to be there by then. Throws where it is somewhere already. */
  add(holder: A, slot: number): void {
    const key = holder.ids.keyOf(slot, this.#key)
    const part = this.#partOf(key.hash)
    if (this.#find(part.table, key) !== undefined) throw new Error("an id is there twice")
    if ((part.used + 1) * 8 > part.table.length * 3) this.#widen(part)
    this.#enter(part.table, key.hash, this.#numberOf(holder), slot)
    part.used++
    this.#size++
  }

  /** Forgets where an id is, which has to be there still. */
  delete(id: string): void {
    const key = this.#key.read(id)
    const part = this.#partOf(key.hash)
    const entry = this.#find(part.table, key)
    if (entry === undefined) return
    this.#close(part.table, entry)
    part.used--
    this.#size--
  }

  /** A holder that has nothing any more is forgotten, and its number given to another. */
  forget(holder: A): void {
    const number = this.#numbers.get(holder)
    if (number === undefined) return
    this.#numbers.delete(holder)
    this.#holders[number] = undefined
    this.#freed.push(number)
  }

  #numberOf(holder: A): number {
    const known = this.#numbers.get(holder)
    if (known !== undefined) return known
    const number = this.#freed.pop() ?? this.#holders.length
    this.#holders[number] = holder
    this.#numbers.set(holder, number)
    return number
  }

  #partOf(hash: number): Part {
    return this.#parts[hash >>> (32 - partBits)]!
  }

  #find(table: Uint32Array, key: Key): number | undefined {
    const mask = table.length / 2 - 1
    for (let entry = key.hash & mask; table[2 * entry] !== 0; entry = (entry + 1) & mask)
      if (this.#holderOf(table, entry).ids.has(table[2 * entry + 1]!, key)) return entry
    return undefined
  }

  #enter(table: Uint32Array, hash: number, number: number, slot: number): void {
    const mask = table.length / 2 - 1
    let entry = hash & mask
    while (table[2 * entry] !== 0) entry = (entry + 1) & mask
    table[2 * entry] = number + 1
    table[2 * entry + 1] = slot
  }

  #holderOf(table: Uint32Array, entry: number): A {
    return this.#holders[table[2 * entry]! - 1]!
  }

  #hashOf(table: Uint32Array, entry: number): number {
    return this.#holderOf(table, entry).ids.hash(table[2 * entry + 1]!)
  }

  #widen(part: Part): void {
    const { table } = part
    const wider = new Uint32Array(2 * table.length)
    for (let entry = 0; entry < table.length / 2; entry++)
      if (table[2 * entry] !== 0)
        this.#enter(wider, this.#hashOf(table, entry), table[2 * entry]! - 1, table[2 * entry + 1]!)
    part.table = wider
  }

  /** Takes an entry out, and moves those behind it up that would not be found any more. */
  #close(table: Uint32Array, entry: number): void {
    const mask = table.length / 2 - 1
    let gap = entry
    for (let next = (gap + 1) & mask; table[2 * next] !== 0; next = (next + 1) & mask) {
      const home = this.#hashOf(table, next) & mask
      // it may stay where its place lies behind the gap
      if (((next - home) & mask) < ((next - gap) & mask)) continue
      table[2 * gap] = table[2 * next]!
      table[2 * gap + 1] = table[2 * next + 1]!
      gap = next
    }
    table[2 * gap] = 0
    table[2 * gap + 1] = 0
  }
}
