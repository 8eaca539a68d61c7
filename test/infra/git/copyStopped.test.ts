import { randomBytes } from "node:crypto"
import fs from "node:fs"
import { afterAll, assert, it, vi } from "vitest"
import { cacheOf } from "#infra/git/cache.ts"
import { packOf } from "#infra/git/copy/packOf.ts"
import { newObject } from "#infra/git/objects/object.ts"
import type { StoredTree } from "#infra/git/objects/tree.ts"
import { Repository } from "#infra/git/Repository.ts"
import { makeRepository } from "#infra/git/repositories.ts"
import { temporaryDirectory } from "./git.ts"

const directory = temporaryDirectory()
afterAll(() => fs.rmSync(directory, { recursive: true }))

it("a pack of which nobody asks for more leaves no file open, wherever that is", async () => {
  const gitdir = `${directory}/w.git`
  await makeRepository(directory, gitdir)
  const caches = { trees: cacheOf<StoredTree>(100), blobs: cacheOf<Uint8Array>(100) }
  const blob = newObject("blob", randomBytes(1_000_000))
  await new Repository(gitdir, "w", caches).write([blob])
  const open = vi.spyOn(fs.promises, "open")
  let pieces = Number.POSITIVE_INFINITY
  for (let taken = 1; taken < pieces; taken++) {
    const pack = packOf(gitdir, [{ sha: blob.sha, type: "blob" }], [])
    let some = 0
    for await (const _ of pack) if (++some === taken) break
    if (some < taken) pieces = some
    for (const { value } of open.mock.results) {
      const handle: fs.promises.FileHandle = await value
      await vi.waitFor(() => assert.strictEqual(handle.fd, -1, `after ${taken} pieces`), { timeout: 60_000 })
    }
  }
  assert.isAbove(pieces, 5)
  assert.isAbove(open.mock.calls.length, 5)
})
