/** A map that forgets what was used longest ago once the weights of its values pass a bound. */
export class Cache<V> {
  readonly #values = new Map<string, { readonly value: V; readonly weight: number }>()
  readonly #bound: number
  #weight = 0

  constructor(bound: number) {
    this.#bound = bound
  }

  get(key: string): V | undefined {
    const found = this.#values.get(key)
    if (found === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, found)
    return found.value
  }

  set(key: string, value: V, weight: number): void {
    this.delete(key)
    // one value may not push out all the others
    if (weight > this.#bound / 2) return
    this.#values.set(key, { value, weight })
    this.#weight += weight
    for (const oldest of this.#values.keys()) {
      if (this.#weight <= this.#bound) break
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#weight -= this.#values.get(key)?.weight ?? 0
    this.#values.delete(key)
  }

  deletePrefix(prefix: string): void {
    for (const key of this.#values.keys()) if (key.startsWith(prefix)) this.delete(key)
  }
}
