import { beginningOf } from "./text/beginningOf.ts"

/** Reads and edits files as text, for tools. Pure; the time grows with the file. */

/** A file's bytes as text; `undefined` if they are not text. */
export const decoded = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export type NoText = { readonly type: "binary" }
const binary: NoText = { type: "binary" }

/** The most lines and bytes of one reading, and the most characters of a line. */
const mostLines = 2_000
const mostBytes = 200_000
const longestLine = 2_000
export const linesBounds = { mostLines, longestLine }

export type NumberedLines =
  | NoText
  /** `text`: the lines with their numbers. If some were left out, a last line says which are shown. */
  | { readonly type: "lines"; readonly text: string }
  | { readonly type: "ended"; readonly lines: number }
  | { readonly type: "empty" }

const cutLine = (line: string) =>
  line.length <= longestLine ? line : `${beginningOf(line, longestLine)}… (${line.length} characters)`

/** At most `limit` lines of a text file, from line `offset` on (1 is the first). */
export const numberedLines = (bytes: Uint8Array, offset: number, limit: number): NumberedLines => {
  const text = decoded(bytes)
  if (text === undefined) return binary
  if (text === "") return { type: "empty" }
  const end = text.endsWith("\n") ? text.length - 1 : text.length
  const shown: Array<string> = []
  let [count, size, full] = [0, 0, false]
  for (let at = 0; at <= end; ) {
    const next = text.indexOf("\n", at)
    const stop = next < 0 || next > end ? end : next
    count++
    full ||= shown.length >= Math.min(limit, mostLines)
    if (count >= offset && !full) {
      const numbered = `${String(count).padStart(6)}\t${cutLine(text.slice(at, stop))}`
      size += Buffer.byteLength(numbered) + 1
      full = size > mostBytes
      if (!full) shown.push(numbered)
    }
    at = stop + 1
  }
  if (offset > count) return { type: "ended", lines: count }
  const last = offset + shown.length - 1
  if (offset > 1 || last < count) shown.push(`(lines ${offset} to ${last} of ${count})`)
  return { type: "lines", text: shown.join("\n") }
}

export type Replaced =
  | NoText
  | { readonly type: "replaced"; readonly bytes: Uint8Array; readonly count: number }
  /** The text is not there, or is there too often to know which place is meant. */
  | { readonly type: "unclear"; readonly count: number }
  | { readonly type: "tooLarge"; readonly size: number }

/**
 * A text file with `after` in place of `before`: everywhere if `all`, else at its only place. No result is made if it
 * would have more than `most` bytes.
 */
export const replaced = (bytes: Uint8Array, before: string, after: string, all: boolean, most: number): Replaced => {
  const text = decoded(bytes)
  if (text === undefined) return binary
  let count = 0
  for (let at = text.indexOf(before); at >= 0; at = text.indexOf(before, at + before.length)) count++
  if (count === 0 || (count > 1 && !all)) return { type: "unclear", count }
  const size = bytes.length + count * (Buffer.byteLength(after) - Buffer.byteLength(before))
  if (size > most) return { type: "tooLarge", size }
  return { type: "replaced", bytes: Buffer.from(text.replaceAll(before, () => after)), count }
}
