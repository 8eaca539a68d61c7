import { statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SystemDiskSpace from "#infra/diskSpace.ts"
import { DiskSpace } from "#ports/DiskSpace.ts"

describe("how much room there is", () => {
  it.effect("is what the system says of a folder's file system, and nothing of a folder that is not there", () =>
    Effect.gen(function* () {
      const { of } = yield* DiskSpace
      const space = (yield* of(tmpdir()))!
      const { blocks, bsize } = statfsSync(tmpdir())
      assert.strictEqual(space.size, blocks * bsize)
      assert.isAbove(space.free, 0)
      assert.isAtMost(space.free, space.size)
      assert.isUndefined(yield* of(join(tmpdir(), "cairn-there-is-none")))
    }).pipe(Effect.provide(SystemDiskSpace.layer))
  )
})
