import { LRUCache } from "lru-cache"

export type Cache<V extends {}> = LRUCache<string, V>

/** A cache whose values have no more than so much weight together; one alone may not push out all the others. */
export const cacheOf = <V extends {}>(weight: number): Cache<V> =>
  new LRUCache({ maxSize: weight, maxEntrySize: Math.ceil(weight / 2) })

/** Forgets what lies below a place. */
export const forget = <V extends {}>(cache: Cache<V>, prefix: string): void => {
  for (const key of [...cache.keys()]) if (key.startsWith(prefix)) cache.delete(key)
}
