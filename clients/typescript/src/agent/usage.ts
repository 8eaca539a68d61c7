import { realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { filesRun } from "./commands.ts"
import { fileOf, type HookEvent, textOf } from "./events.ts"
import type { OfferedFile } from "./offer.ts"

/** What became of an offered snippet. */
export interface Verdict {
  readonly file: OfferedFile
  readonly succeeded: boolean
}

/** The lines of code that tell one file from another: no blank ones, braces and comments. */
const linesOf = (source: string): ReadonlySet<string> =>
  new Set(
    source
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line.length >= 8 && /\w/.test(line) && !/^(#(?!include)|\/\/|\*|\/\*|""")/.test(line))
  )

/** Whether a file was made from a snippet: it has at least half of its lines. */
export const isFrom = (content: string, source: string): boolean => {
  const wanted = linesOf(source)
  if (wanted.size === 0) return content.trim() === source.trim()
  const there = linesOf(content)
  return [...wanted].filter((line) => there.has(line)).length * 2 >= wanted.size
}

/** The same without a difference in blanks at the ends. */
export const isCopy = (content: string, source: string): boolean => content.trim() === source.trim()

/** The path without links on its way, as far as it exists. */
const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), basename(path))
  }
}

/** The files that a tool ran, as real paths, and how that ended. */
export const runsOf = (event: HookEvent, succeeded: boolean): ReadonlyMap<string, boolean> => {
  const command = event.tool_name === "Bash" ? textOf(event.tool_input, "command") : undefined
  // what somebody stopped did not fail
  if (command === undefined || (!succeeded && event.is_interrupt === true)) return new Map()
  return new Map(filesRun(command, event.cwd, succeeded).map((run) => [real(run.path), run.succeeded]))
}

/** Which of the offered snippets the session reads, and what that says of them. */
export class Usage {
  readonly #offered = new Map<string, OfferedFile>()
  readonly #read = new Set<string>()

  offered(files: ReadonlyArray<OfferedFile>): void {
    for (const file of files) this.#offered.set(file.path, file)
  }

  /** Whether the tool reads a file that was offered. */
  reads(event: HookEvent): OfferedFile | undefined {
    const path = event.tool_name === "Read" ? fileOf(event) : undefined
    return path === undefined ? undefined : this.#offered.get(real(resolve(event.cwd, path)))
  }

  /** A tool was used: only what it read counts here. What was read stays read. */
  used(event: HookEvent, succeeded: boolean): void {
    const read = this.reads(event)
    if (read !== undefined && succeeded) this.#read.add(read.path)
  }

  /**
   * A snippet that was run, itself or as an unchanged copy: as the last run went. One that was read, and at least half of
   * which is in a file of the session: for it. Of all others nothing is known.
   */
  verdicts(
    files: ReadonlyArray<{ readonly path: string; readonly content: string }>,
    run: ReadonlyMap<string, boolean>
  ): ReadonlyArray<Verdict> {
    return [...this.#offered.values()].flatMap((file) => {
      const copies = files.filter(({ content }) => isCopy(content, file.source)).map(({ path }) => path)
      const runs = [file.path, ...copies].flatMap((path) => run.get(path) ?? [])
      if (runs.length > 0) return [{ file, succeeded: !runs.includes(false) }]
      const used = this.#read.has(file.path) && files.some(({ content }) => isFrom(content, file.source))
      return used ? [{ file, succeeded: true }] : []
    })
  }

  /** All that were offered. */
  get all(): ReadonlyArray<OfferedFile> {
    return [...this.#offered.values()]
  }
}
