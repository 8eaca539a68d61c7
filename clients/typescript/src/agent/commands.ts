import { basename, resolve } from "node:path"

/** Programs that run the file that is named first behind them. */
const interpreters =
  /^(python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|bash|sh|zsh|dash|ksh|fish|Rscript|julia|lua|luajit|java|groovy|go|swift|elixir|pwsh|source|\.)$/

/** Options behind which stands code or a module, and no file. */
const noFile = /^-(c|m|e|p|-eval|-print|)$/

/** Programs that run another, or set something for it. */
const wrappers =
  /^(env|time|sudo|nice|nohup|timeout|exec|command|uv|uvx|npx|pnpm|poetry|pipenv|run|\w+=.*|-.*|\d+(\.\d+)?[smhd]?)$/s

/** Programs that go before others, and don't fail where those would not. */
const preparing = new Set(["cd", "echo", "export", "mkdir", "printf", "pwd", "set", "true", ":"])

/** Where an exit code says little of the parts: one is only run if another fails, or stands inside of another. */
const unknowable = /\|\||\$\(|`|(^|[\s;&|(])(!|if|while|until|for|case|trap|eval)\s/

/** A document that stands inside of a command: its lines are no commands. What follows on its first line is. */
const document = /<<-?\s*(["']?)(\w+)\1([^\n]*)\n[\s\S]*?(?:\n[ \t]*\2[ \t]*(?=\n|$)|$)/g

/**
 * Quoted text, which is kept, or where a command's input and output go: `2>&1`, `>log.txt`, `&>/dev/null`, `<in.csv`.
 */
const quotedOrRedirected = /("[^"]*"|'[^']*')|(?:&>>?|\d*>>?)\s*(?:&\d+|[^\s;&|()<>"']+)|<\s*[^\s;&|()<>"']+/g

/** What stands between two parts, or a word, which may be quoted in part. */
const token = /(&&|[|;&\n()]+)|(?:"[^"]*"|'[^']*'|[^\s"'|;&()])+/g
const unquoted = (word: string): string =>
  word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double: string | undefined, single: string) => double ?? single)

interface Part {
  readonly words: Array<string>
  /** What stands between it and the next; `""` at the end. */
  readonly after: string
}

/** Not a shell's reading of a command, but that of a plain one. */
const partsOf = (command: string): ReadonlyArray<Part> => {
  const plain = command
    .replaceAll(document, (_, _quote, _word, rest: string) => rest)
    .replaceAll(quotedOrRedirected, (_, quoted: string | undefined) => quoted ?? " ")
  const parts: Array<Part> = []
  let words: Array<string> = []
  for (const [word, between] of plain.trim().matchAll(token)) {
    if (between === undefined) words.push(unquoted(word))
    else {
      parts.push({ words, after: between.trim() })
      words = []
    }
  }
  return [...parts, { words, after: "" }].filter(({ words }) => words.length > 0)
}

/** A part's program, and what it was told. */
const programOf = ({ words }: Part): ReadonlyArray<string> => {
  const first = words.findIndex((word) => !wrappers.test(word))
  return first === -1 ? [] : words.slice(first)
}

/** The file that a program runs: itself, or what it was told first. */
const fileRunBy = (program: string, told: ReadonlyArray<string>): string | undefined => {
  if (!interpreters.test(basename(program))) return /[./\\]/.test(program) ? program : undefined
  for (const word of told) {
    if (noFile.test(word)) return undefined
    if (!word.startsWith("-") && /[./\\]/.test(word)) return word
  }
  return undefined
}

/** A file that a command ran, and how that ended. */
export interface FileRun {
  /** Absolute, as the command would find it from its folder. */
  readonly path: string
  readonly succeeded: boolean
}

/**
 * The files that a shell command runs, directly or by an interpreter, as far as its exit code tells how each of them
 * ended: not what stands before a pipe or `;`, and after a failure only the last part, if no other program came before
 * it.
 */
export const filesRun = (command: string, cwd: string, succeeded: boolean): ReadonlyArray<FileRun> => {
  if (unknowable.test(command)) return []
  const parts = partsOf(command)
  let folder = cwd
  let programs = 0
  return parts.flatMap((part, index) => {
    const [program, ...told] = programOf(part)
    if (program === "cd") folder = resolve(folder, told[0] ?? ".")
    if (program === undefined || preparing.has(program)) return []
    programs++
    const ends = index === parts.length - 1 && (part.after === "" || part.after === ";" || part.after === ")")
    const path = (succeeded ? ends || part.after === "&&" : ends && programs === 1) && fileRunBy(program, told)
    return path ? [{ path: resolve(folder, path), succeeded }] : []
  })
}

/** The files that a command names, run or not, as absolute paths. */
export const filesNamed = (command: string, cwd: string): ReadonlyArray<string> => {
  let folder = cwd
  return partsOf(command).flatMap((part) => {
    const [program, ...told] = programOf(part)
    if (program === "cd") folder = resolve(folder, told[0] ?? ".")
    return told.filter((word) => /[./\\]/.test(word)).map((word) => resolve(folder, word))
  })
}

/** Whether a command only fetches or restores what others wrote. */
export const onlyGit = (command: string): boolean => {
  const programs = partsOf(command).flatMap((part) => programOf(part)[0] ?? [])
  return programs.includes("git") && programs.every((program) => program === "git" || preparing.has(program))
}
