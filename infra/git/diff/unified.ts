import type { Difference } from "../compare.ts"
import { blobName } from "../Overlay/persist.ts"
import type { Repository } from "../Repository.ts"
import { type FileNode, modeOf } from "../tree.ts"
import { hunks } from "./hunks.ts"
import { quotePath } from "./quote.ts"

/** Larger files are shown as binary ones. */
const mostFileBytes = 4 * 1024 * 1024
/** git looks for a NUL this far. */
const binaryProbe = 8000
const nobody = "0000000"

const abbreviated = (node: FileNode | undefined): string => (node === undefined ? nobody : blobName(node).slice(0, 7))

/** Content with one character a byte; `undefined`: binary, or too large to compare. */
const textOf = async (repository: Repository, node: FileNode | undefined): Promise<string | undefined> => {
  if (node === undefined) return ""
  if ((await repository.size(node)) > mostFileBytes) return undefined
  const content = await repository.content(node)
  if (content.subarray(0, binaryProbe).includes(0)) return undefined
  return Buffer.from(content.buffer, content.byteOffset, content.length).toString("latin1")
}

// git ends a name that has a blank with a tab, so that `patch` finds its end
const tabbed = (label: string): string => (label.includes(" ") ? `${label}\t` : label)

const headerOf = (path: string, before: FileNode | undefined, after: FileNode | undefined): string => {
  const index = `index ${abbreviated(before)}..${abbreviated(after)}`
  const lines = [`diff --git ${quotePath(`a/${path}`)} ${quotePath(`b/${path}`)}`]
  if (before === undefined) lines.push(`new file mode ${modeOf(after!.kind)}`, index)
  else if (after === undefined) lines.push(`deleted file mode ${modeOf(before.kind)}`, index)
  else if (before.kind === after.kind) lines.push(`${index} ${modeOf(before.kind)}`)
  else {
    lines.push(`old mode ${modeOf(before.kind)}`, `new mode ${modeOf(after.kind)}`)
    if (blobName(before) !== blobName(after)) lines.push(index)
  }
  return `${lines.join("\n")}\n`
}

/** One file's part of a `git diff`, one character a byte. */
const fileDiff = async (
  repository: Repository,
  path: string,
  before: FileNode | undefined,
  after: FileNode | undefined
): Promise<string> => {
  const header = headerOf(path, before, after)
  if (before !== undefined && after !== undefined && blobName(before) === blobName(after)) return header
  const [oldText, newText] = [await textOf(repository, before), await textOf(repository, after)]
  const oldLabel = before === undefined ? "/dev/null" : quotePath(`a/${path}`)
  const newLabel = after === undefined ? "/dev/null" : quotePath(`b/${path}`)
  if (oldText === undefined || newText === undefined)
    return `${header}Binary files ${oldLabel} and ${newLabel} differ\n`
  const body = hunks(oldText, newText)
  return body === "" ? header : `${header}--- ${tabbed(oldLabel)}\n+++ ${tabbed(newLabel)}\n${body}`
}

const partsOf = ({ path, before, after }: Difference) =>
  before !== undefined && after !== undefined && (before.kind === "symlink") !== (after.kind === "symlink")
    ? // a file that became a link is one that went and another that came
      [
        { path, before, after: undefined },
        { path, before: undefined, after }
      ]
    : [{ path, before, after }]

/** The text of a `git diff`, cut after a line with a remark when it would be longer than `maxBytes`. */
export const unifiedDiff = async (
  repository: Repository,
  differences: ReadonlyArray<Difference>,
  maxBytes: number
): Promise<string> => {
  let text = ""
  for (const { path, before, after } of differences.flatMap(partsOf)) {
    text += await fileDiff(repository, path, before, after)
    if (text.length > maxBytes) break
  }
  return Buffer.from(cut(text, maxBytes), "latin1").toString("utf8")
}

const cut = (text: string, maxBytes: number): string => {
  if (text.length <= maxBytes) return text
  const remark = `... the rest of the diff is left out: it is longer than ${maxBytes} bytes\n`
  const kept = text.slice(0, Math.max(0, maxBytes - remark.length))
  return (kept.slice(0, kept.lastIndexOf("\n") + 1) + remark).slice(0, maxBytes)
}
