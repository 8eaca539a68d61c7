import { createHash } from "node:crypto"
import { existsSync, lstatSync, mkdirSync, realpathSync } from "node:fs"
import { cp, rename, rm, symlink } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import type { Binaries } from "./binaries.ts"
import { failedTo, type LaunchFailed } from "./LaunchFailed.ts"

const base = "/var/lib/cairn"

/**
 * Copies binaries and cluster to a folder that every user can reach, and leaves the link `<data folder>/postgres` to
 * find them again. Until the link is there, the data folder's own copy is the valid one. Fails if the folder can't be
 * made or has no room.
 */
export const relocate = (
  dataDir: string,
  binaries: Binaries
): Effect.Effect<{ readonly data: string; readonly binaries: Binaries }, LaunchFailed> =>
  Effect.tryPromise({
    try: async () => {
      mkdirSync(base, { recursive: true, mode: 0o755 })
      const root = join(base, `postgres-${binaries.version}-${process.arch}`)
      if (!existsSync(root)) await copy(binaries.root, root)

      const data = join(base, createHash("sha256").update(realpathSync(dataDir)).digest("hex").slice(0, 16))
      const home = join(dataDir, "postgres")
      const present = lstatSync(home, { throwIfNoEntry: false })
      if (present?.isSymbolicLink() !== true) {
        await rm(data, { recursive: true, force: true })
        if (present !== undefined) {
          await copy(home, data)
          await rename(home, `${home}.moved`)
        }
        await symlink(data, home)
        await rm(`${home}.moved`, { recursive: true, force: true })
      }
      return { data, binaries: { ...binaries, root } }
    },
    catch: failedTo(`move Postgres to ${base}`)
  })

/** Copies a folder as a whole or not at all. */
const copy = async (from: string, to: string): Promise<void> => {
  const unfinished = `${to}.new-${process.pid}`
  await rm(unfinished, { recursive: true, force: true })
  await cp(from, unfinished, { recursive: true, verbatimSymlinks: true })
  await rename(unfinished, to)
}
