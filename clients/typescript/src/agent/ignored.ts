import { readFile } from "node:fs/promises"
import { join } from "node:path"

/** What git says of the paths; `undefined` where there is no git, or no repository. */
const byGit = async (root: string, paths: ReadonlyArray<string>): Promise<ReadonlySet<string> | undefined> => {
  const { spawn } = await import("node:child_process")
  return new Promise((resolve) => {
    try {
      // a file that is in the index and ignored is ignored here: rather one too few than one too many. The repository
      // is the session's: it must not name a program to run. Neither is it another one's, which a program that git
      // itself started has in its environment.
      const args = ["-c", "core.fsmonitor=false", "check-ignore", "--no-index", "-z", "--stdin"]
      const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")))
      // `timeout` would hold a program up that ends where there is no git
      const signal = AbortSignal.timeout(10_000)
      const git = spawn("git", args, { cwd: root, env, stdio: ["pipe", "pipe", "ignore"], signal })
      // before anything else: where no process could be made there are no pipes either, and this comes a tick later
      git.on("error", () => resolve(undefined))
      if (!git.stdout || !git.stdin) return
      const chunks: Array<Uint8Array> = []
      git.stdout.on("data", (chunk: Uint8Array) => chunks.push(chunk))
      git.stdin.on("error", () => {})
      git.on("close", (code) =>
        resolve(code === 0 || code === 1 ? new Set(Buffer.concat(chunks).toString("utf8").split("\0")) : undefined)
      )
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

/**
 * The same without git, for the rules that people write: `*`, `**`, `?`, `!`, `/`; of all folders on the way to a file.
 */
const byRules = async (root: string, paths: ReadonlyArray<string>): Promise<ReadonlySet<string>> => {
  const rules = new Map<string, Promise<ReadonlyArray<Rule>>>()
  const rulesOf = (folder: string) => {
    const read = async () => {
      const text = await readFile(join(root, folder, ".gitignore"), "utf8").catch(({ code }) =>
        // of one that can't be read, such as without a free file descriptor, nobody knows what it leaves out
        code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR" ? "" : "*"
      )
      return text.split(/\r?\n/).flatMap((line) => ruleOf(line, folder) ?? [])
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
    const all = (await Promise.all(folders.map(rulesOf))).flat()
    if (all.findLast(({ form }) => form.test(path))?.again === false) ignored.add(path)
  }
  return ignored
}

/** Those of the paths (relative to `root`, with `/`) that `.gitignore` rules leave out. */
export const ignoredOf = async (root: string, paths: ReadonlyArray<string>): Promise<ReadonlySet<string>> =>
  paths.length === 0 ? new Set() : ((await byGit(root, paths)) ?? (await byRules(root, paths)))
