import fs from "node:fs"
import type { Sha } from "#ports/WorkspaceStore.ts"
import { readText } from "../durableFs.ts"

/**
 * The file beside the objects that notes, for each saved root tree, how many bytes its files have at most. Without a
 * note, adding them up reads the head of every blob. The file is only a shortcut and is never synced: a torn or lost
 * line costs no more than that sum. A line is whole if it has its last word: what is left of a torn one gets its
 * newline from the next note, and may end in the middle of the number. Lines of versions before that word was written
 * are not believed either, as nobody can tell which of them are torn.
 */
const fileName = "cairn-bytes"
const whole = /^[0-9a-f]{40} ([0-9]+) bytes$/
/** Bytes, about a thousand saves, at which the file is cut to its newer half. */
const rewriteAt = 64 * 1024

/** How many bytes the files of a tree have at most, as noted; `undefined`: it was not noted. */
export const knownBytes = (gitdir: string, tree: Sha): number | undefined => {
  const lines = (readText(`${gitdir}/${fileName}`) ?? "").split("\n")
  const found = lines.findLast((line) => line.startsWith(tree) && whole.test(line))
  const bytes = found && whole.exec(found)?.[1]
  return bytes === undefined ? undefined : Number(bytes)
}

/** Notes the bytes of all files of a tree. Throws the system's errors. */
export const noteBytes = (gitdir: string, tree: Sha, bytes: number): void => {
  const path = `${gitdir}/${fileName}`
  const text = `\n${tree} ${bytes} bytes\n`
  const size = fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size < rewriteAt) fs.appendFileSync(path, text)
  else fs.writeFileSync(path, `${(readText(path) ?? "").slice(-rewriteAt / 2)}${text}`)
}
