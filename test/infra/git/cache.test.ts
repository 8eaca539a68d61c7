import { assert, describe, it } from "vitest"
import { cacheOf, forget } from "#infra/git/cache.ts"

describe("a cache of a repository's objects", () => {
  const filled = () => {
    const cache = cacheOf<string>(100)
    for (const key of ["one/a", "one/b", "ones/a"]) cache.set(key, key, { size: 20 })
    return cache
  }

  it("keeps nothing that would take more than half of its room, also not what had that name before", () => {
    const cache = filled()
    cache.set("one/a", "heavy", { size: 51 })
    assert.deepStrictEqual([...cache.keys()].sort(), ["one/b", "ones/a"])
    cache.set("one/a", "half", { size: 50 })
    assert.deepStrictEqual([...cache.keys()].sort(), ["one/a", "one/b", "ones/a"])
  })

  it("forgets what lies below a place, and nothing else", () => {
    const cache = filled()
    forget(cache, "one/")
    assert.deepStrictEqual([...cache.keys()], ["ones/a"])
  })
})
