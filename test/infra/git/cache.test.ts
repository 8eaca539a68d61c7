import fs from "node:fs"
import { assert, describe, it } from "vitest"
import { cacheOf, forget } from "#infra/git/cache.ts"
import { newObject } from "#infra/git/objects/object.ts"
import type { StoredTree } from "#infra/git/objects/tree.ts"
import { Repository } from "#infra/git/Repository.ts"
import { makeRepository } from "#infra/git/repositories.ts"
import { temporaryDirectory } from "./git.ts"

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

  it("holds no more memory for small blobs than it counts", async () => {
    const directory = temporaryDirectory()
    try {
      const blobs = cacheOf<Uint8Array>(1_000_000)
      const gitdir = `${directory}/w.git`
      await makeRepository(directory, gitdir)
      const repository = new Repository(gitdir, "w", { trees: cacheOf<StoredTree>(100), blobs })
      const written = [1, 2, 3].map((n) => newObject("blob", Buffer.from(`${n}\n`)))
      await repository.write(written)
      for (const { sha } of written) await repository.blob(sha)
      repository.keepBlob("f".repeat(40), Buffer.alloc(100_000).subarray(5, 10))
      const held = [...blobs.values()].map(({ buffer }) => buffer.byteLength)
      assert.isAtMost(
        held.reduce((sum, bytes) => sum + bytes, 0),
        blobs.calculatedSize
      )
    } finally {
      fs.rmSync(directory, { recursive: true })
    }
  })

  it("counts what an empty blob takes", () => {
    const blobs = cacheOf<Uint8Array>(20_000)
    const repository = new Repository("", "w", { trees: cacheOf<StoredTree>(100), blobs })
    for (let n = 0; n < 1_000; n++) repository.keepBlob(String(n), new Uint8Array())
    assert.isAtMost(blobs.size, 100)
    assert.isAtLeast(blobs.size, 1)
  })
})
