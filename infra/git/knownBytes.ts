import fs from "node:fs"
import type { Sha } from "#ports/WorkspaceStore.ts"
import { readText } from "../durableFs.ts"

/**
 * How many bytes the files of a root tree have, at most, noted beside the objects when the tree is saved: to add them
 * up would read the head of every blob. Only a shortcut, so it is never synced: a line that is torn or lost costs that
 * sum.
 */
const fileName = "cairn-bytes"
const line = /^([0-9a-f]{40}) ([0-9]+)$/
/** About a thousand saves. */
const rewriteAt = 64 * 1024

/** Bytes of all files of a tree, where they were noted; `undefined`: nobody has counted them. */
export const knownBytes = (gitdir: string, tree: Sha): number | undefined => {
  // what follows the last newline may be torn
  const lines = (readText(`${gitdir}/${fileName}`) ?? "").split("\n").slice(0, -1)
  const found = lines.findLast((text) => text.startsWith(tree))
  const bytes = found === undefined ? undefined : line.exec(found)?.[2]
  return bytes === undefined ? undefined : Number(bytes)
}

/** Notes the bytes of all files of a tree. Throws the system's errors. */
export const noteBytes = (gitdir: string, tree: Sha, bytes: number): void => {
  const path = `${gitdir}/${fileName}`
  const text = `\n${tree} ${bytes}\n`
  const size = fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size < rewriteAt) fs.appendFileSync(path, text)
  else fs.writeFileSync(path, `${(readText(path) ?? "").slice(-rewriteAt / 2)}${text}`)
}
