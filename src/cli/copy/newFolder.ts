import fs from "node:fs"
import { join, resolve } from "node:path"
import { Effect } from "effect"
import { isRestores, restoring } from "../backup/restoring.ts"
import { Failed } from "../failure.ts"
import { plain } from "../output.ts"

/** Cairn's own locks, and what a disk of its own has. */
const anywhere = /^(?:(?:service|restore|backup)\.(?:lock|pid)|lost\+found)$/
/** What may be made before, as a place on another disk. */
const prepared = /^(?:postgres|workspaces)$/
/** What making a Postgres leaves, however it ends. */
const ofPostgres = /^postgres(?:\.new-[0-9a-f]+|\.moved|-libraries)?$/

/** Whether the folder has a Postgres that Cairn made: that appears as a whole, or as a link to where it lies. */
const hasOurs = (folder: string): boolean => {
  const place = join(folder, "postgres")
  const isLink = fs.lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isLink || fs.existsSync(join(place, "cluster", "PG_VERSION"))
}

const isEmptyFolder = (path: string): boolean =>
  fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true &&
  fs.readdirSync(path).every((name) => anywhere.test(name))

/** The first of the folder's files that no unfinished command has left; `undefined`: there is none. */
const strange = (folder: string, by: "copy" | "restore", embedded: boolean): string | undefined => {
  const names = fs.existsSync(folder) ? fs.readdirSync(folder).sort() : []
  const begun = !embedded || hasOurs(folder)
  const isLeft = (name: string) => {
    if (anywhere.test(name) || (prepared.test(name) && isEmptyFolder(join(folder, name)))) return true
    if (ofPostgres.test(name)) return embedded && (name !== "postgres" || begun)
    // Postgres comes first, and which log it has is looked at by itself; a restore looks whose repositories they are,
    // and a copy touches none: they may be brought before it is finished
    if (name === "workspaces") return begun
    return by === "restore" && name === restoring && isRestores(join(folder, name))
  }
  return names.find((name) => !isLeft(name))
}

/**
 * Fails unless a copy or a restore may make an installation in the folder: it is not there, is empty, or has what an
 * unfinished one has left. `embedded`: with a Postgres of its own.
 */
export const newFolder = (dataDir: string, by: "copy" | "restore", embedded: boolean) =>
  Effect.gen(function* () {
    const folder = resolve(dataDir)
    const cant = by === "copy" ? "The copy can't be made" : "It can't be restored"
    const name = yield* Effect.try({
      try: () => strange(folder, by, embedded),
      catch: (error) => new Failed({ message: `${cant}: ${plain(folder)} can't be read: ${(error as Error).message}` })
    })
    if (name === undefined) return
    return yield* new Failed({
      message: `${cant}: ${plain(folder)} has files that no unfinished ${by} has left (${plain(name)}): name an empty folder.`
    })
  })
