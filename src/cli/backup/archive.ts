import fs from "node:fs"
import { join, resolve } from "node:path"
import { Effect, Option } from "effect"
import { BackupFault } from "#ports/Backup.ts"
import { makeFolder } from "#ports/makeFolder.ts"
import { numbered } from "#src/audit/backup/manifest.ts"
import { lockFolder, unpackArchive } from "#src/copying.ts"
import { Surroundings } from "../surroundings.ts"
import { placeOf } from "./folder.ts"
import { make, remove, restoring } from "./restoring.ts"

/** Whether a backup is one file, not a folder. */
export const isArchive = (place: string): boolean => fs.statSync(place, { throwIfNoEntry: false })?.isFile() === true

/** A file's bytes, piece by piece, read as they are taken. */
export async function* bytesOf(place: string): AsyncGenerator<Uint8Array> {
  yield* fs.createReadStream(place, { highWaterMark: 65_536 }) as AsyncIterable<Uint8Array>
}

/** Numbers a newer archive's erasures from here on: no file of an archive has a number as great. */
const later = 900_000

/**
 * The folder of backups that was typed. An archive (`-`: from standard input) is unpacked into the data folder until
 * the scope closes, with the files of erasures of a newer archive beside it.
 */
export const openedAt = Effect.fnUntraced(function* (typed: string, newer: Option.Option<string>, dataDir: string) {
  const { stdin = process.stdin } = yield* Surroundings
  const place = typed === "-" ? "standard input" : yield* placeOf(typed)
  if (typed !== "-" && !isArchive(place)) {
    if (Option.isNone(newer)) return { place, directory: place }
    return yield* new BackupFault({ message: "--erasures goes with an archive: a folder has its own in erasures/." })
  }
  const directory = join(resolve(dataDir), restoring)
  yield* Effect.try({
    try: () => makeFolder(dataDir),
    catch: (error) => new BackupFault({ message: `${dataDir} can't be made: ${(error as Error).message}` })
  })
  yield* lockFolder(resolve(dataDir), { name: "restore", what: "data folder" })
  const made = Effect.try({
    try: () => {
      // what a killed command has left
      remove(directory)
      make(directory)
    },
    catch: (error) => new BackupFault({ message: `${directory} can't be made: ${(error as Error).message}` })
  })
  yield* Effect.acquireRelease(made, () => Effect.sync(() => remove(directory)))
  yield* unpackArchive(typed === "-" ? stdin : bytesOf(place), place, directory)
  if (Option.isSome(newer)) {
    const from = yield* placeOf(newer.value)
    let number = later
    yield* unpackArchive(bytesOf(from), from, directory, (name) =>
      name.startsWith("erasures/") ? name.replace(/\d+/, numbered(number++)) : undefined
    )
  }
  return { place, directory }
})
