import fs from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { ArchiveNotBegun, BackupArchives } from "#ports/Backup.ts"
import { LaunchFailed } from "../postgres/launcher/LaunchFailed.ts"
import { lockFolder } from "../postgres/launcher/lock.ts"
import { faultOf, onDisk } from "./files.ts"

/** The folder, below the data folder, of the file that waits to be taken. */
const name = "outgoing"

const running = new ArchiveNotBegun({
  reason: "running",
  message: "Another backup is being sent, and one is at a time. Ask again when it has ended."
})

/**
 * Archives whose next file waits in the data folder, on the service's disk. What a killed service has left there goes
 * when the next one starts.
 */
export const layer = (dataDir: string) =>
  Layer.effect(
    BackupArchives,
    Effect.gen(function* () {
      const directory = join(dataDir, name)
      const alone = lockFolder(dataDir, { name: "backup", what: "data folder" })
      const remove = Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
      if (fs.existsSync(directory)) yield* Effect.ignore(Effect.scoped(Effect.andThen(alone, remove)))
      return BackupArchives.of({
        begin: Effect.fnUntraced(function* (recipients, make) {
          // loaded only when asked for: it brings encryption
          const { archiveOf } = yield* Effect.promise(() => import("./archive.ts"))
          yield* Effect.mapError(alone, (error) =>
            error instanceof LaunchFailed && error.reason === "in-use" ? running : faultOf(directory, error)
          )
          yield* Effect.acquireRelease(
            onDisk(directory, () => {
              fs.rmSync(directory, { recursive: true, force: true })
              fs.mkdirSync(directory, { mode: 0o700 })
            }),
            () => remove
          )
          return yield* archiveOf(directory, recipients, make)
        })
      })
    })
  )
