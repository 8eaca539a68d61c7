import { atOnce } from "#engine/steps.ts"
import { commentIn, commentStyle, headerLines } from "./comments.ts"
import { type OwnLine, ownLinesIn, withoutLines } from "./ownLines.ts"

/** What is known of one function, to be shown in one line. */
export interface FunctionNote {
  readonly fingerprint: string
  /** 1-based line above which the comment is to stand: `FunctionFound.commentLine`. */
  readonly commentLine: number
  readonly thumbsUp: number
  readonly thumbsDown: number
  /** Calls that logs report. */
  readonly calls: number
  /** Errors that went through it, most frequent first; the text comes from logs and may say anything. */
  readonly errors: ReadonlyArray<{ readonly text: string; readonly count: number }>
}

/** The most errors that a line shows, and the most characters of all of them. */
const mostErrors = 3
const longestErrors = 120

/** `stripAnnotations` in steps, so that other work can run between them. */
export function* strippingAnnotations(source: string): Generator<void, string> {
  return withoutLines(source, yield* ownLinesIn(source))
}

/** A source without the lines that `annotate` put there: an agent may send back what a search gave it. */
export const stripAnnotations = (source: string): string => atOnce(strippingAnnotations(source))

/**
 * The letters, digits and harmless signs of a text from outside, on one line. What could end a comment (`*\/`, `-->`,
 * `?>`), open an escape (a backslash, which Java reads even in comments), break the line or reverse its direction
 * becomes a blank.
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

/** Lines that are passed in one step. */
const stretch = 10_000

/** The numbers of our own lines, from 1. */
function* numbersOf(source: string, lines: ReadonlyArray<OwnLine>): Generator<void, ReadonlyArray<number>> {
  const numbers: Array<number> = []
  let [line, next] = [1, source.indexOf("\n")]
  for (const { from } of lines) {
    while (next >= 0 && next < from) {
      line++
      next = source.indexOf("\n", next + 1)
      if (line % stretch === 0) yield
    }
    if (numbers.at(-1) !== line) numbers.push(line)
  }
  return numbers
}

const indentation = /[ \t]*/y
/** Lines at the top of a file that are checked for what must stand first. */
const mostHeader = 100

/** How many of the numbers, which are in ascending order, are below a bound. */
const countBelow = (sorted: ReadonlyArray<number>, bound: number): number => {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < bound) low = middle + 1
    else high = middle
  }
  return low
}

/** `annotate` in steps, so that other work can run between them. */
export function* annotating(
  source: string,
  language: string,
  notes: ReadonlyArray<FunctionNote>
): Generator<void, string> {
  const style = commentStyle(language)
  const ours = yield* ownLinesIn(source)
  const clean = withoutLines(source, ours)
  if (style === undefined) return clean
  const bom = clean.startsWith("\ufeff") ? "\ufeff" : ""
  const removed = yield* numbersOf(source, ours)
  const text = clean.slice(bom.length)
  const header = headerLines(text.split("\n", mostHeader), language)
  const end = text[text.indexOf("\n") - 1] === "\r" ? "\r\n" : "\n"
  const above = new Map<number, Array<FunctionNote>>()
  for (const note of notes) {
    const at = Math.max(note.commentLine - countBelow(removed, note.commentLine), header + 1)
    const some = above.get(at)
    if (some === undefined) above.set(at, [note])
    else some.push(note)
  }
  // looks only for the lines that get a comment: a file may have a million
  let written = bom
  let copied = 0
  let [line, start] = [1, 0]
  for (const [at, some] of [...above].sort(([one], [other]) => one - other)) {
    while (line < at && start > -1) {
      start = text.indexOf("\n", start) + 1 || -1
      line++
      if (line % stretch === 0) yield
    }
    if (start === -1 || at === Number.POSITIVE_INFINITY) break
    indentation.lastIndex = start
    const indent = indentation.exec(text)![0]
    written += text.slice(copied, start)
    for (const note of some) {
      written += `${indent}${commentIn(style, noteText(note))}${end}`
      yield
    }
    copied = start
  }
  return written + text.slice(copied)
}

/**
 * A source with a one-line comment above each function: what votes and logs say of it, and where to find more. Replaces
 * such lines from before. Adds only whole lines, with the line end and the indentation of their place, below what must
 * stand first in a file. A language without comments (`json`, `text`) gets none.
 */
export const annotate = (...of: Parameters<typeof annotating>): string => atOnce(annotating(...of))
