import { Effect } from "effect"
import { BackupFolder } from "#ports/Backup.ts"
import type { Chain } from "./chain.ts"

/** Folders in which manifests name every file. */
const folders = ["log", "beside", "erasures", "repositories"]

/** Removes what an interrupted backup has left: unfinished files, and those that no manifest names. */
export const sweep = Effect.fnUntraced(function* ({ manifests }: Pick<Chain, "manifests">) {
  const folder = yield* BackupFolder
  const named = new Set(manifests.flatMap(({ files }) => files.map(({ name }) => name)))
  const own = (yield* folder.list("")).filter((name) => name.startsWith(".unfinished-"))
  for (const name of own) yield* folder.remove(name)
  for (const each of folders) {
    for (const name of yield* folder.list(each)) if (!named.has(name)) yield* folder.remove(name)
  }
})
