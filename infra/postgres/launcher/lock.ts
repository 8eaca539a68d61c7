import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, type Scope } from "effect"
import { failed, LaunchFailed } from "./LaunchFailed.ts"

/**
 * Holds the data folder for this process until the scope closes; fails with `in-use` when another process (or another
 * caller in this one) has it.
 *
 * The lock is SQLite's lock on an empty database file, that is, one of the kernel's: it goes with the process however that
 * ends, and a reused process id can't be mistaken for its holder, as it could with a file that holds a number. Node and Deno
 * have no other access to such locks. `service.pid` only serves the message.
 */
export const lockFolder = (dataDir: string): Effect.Effect<void, LaunchFailed, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.try({
        try: () => {
          const file = new DatabaseSync(join(dataDir, "service.lock"))
          try {
            // Without a journal in memory BEGIN would leave one on disk, which the next opener would have to roll back.
            file.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE")
          } catch (cause) {
            file.close()
            throw cause
          }
          writeFileSync(join(dataDir, "service.pid"), `${process.pid}\n`, { mode: 0o600 })
          return file
        },
        catch: (cause) => (isBusy(cause) ? inUse(dataDir) : failed(`Cannot lock ${dataDir}: ${cause}`))
      }),
      (file) => Effect.sync(() => file.close())
    )
  )

const isBusy = (cause: unknown): boolean => cause instanceof Error && /database is locked/.test(cause.message)

const inUse = (dataDir: string): LaunchFailed => {
  let holder = "another process"
  try {
    holder = `process ${readFileSync(join(dataDir, "service.pid"), "utf8").trim()}`
  } catch {
    // The holder has not written its number yet.
  }
  return new LaunchFailed({ reason: "in-use", message: `The data folder ${dataDir} is in use by ${holder}.` })
}
