import { LRUCache } from "lru-cache"
import { CountedCache } from "#ports/CountedCache.ts"

export type Cache<V extends {}> = LRUCache<string, V>

/**
 * A cache whose values weigh at most `weight` together. One value weighs at most half of that, so that it can't push
 * out all others. A cache with a name is counted.
 */
export const cacheOf = <V extends {}>(weight: number, name?: string): Cache<V> => {
  const options = { maxSize: weight, maxEntrySize: Math.ceil(weight / 2) }
  return name === undefined ? new LRUCache(options) : new CountedCache(name, options)
}

/** Removes all entries whose keys begin with `prefix`. */
export const forget = <V extends {}>(cache: Cache<V>, prefix: string): void => {
  for (const key of [...cache.keys()]) if (key.startsWith(prefix)) cache.delete(key)
}
