import { LRUCache } from "lru-cache"

/** A cache's hits and misses, and how many values it holds. */
interface Counts {
  readonly hits: number
  readonly misses: number
  readonly size: number
}

/** The caches of this process by name; of two with the same name, the later one. */
export const caches = new Map<string, Counts>()

/**
 * Options of a cache that holds at most `values` values. With `max` the library would make room for all of them at
 * once: 30 ms of each start for 20,000.
 */
export const atMost = (values: number) => ({ maxSize: values, sizeCalculation: () => 1 })

/** A cache that counts its hits and misses. */
export class CountedCache<V extends {}> extends LRUCache<string, V> {
  hits = 0
  misses = 0

  constructor(name: string, options: LRUCache.Options<string, V, unknown>) {
    super(options)
    caches.set(name, this)
  }

  override get(key: string): V | undefined {
    const found = super.get(key)
    if (found === undefined) this.misses += 1
    else this.hits += 1
    return found
  }
}
