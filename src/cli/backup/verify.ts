import { Effect } from "effect"
import { damagedIn } from "#src/audit/backup/chain.ts"
import { archiveAsFolder, backupFolder } from "#src/copying.ts"
import { counted } from "#src/counted.ts"
import { Failed } from "../failure.ts"
import { answer, Json, plain } from "../output.ts"
import { progress } from "../progress.ts"
import { bytesOf, isArchive } from "./archive.ts"
import { backupsIn } from "./folder.ts"

/** How many damaged files are told. */
const told = 20

/** What is in a folder of backups, or an archive, and which of its files are not as they were written. */
export const looked = Effect.fnUntraced(function* (place: string) {
  const bar = progress(!(yield* Json))
  const folder = isArchive(place) ? archiveAsFolder(bytesOf(place), place) : backupFolder(place, undefined)
  const found = yield* Effect.provide(
    Effect.gen(function* () {
      const chain = yield* backupsIn()
      return { chain, ...(yield* damagedIn(chain, (done, of) => bar.at(done, of, "bytes looked at"))) }
    }),
    folder
  )
  bar.clear()
  return found
})

/** Tells the operator, and fails if a file is not as it was written. */
export const verify = Effect.fnUntraced(function* (place: string) {
  const { chain, damaged, files, bytes } = yield* looked(place)
  yield* answer({ success: damaged.length === 0, backups: chain.manifests.length, files, bytes, damaged }, () => [
    `${counted(chain.manifests.length, "backup")}, ${counted(files, "file")}, ${counted(bytes, "byte")}`,
    ...damaged.slice(0, told).map(plain),
    ...(damaged.length === 0 ? ["All of it is as it was written."] : [])
  ])
  if (damaged.length === 0) return
  return yield* new Failed({
    message: `${counted(damaged.length, "file")} of the backup not as written: ${plain(damaged[0]!)}.`
  })
})
