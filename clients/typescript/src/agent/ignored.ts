import { lstat, readFile } from "node:fs/promises"
import { join } from "node:path"

/**
 * What git says on standard error of a repository's rules that it did not read (also such as are a link), and goes on:
 * of what they leave out nobody knows. A file of the user's own, which has an absolute path, may be out of reach.
 */
const unread = /(?:unable to access '|excessively large pattern file: )(?:(?!\/).*\.gitignore|.*\/info\/exclude)/

/** What git says of the paths: all where it could not read some rules; `undefined` without git, or a repository. */
const byGit = async (root: string, paths: ReadonlyArray<string>): Promise<ReadonlySet<string> | undefined> => {
  const { spawn } = await import("node:child_process")
  return new Promise((resolve) => {
    try {
      // a file that is in the index and ignored is ignored here: rather one too few than one too many. The repository
      // is the session's: it must not name a program to run. Neither is it another one's, which a program that git
      // itself started has in its environment.
      const args = ["-c", "core.fsmonitor=false", "check-ignore", "--no-index", "-z", "--stdin"]
      const own = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"))
      // in English, whatever the user reads
      const env = { ...Object.fromEntries(own), LC_ALL: "C" }
      // `timeout` would hold a program up that ends where there is no git
      const signal = AbortSignal.timeout(10_000)
      const git = spawn("git", args, { cwd: root, env, stdio: "pipe", signal })
      // before anything else: where no process could be made there are no pipes either, and this comes a tick later
      git.on("error", () => resolve(undefined))
      if (!git.stdout || !git.stderr || !git.stdin) return
      const chunks: Array<Uint8Array> = []
      const said: Array<Uint8Array> = []
      git.stdout.on("data", (chunk: Uint8Array) => chunks.push(chunk))
      git.stderr.on("data", (chunk: Uint8Array) => said.push(chunk))
      git.stdin.on("error", () => {})
      git.on("close", (code) => {
        if (code !== 0 && code !== 1) return resolve(undefined)
        const told = Buffer.concat(chunks).toString("utf8").split("\0")
        resolve(new Set(unread.test(Buffer.concat(said).toString("utf8")) ? paths : told))
      })
      git.stdin.end(paths.map((path) => `${path}\0`).join(""))
    } catch {
      resolve(undefined)
    }
  })
}

interface Rule {
  readonly form: RegExp
  readonly again: boolean
}

/** A line of a `.gitignore` that lies in `folder` (`""` or ending in `/`). */
const ruleOf = (line: string, folder: string): Rule | undefined => {
  const text = line.replace(/(?<!\\)\s+$/, "")
  if (text === "" || text.startsWith("#")) return undefined
  const again = text.startsWith("!")
  const pattern = (again ? text.slice(1) : text).replace(/\/+$/, "")
  const anchored = pattern.includes("/")
  const escaped = (part: string) => part.replace(/[\\^$*+?.()|{}[\]]/g, "\\$&")
  const source = pattern
    .replace(/^\//, "")
    .split(/(\\.|\*\*\/|\/\*\*$|\*|\?)/)
    .map((part) => {
      if (part.startsWith("\\") && part.length === 2) return escaped(part.slice(1))
      if (part === "**/") return "(?:.*/)?"
      if (part === "/**") return "/.*"
      if (part === "*") return "[^/]*"
      return part === "?" ? "[^/]" : escaped(part)
    })
    .join("")
  // what lies in an ignored folder is ignored, too
  return { form: new RegExp(`^${escaped(folder)}${anchored ? "" : "(?:.*/)?"}${source}(?:/.*)?$`), again }
}

/** The text of a `.gitignore`, empty without one; `undefined` where it can't be read, or is no file, as for git. */
const textAt = async (path: string): Promise<string | undefined> => {
  try {
    const stats = await lstat(path)
    if (stats.isDirectory()) return ""
    return stats.isFile() ? await readFile(path, "utf8") : undefined
  } catch (error) {
    const { code } = error as { readonly code?: string }
    // other failures are such as that no file descriptor is free
    return code === "ENOENT" || code === "ENOTDIR" ? "" : undefined
  }
}

/**
 * The same without git, for the rules that people write: `*`, `**`, `?`, `!`, `/`; of all folders on the way to a file.
 */
const byRules = async (root: string, paths: ReadonlyArray<string>): Promise<ReadonlySet<string>> => {
  const rules = new Map<string, Promise<ReadonlyArray<Rule> | undefined>>()
  const rulesOf = (folder: string) => {
    const read = async () => {
      const text = await textAt(join(root, folder, ".gitignore"))
      return text?.split(/\r?\n/).flatMap((line) => ruleOf(line, folder) ?? [])
    }
    const known = rules.get(folder) ?? read()
    rules.set(folder, known)
    return known
  }
  const ignored = new Set<string>()
  for (const path of paths) {
    const parts = path.split("/")
    const folders = parts.map((_, index) =>
      parts
        .slice(0, index)
        .map((part) => `${part}/`)
        .join("")
    )
    const found = await Promise.all(folders.map(rulesOf))
    if (found.includes(undefined)) return new Set(paths)
    const all = found.flatMap((those) => those ?? [])
    if (all.findLast(({ form }) => form.test(path))?.again === false) ignored.add(path)
  }
  return ignored
}

/** Those of the paths (relative to `root`, with `/`) that `.gitignore` rules leave out, or all. */
export const ignoredOf = async (root: string, paths: ReadonlyArray<string>): Promise<ReadonlySet<string>> =>
  paths.length === 0 ? new Set() : ((await byGit(root, paths)) ?? (await byRules(root, paths)))
