import { afterAll, assert, it } from "vitest"
import { atMost, CountedCache, caches } from "#ports/CountedCache.ts"

afterAll(() => void caches.delete("a test's"))

it("a cache holds as many values as it has room for, lets go of what was asked for longest ago, and counts", () => {
  const cache = new CountedCache<number>("a test's", atMost(3))
  for (const key of ["a", "b", "c"]) cache.set(key, 1)
  assert.strictEqual(cache.get("a"), 1)
  cache.set("d", 1)
  assert.deepStrictEqual([...cache.keys()].toSorted(), ["a", "c", "d"])
  assert.isUndefined(cache.get("b"))
  assert.strictEqual(caches.get("a test's"), cache)
  assert.deepStrictEqual([cache.hits, cache.misses, cache.size], [1, 1, 3])
})
