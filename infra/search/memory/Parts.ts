/** The number of entries at which a map is split, and the number of its parts then, a power of 2. */
const most = 16_384
const count = 64

/** A number that strings of one kind rarely share, from some of their characters. */
const numberOf = (key: string): number => {
  let number = key.length
  for (let at = Math.max(0, key.length - 6); at < key.length; at++) number = Math.imul(number, 31) + key.charCodeAt(at)
  for (let at = 0; at < Math.min(6, key.length); at++) number = Math.imul(number, 31) + key.charCodeAt(at)
  return (number ^ (number >>> 15)) >>> 0
}

/**
 * A map in parts that grow one by one: a `Map` with a million entries is rehashed in one go when it grows, and
 * everybody would wait for that.
 */
export class Parts<A> {
  #parts: ReadonlyArray<Map<string, A>> = [new Map()]

  #of(key: string): Map<string, A> {
    return this.#parts.length === 1 ? this.#parts[0]! : this.#parts[numberOf(key) & (count - 1)]!
  }

  get(key: string): A | undefined {
    return this.#of(key).get(key)
  }

  set(key: string, value: A): void {
    if (this.#parts.length === 1 && this.#parts[0]!.size === most) this.#part()
    this.#of(key).set(key, value)
  }

  delete(key: string): void {
    this.#of(key).delete(key)
  }

  #part(): void {
    const [whole] = this.#parts
    this.#parts = Array.from({ length: count }, () => new Map())
    for (const [key, value] of whole!) this.#of(key).set(key, value)
  }
}
