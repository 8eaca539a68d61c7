import fs from "node:fs"
import type { Sha } from "#ports/WorkspaceStore.ts"
import { readText } from "../durableFs.ts"

/**
 * The file beside the objects that notes, for each saved root tree, how many bytes its files have at most. Without a
 * note, adding them up reads the head of every blob. The file is only a shortcut and is never synced: a torn or lost
 * line costs no more than that sum.
 */
const fileName = "cairn-bytes"
const line = /^([0-9a-f]{40}) ([0-9]+)$/
/** Bytes, about a thousand saves, at which the file is cut to its newer half. */
const rewriteAt = 64 * 1024

/** How many bytes the files of a tree have at most, as noted; `undefined`: it was not noted. */
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
