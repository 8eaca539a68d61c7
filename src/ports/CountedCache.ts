import { LRUCache } from "lru-cache"

/** What a cache has counted, and how many it holds. */
interface Counts {
  readonly hits: number
  readonly misses: number
  readonly size: number
}

/** Those of this process by their names; of two of one name the later one. */
export const caches = new Map<string, Counts>()

/**
 * Options of a cache that holds at most so many values. By `max` the library would make room for all of them at once:
 * 30 ms of each start for 20,000.
 */
export const atMost = (values: number) => ({ maxSize: values, sizeCalculation: () => 1 })

/** A cache that counts how often it had what it was asked for. */
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
