import { type Edit, lineEdits } from "./myers.ts"

const context = 3

/** Lines with their newlines; the last one may have none. */
const linesOf = (text: string): ReadonlyArray<string> => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

const printed = (mark: string, line: string): string =>
  line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`

/** Edits whose contexts touch go into one hunk. */
const grouped = (edits: ReadonlyArray<Edit>): ReadonlyArray<ReadonlyArray<Edit>> => {
  const groups: Array<Array<Edit>> = []
  for (const edit of edits) {
    const last = groups.at(-1)?.at(-1)
    if (last !== undefined && edit.oldStart - (last.oldStart + last.oldCount) <= 2 * context) groups.at(-1)!.push(edit)
    else groups.push([edit])
  }
  return groups
}

const range = (start: number, count: number): string =>
  count === 1 ? `${start + 1}` : `${count === 0 ? start : start + 1},${count}`

/** The line above a hunk that tells where it is: the last that begins like a definition. */
const heading = (lines: ReadonlyArray<string>, before: number): string => {
  for (let index = before - 1; index >= 0; index--) {
    if (/^[A-Za-z_$]/.test(lines[index]!)) return ` ${lines[index]!.slice(0, 80).trimEnd()}`
  }
  return ""
}

/** How many lines were compared, and the hunks; `null`: there are more lines than may be compared. */
export interface Hunks {
  readonly lines: number
  readonly text: Uint8Array | null
}

const linesIn = (bytes: Uint8Array): number => {
  let lines = 1
  for (const byte of bytes) if (byte === 0x0a) lines++
  return lines
}

/** The hunks between two texts, given as bytes, that have at most `mostLines` lines together. */
export const hunksOfBytes = (before: Uint8Array, after: Uint8Array, mostLines: number): Hunks => {
  const lines = linesIn(before) + linesIn(after)
  if (lines > mostLines) return { lines: 0, text: null }
  const [oldText, newText] = [before, after].map((bytes) => Buffer.from(bytes).toString("latin1"))
  return { lines, text: Buffer.from(hunks(oldText!, newText!), "latin1") }
}

/** The hunks of a unified diff between two texts (one character a byte), `""` when they are equal. */
export const hunks = (oldText: string, newText: string): string => {
  const [olds, news] = [linesOf(oldText), linesOf(newText)]
  return grouped(lineEdits(olds, news))
    .map((edits) => {
      const [first, last] = [edits[0]!, edits.at(-1)!]
      const oldStart = Math.max(0, first.oldStart - context)
      const newStart = first.newStart - (first.oldStart - oldStart)
      const oldEnd = Math.min(olds.length, last.oldStart + last.oldCount + context)
      const newEnd = last.newStart + last.newCount + (oldEnd - last.oldStart - last.oldCount)
      const lines: Array<string> = []
      let at = oldStart
      for (const { oldStart: start, oldCount, newStart: into, newCount } of edits) {
        for (; at < start; at++) lines.push(printed(" ", olds[at]!))
        for (; at < start + oldCount; at++) lines.push(printed("-", olds[at]!))
        for (let index = into; index < into + newCount; index++) lines.push(printed("+", news[index]!))
      }
      for (; at < oldEnd; at++) lines.push(printed(" ", olds[at]!))
      const ranges = `-${range(oldStart, oldEnd - oldStart)} +${range(newStart, newEnd - newStart)}`
      return `@@ ${ranges} @@${heading(olds, oldStart)}\n${lines.join("")}`
    })
    .join("")
}
