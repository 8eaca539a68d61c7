import { LRUCache } from "lru-cache"
import { CountedCache } from "#ports/CountedCache.ts"

export type Cache<V extends {}> = LRUCache<string, V>

/**
 * A cache whose values have no more than so much weight together; one alone may not push out all the others. With a
 * name it is counted.
 */
export const cacheOf = <V extends {}>(weight: number, name?: string): Cache<V> => {
  const options = { maxSize: weight, maxEntrySize: Math.ceil(weight / 2) }
  return name === undefined ? new LRUCache(options) : new CountedCache(name, options)
}

/** Forgets what lies below a place. */
export const forget = <V extends {}>(cache: Cache<V>, prefix: string): void => {
  for (const key of [...cache.keys()]) if (key.startsWith(prefix)) cache.delete(key)
}
