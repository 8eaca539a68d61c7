import { statfs } from "node:fs/promises"
import { Effect, Layer } from "effect"
import { DiskSpace } from "#ports/DiskSpace.ts"

/** What the system says of a folder's file system. */
export const layer = Layer.succeed(DiskSpace, {
  of: (folder) =>
    Effect.promise(() =>
      statfs(folder).then(
        ({ bavail, blocks, bsize }) => (blocks > 0 ? { free: bavail * bsize, size: blocks * bsize } : undefined),
        () => undefined
      )
    )
})
