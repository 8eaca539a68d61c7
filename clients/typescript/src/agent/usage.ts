import { realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { filesNamed, filesRun } from "./commands.ts"
import { commandOf, endOf, fileOf, type HookEvent } from "./events.ts"
import { isUnchanged, type OfferedFile } from "./offer.ts"

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
const isFrom = (content: string, source: string): boolean => {
  const wanted = linesOf(source)
  if (wanted.size === 0) return isCopy(content, source)
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

/**
 * How files ended that commands ran: by a snippet's id, or by the path of what may be a copy of one, or was one before
 * the session changed it.
 */
export type Runs = ReadonlyMap<string, boolean>

/** Which of the offered snippets the session reads and runs, and what that says of them. */
export class Usage {
  /** By path: a snippet of the same name takes an earlier one's place. */
  readonly #offered = new Map<string, OfferedFile>()
  readonly #read = new Set<string>()
  readonly #voted = new Set<string>()

  offered(files: ReadonlyArray<OfferedFile>): void {
    for (const file of files) this.#offered.set(file.path, file)
  }

  /** The offered file that a tool reads, if it does. */
  reads(event: HookEvent): OfferedFile | undefined {
    const path = event.tool_name === "Read" ? fileOf(event) : undefined
    return path === undefined ? undefined : this.#offered.get(real(resolve(event.cwd, path)))
  }

  /**
   * A tool was used, its command from the folder `cwd`: notes what it read, and gives what it ran and how that ended.
   * An offered file that was changed is no longer the snippet.
   */
  used(event: HookEvent, cwd: string, succeeded: boolean): Runs {
    const command = commandOf(event)
    const seen = [this.reads(event), ...filesNamed(command ?? "", cwd).map((path) => this.#offered.get(real(path)))]
    if (succeeded) for (const file of seen) if (file && isUnchanged(file)) this.#read.add(file.codeBlockId)
    const end = endOf(event, succeeded)
    if (command === undefined || end === "unknown") return new Map()
    return new Map(
      filesRun(command, cwd, end === "worked").map((run) => {
        const path = real(run.path)
        const file = this.#offered.get(path)
        return [file && isUnchanged(file) ? file.codeBlockId : path, run.succeeded]
      })
    )
  }

  /**
   * A snippet that was run, itself or as an unchanged copy: as the last run went. One that was read, and at least half
   * of which is in a file of the session: for it. Of all others nothing is known.
   */
  verdicts(
    files: ReadonlyArray<{ readonly absolute: string; readonly content: string }>,
    runs: Runs
  ): ReadonlyArray<Verdict> {
    const others = files.filter(({ absolute }) => !this.#offered.has(absolute))
    // one that was offered again while its file was changed has two places, and still one vote
    return [...new Map(this.all.map((file) => [file.codeBlockId, file])).values()].flatMap((file) => {
      const copies = others.filter(({ content }) => isCopy(content, file.source)).map(({ absolute }) => absolute)
      const ends = [file.codeBlockId, ...copies].flatMap((key) => runs.get(key) ?? [])
      if (ends.length > 0) return [{ file, succeeded: !ends.includes(false) }]
      const used = this.#read.has(file.codeBlockId) && files.some(({ content }) => isFrom(content, file.source))
      return used ? [{ file, succeeded: true }] : []
    })
  }

  /** Those that may be voted on now: a session has one vote on each snippet. */
  take(verdicts: ReadonlyArray<Verdict>): ReadonlyArray<Verdict> {
    const first = verdicts.filter(({ file }) => !this.#voted.has(file.codeBlockId))
    for (const { file } of first) this.#voted.add(file.codeBlockId)
    return first
  }

  /** Those whose files were changed since they were offered, or are gone. */
  get changed(): ReadonlyArray<OfferedFile> {
    return this.all.filter((file) => !isUnchanged(file))
  }

  /** All that are offered. */
  get all(): ReadonlyArray<OfferedFile> {
    return [...this.#offered.values()]
  }
}
