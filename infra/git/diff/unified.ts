import { Effect, Option } from "effect"
import type { Workers } from "#ports/Workers.ts"
import { Breath } from "../Breath.ts"
import type { Difference } from "../compare.ts"
import { onDisk } from "../fault.ts"
import { type FileNode, modeOf } from "../objects/tree.ts"
import type { Repository } from "../Repository.ts"
import { hunksOfBytes } from "./hunks.ts"
import { quotePath } from "./quote.ts"

/** Larger files are shown as binary ones. */
const mostFileBytes = 4 * 1024 * 1024
/** git looks for a NUL this far. */
const binaryProbe = 8000
const nobody = "0000000"

/** The beginning of a stored file's name. */
const abbreviated = (node: FileNode | undefined): string => node?.sha?.slice(0, 7) ?? nobody

/** The bytes of a text; `undefined`: binary, or too large to compare. */
const textOf = async (repository: Repository, node: FileNode | undefined): Promise<Uint8Array | undefined> => {
  if (node === undefined) return new Uint8Array()
  if ((await repository.size(node)) > mostFileBytes) return undefined
  const content = await repository.content(node)
  return content.subarray(0, binaryProbe).includes(0) ? undefined : content
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
    if (before.sha !== after.sha) lines.push(index)
  }
  return `${lines.join("\n")}\n`
}

/** Lines and bytes that a whole diff may compare. */
const mostLines = 2_000_000
const mostComparedBytes = 16 * 1024 * 1024
/** Milliseconds of work for a whole diff, after which files are left out. */
const patience = 10_000
/** Bytes of a file, before and after together, that are compared in this process: some milliseconds. */
const small = 16 * 1024

const tooMuch = "... the diff of this file is left out: it would take too much work\n"

/** What is left for the rest of a diff. */
interface Left {
  lines: number
  bytes: number
  time: number
  /** No file was left out for a reason that may pass. */
  isWhole: boolean
}

const compared = Effect.fnUntraced(function* (
  before: Uint8Array,
  after: Uint8Array,
  left: Left,
  workers: Workers["Service"]
) {
  const size = before.length + after.length
  if (size > left.bytes) return undefined
  left.bytes -= size
  if (left.time > 0) {
    if (size <= small) return hunksOfBytes(before, after, left.lines)
    const began = performance.now()
    const done = yield* Effect.option(workers.run("hunksOfBytes", [before, after, left.lines], { within: left.time }))
    left.time -= performance.now() - began
    if (Option.isSome(done)) return done.value
  }
  // workers may have been busy, or have given this caller less time than others
  left.isWhole = false
  return undefined
})

/** One file's part of a `git diff`. */
const fileDiff = Effect.fnUntraced(function* (
  repository: Repository,
  { path, before, after }: Pick<Difference, "path" | "before" | "after">,
  left: Left,
  workers: Workers["Service"]
) {
  const header = headerOf(path, before, after)
  if (before !== undefined && after !== undefined && before.sha === after.sha) return [header]
  const isOver = left.lines <= 0 || left.bytes <= 0
  if (isOver) return [header, tooMuch]
  const [oldText, newText] = yield* onDisk(repository.gitdir, () =>
    Promise.all([textOf(repository, before), textOf(repository, after)])
  )
  const oldLabel = before === undefined ? "/dev/null" : quotePath(`a/${path}`)
  const newLabel = after === undefined ? "/dev/null" : quotePath(`b/${path}`)
  if (oldText === undefined || newText === undefined) {
    return [`${header}Binary files ${oldLabel} and ${newLabel} differ\n`]
  }
  const found = yield* compared(oldText, newText, left, workers)
  left.lines -= found?.lines ?? 0
  if (found === undefined || found.text === null) return [header, tooMuch]
  if (found.text.length === 0) return [header]
  return [`${header}--- ${tabbed(oldLabel)}\n+++ ${tabbed(newLabel)}\n`, found.text]
})

const partsOf = ({ path, before, after }: Difference) =>
  before !== undefined && after !== undefined && (before.kind === "symlink") !== (after.kind === "symlink")
    ? // a file that becomes a link, or the reverse, is shown as deleted and created
      [
        { path, before, after: undefined },
        { path, before: undefined, after }
      ]
    : [{ path, before, after }]

/**
 * The text of a `git diff`. One longer than `maxBytes` is cut after a line and ends with a remark. A file whose diff
 * would cost too much is only named. `isWhole`: no file is only named because time ran out or a worker gave no result,
 * so the same diff again gives the same text.
 */
export const unifiedDiff = Effect.fnUntraced(function* (
  repository: Repository,
  changed: AsyncGenerator<Difference, void, undefined>,
  maxBytes: number,
  workers: Workers["Service"]
) {
  const left: Left = { lines: mostLines, bytes: mostComparedBytes, time: patience, isWhole: true }
  const breath = new Breath()
  const parts: Array<Uint8Array> = []
  let size = 0
  while (size <= maxBytes) {
    yield* Effect.promise(() => breath.take())
    const { done, value } = yield* onDisk(repository.gitdir, () => changed.next())
    if (done === true) break
    for (const difference of partsOf(value as Difference)) {
      for (const part of yield* fileDiff(repository, difference, left, workers)) {
        const bytes = typeof part === "string" ? Buffer.from(part) : part
        parts.push(bytes)
        size += bytes.length
      }
    }
  }
  return { text: cut(Buffer.concat(parts), maxBytes), isWhole: left.isWhole }
})

const cut = (bytes: Buffer, maxBytes: number): string => {
  if (bytes.length <= maxBytes) return bytes.toString()
  const remark = `... the rest of the diff is left out: it is longer than ${maxBytes} bytes\n`
  const kept = bytes.subarray(0, Math.max(0, maxBytes - remark.length))
  return (kept.toString("utf8", 0, kept.lastIndexOf(0x0a) + 1) + remark).slice(0, maxBytes)
}
