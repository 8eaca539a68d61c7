import { Effect } from "effect"
import { BackupFolder } from "#ports/Backup.ts"
import type { Chain } from "./chain.ts"

/** Folders whose files are all named by manifests. */
const folders = ["log", "beside", "erasures", "repositories"]

/** Takes away what a backup that was interrupted has left: files on their way, and those that no manifest names. */
export const sweep = Effect.fnUntraced(function* ({ manifests }: Pick<Chain, "manifests">) {
  const folder = yield* BackupFolder
  const named = new Set(manifests.flatMap(({ files }) => files.map(({ name }) => name)))
  const own = (yield* folder.list("")).filter((name) => name.startsWith(".unfinished-"))
  for (const name of own) yield* folder.remove(name)
  for (const each of folders) {
    for (const name of yield* folder.list(each)) if (!named.has(name)) yield* folder.remove(name)
  }
})
