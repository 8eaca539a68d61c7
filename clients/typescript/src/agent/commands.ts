import { basename, resolve } from "node:path"

/** Programs that look at a file, or move it, and don't run it. */
const readers = new Set([
  ...["cat", "less", "more", "head", "tail", "bat", "cp", "mv", "rm", "ln", "ls", "stat", "file", "wc", "diff", "cmp"],
  ...["grep", "rg", "sed", "awk", "sort", "uniq", "cut", "tr", "tee", "find", "touch", "mkdir", "chmod", "chown"],
  ...["echo", "printf", "test", "[", "git", "md5sum", "sha256sum", "nl", "od", "xxd", "vi", "vim", "nano", "tar"]
])

/** Programs that run another, or set something for it. */
const wrappers = /^(env|time|sudo|nice|nohup|timeout|exec|command|\w+=.*|-.*|\d+[smh]?)$/

/** The words of a part of a command, without quotes. Not a shell's reading of it, but that of a plain one. */
const words = (part: string): ReadonlyArray<string> =>
  (part.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? []).map((word) => word.replace(/^["']|["']$/g, ""))

/** Quoted text, which is kept, or where a command's input and output go: `2>&1`, `>log.txt`, `&>/dev/null`, `<in.csv`. */
const quotedOrRedirected = /("[^"]*"|'[^']*')|(?:&>>?|\d*>>?)\s*(?:&\d+|[^\s;&|()<>"']+)|<\s*[^\s;&|()<>"']+/g

/** A command without its redirections: their `&` ends no part of it, and their files are not run. */
const withoutRedirections = (command: string): string =>
  command.replaceAll(quotedOrRedirected, (_, quoted: string | undefined) => quoted ?? " ")

/** A file that a command ran, and how that ended. */
export interface FileRun {
  /** Absolute, as the command would find it from its folder. */
  readonly path: string
  readonly succeeded: boolean
}

/**
 * The files that a shell command runs, directly or by an interpreter, as far as its exit code tells how each of them ended:
 * not what stands before a pipe, `;` or `||`, and after a failure only the last part, if no other program came before it.
 */
export const filesRun = (command: string, cwd: string, succeeded: boolean): ReadonlyArray<FileRun> => {
  const parts = withoutRedirections(command)
    .trim()
    .split(/(&&|\|\||[|;&\n()]+)/)
  let folder = cwd
  let programs = 0
  return parts.flatMap((part, index) => {
    if (index % 2 === 1) return []
    const all = words(part)
    const first = all.findIndex((word) => !wrappers.test(word))
    const [program, ...rest] = first === -1 ? [] : all.slice(first)
    if (program === "cd") {
      folder = resolve(folder, rest[0] ?? ".")
      return []
    }
    if (program === undefined || readers.has(basename(program))) return []
    programs++
    const last =
      parts
        .slice(index + 1)
        .join("")
        .trim() === ""
    const known = succeeded ? last || parts[index + 1] === "&&" : last && programs === 1
    if (!known) return []
    return [program, ...rest]
      .filter((word) => /[./\\]/.test(word))
      .map((word) => ({ path: resolve(folder, word), succeeded }))
  })
}
