import { commentIn, commentStyle, headerLines } from "./comments.ts"

/** What is known of one function, for one line. */
export interface FunctionNote {
  readonly fingerprint: string
  /** 1-based line above which the comment is to stand: `FunctionFound.commentLine`. */
  readonly commentLine: number
  readonly thumbsUp: number
  readonly thumbsDown: number
  /** Calls that logs told of. */
  readonly calls: number
  /** Errors that went through it, most frequent first; the text comes from logs and may say anything. */
  readonly errors: ReadonlyArray<{ readonly text: string; readonly count: number }>
}

/** Errors that a line shows, and characters of all of them. */
const mostErrors = 3
const longestErrors = 120

/** A line that `annotate` wrote, in any language, from its first blank to its line end. */
const own =
  /(?<=^\ufeff?|[\r\n])[ \t]*(?:#|\/\/|\/\*|--|%|;|<!--) \[cairn (fn_[0-9a-f]{64})\] \+\d+ −\d+ · [^\r\n]{0,400}?\/api\/functions\/\1\.md(?: \*\/| -->)?(?:\r\n|\n|\r|(?![\s\S]))/g

/** A source without the lines that `annotate` put there: an agent may send back what a search gave it. */
export const stripAnnotations = (source: string): string =>
  source.includes("[cairn fn_") ? source.replace(own, "") : source

/**
 * Letters, digits and harmless signs of a text from outside, on one line. What could end a comment (`*\/`, `-->`, `?>`), open
 * an escape (a backslash, which Java reads even in comments), break the line or turn it around becomes a blank.
 */
export const inComment = (text: string, length: number): string => {
  const harmless = text
    .slice(0, 4 * length)
    .replace(/[^\p{L}\p{M}\p{N} _.,:;'"()[\]=+/@&|~^!-]/gu, " ")
    .replace(/-{2,}/g, "-")
    .replace(/(\p{M}{2})\p{M}+/gu, "$1")
    .replace(/ +/g, " ")
    .trim()
  return [...harmless].length <= length
    ? harmless
    : `${[...harmless]
        .slice(0, length - 1)
        .join("")
        .trimEnd()}…`
}

const errorsOf = (errors: FunctionNote["errors"]): ReadonlyArray<string> => {
  const shown: Array<string> = []
  let left = longestErrors
  for (const { text, count } of errors.slice(0, mostErrors)) {
    const times = ` ×${count}`
    const said = inComment(text, Math.max(0, left - times.length))
    if (said === "" || said === "…") continue
    shown.push(`${said}${times}`)
    left -= shown.at(-1)!.length + 3
    if (left < 10) break
  }
  return shown
}

const noteText = ({ fingerprint, thumbsUp, thumbsDown, calls, errors }: FunctionNote): string =>
  [
    `[cairn ${fingerprint}] +${thumbsUp} −${thumbsDown}`,
    ...(calls > 0 ? [`${calls} ${calls === 1 ? "call" : "calls"}`] : []),
    ...errorsOf(errors),
    `/api/functions/${fingerprint}.md`
  ].join(" · ")

/** Whether a line of the source is one of ours, by what stands in it. */
const ownLines = (source: string): ReadonlySet<number> => {
  const lines = new Set<number>()
  if (!source.includes("[cairn fn_")) return lines
  let line = 1
  let at = 0
  for (const found of source.matchAll(own)) {
    for (; at < found.index; at++) if (source[at] === "\n") line++
    lines.add(line)
  }
  return lines
}

const indentation = /[ \t]*/y
/** Lines at the top of a file that are looked at for what must stand first. */
const mostHeader = 100

/** How many of some numbers, in ascending order, are below a bound. */
const countBelow = (sorted: ReadonlyArray<number>, bound: number): number => {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < bound) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * A source with one line of comment above each function: what the votes and logs say of it, and where more is. Lines that were
 * put there before are replaced. Only whole lines come in, with the line end and the indentation of the place, below what must
 * stand first in a file; a language without comments (`json`, `text`) is left as it is.
 */
export const annotate = (source: string, language: string, notes: ReadonlyArray<FunctionNote>): string => {
  const style = commentStyle(language)
  const before = ownLines(source)
  const clean = stripAnnotations(source)
  if (style === undefined) return clean
  const bom = clean.startsWith("\ufeff") ? "\ufeff" : ""
  const removed = [...before].sort((one, other) => one - other)
  const text = clean.slice(bom.length)
  const header = headerLines(text.split("\n", mostHeader), language)
  const end = text[text.indexOf("\n") - 1] === "\r" ? "\r\n" : "\n"
  const above = new Map<number, Array<FunctionNote>>()
  for (const note of notes) {
    const at = Math.max(note.commentLine - countBelow(removed, note.commentLine), header + 1)
    above.set(at, [...(above.get(at) ?? []), note])
  }
  // only the lines that get something above them are looked for: a file may have a million
  let written = bom
  let copied = 0
  let [line, start] = [1, 0]
  for (const [at, some] of [...above].sort(([one], [other]) => one - other)) {
    while (line < at && start > -1) {
      start = text.indexOf("\n", start) + 1 || -1
      line++
    }
    if (start === -1 || at === Number.POSITIVE_INFINITY) break
    indentation.lastIndex = start
    const indent = indentation.exec(text)![0]
    written += text.slice(copied, start)
    for (const note of some) written += `${indent}${commentIn(style, noteText(note))}${end}`
    copied = start
  }
  return written + text.slice(copied)
}
