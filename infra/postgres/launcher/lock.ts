import { openSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, type Scope } from "effect"
import { folderFailed, LaunchFailed } from "./LaunchFailed.ts"

/**
 * Holds the data folder for this process until the scope closes; fails with `in-use` when another process (or another
 * caller in this one) has it.
 *
 * The lock is SQLite's lock on an empty database file, that is, one of the kernel's: it goes with the process however
 * that ends, and a reused process id can't be mistaken for its holder, as it could with a file that holds a number.
 * Node and Deno have no other access to such locks. `service.pid` only serves the message.
 */
export const lockFolder = (
  dataDir: string,
  // what the files are called, and how the folder is called
  { name, what }: { readonly name: string; readonly what: string } = { name: "service", what: "data folder" }
): Effect.Effect<void, LaunchFailed, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.try({
        try: () => {
          const file = new DatabaseSync(join(dataDir, `${name}.lock`))
          try {
            // Without a journal in memory BEGIN would leave one on disk, which the next opener would have to roll back.
            file.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE")
          } catch (cause) {
            file.close()
            throw cause
          }
          writeFileSync(join(dataDir, `${name}.pid`), `${process.pid}\n`, { mode: 0o600 })
          return file
        },
        catch: (cause) =>
          isBusy(cause) ? inUse(dataDir, name, what) : folderFailed(dataDir, what)(whyIn(dataDir, name) ?? cause)
      }),
      (file) => Effect.sync(() => file.close())
    )
  )

const isBusy = (cause: unknown): boolean => cause instanceof Error && /database is locked/.test(cause.message)

/**
 * The system's error where the lock's file can't be written: SQLite tells none. If it can by now, it stays open: to
 * close it would let go of a lock that this process may have on it.
 */
const whyIn = (dataDir: string, name: string): unknown => {
  try {
    openSync(join(dataDir, `${name}.lock`), "a")
    return undefined
  } catch (error) {
    return error
  }
}

const inUse = (dataDir: string, name: string, what: string): LaunchFailed => {
  let holder = "another process"
  try {
    holder = `process ${readFileSync(join(dataDir, `${name}.pid`), "utf8").trim()}`
  } catch {
    // The holder has not written its number yet.
  }
  return new LaunchFailed({ reason: "in-use", message: `The ${what} ${dataDir} is in use by ${holder}.` })
}
