import { thousands } from "#domain/text/thousands.ts"
import { contentProblem, hasReadContent, kindProblem, pathProblem, targetProblem } from "#domain/workspacePath.ts"
import { PushRefused } from "#ports/PushIntake.ts"
import type { Limits } from "../Overlay/totals.ts"
import type { Quarantine } from "./Quarantine.ts"

const kinds: { readonly [mode: string]: "file" | "executable" | "symlink" } = {
  "100644": "file",
  "100664": "file",
  "100755": "executable",
  "120000": "symlink"
}
/** The most links, `.gitmodules` and `.gitattributes` of a push that are read. */
const mostRead = 10_000
/** Bytes of one; a longer one is refused unread. */
const longestRead = 1024 * 1024
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

interface Listed {
  readonly path: string
  readonly name: string
  readonly kind: "file" | "executable" | "symlink"
  readonly sha: string
  readonly size: number
}

/** Characters of a path that a refusal quotes. */
const mostTold = 100
const refused = (path: string, problem: string) =>
  new PushRefused({ reason: `${JSON.stringify(path.slice(0, mostTold).toWellFormed())}: ${problem}` })

const decoded = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    throw refused(Buffer.from(bytes).toString(), "a name must be UTF-8")
  }
}

/** A line of `git ls-tree -l`: mode, type, hash, size, and the path behind a tab. */
const listed = (line: Buffer): Listed => {
  const tab = line.indexOf(9)
  const path = decoded(line.subarray(tab + 1))
  const [mode = "", type = "", sha = "", size = ""] = line.toString("latin1", 0, tab).split(/ +/)
  const kind = kinds[mode]
  if (type === "commit") throw refused(path, "submodules are not kept")
  if (kind === undefined) throw refused(path, `no workspace has the mode ${mode}`)
  const name = path.slice(path.lastIndexOf("/") + 1)
  const problem = pathProblem(path) ?? kindProblem(name, kind) ?? folderProblem(path)
  if (problem !== undefined) throw refused(path, problem)
  return { path, name, kind, sha, size: Number(size) }
}

const folderProblem = (path: string): string | undefined => {
  for (const name of path.split("/").slice(0, -1)) {
    const problem = kindProblem(name, "directory")
    if (problem !== undefined) return problem
  }
  return undefined
}

/** The lines of an output that each end with a NUL. Throws when the last one does not: then something is missing. */
export const linesOf = function* (out: Buffer): Generator<Buffer> {
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf(0, at)
    if (end < 0) throw new Error("git's output ends within a line")
    yield out.subarray(at, end)
    at = end + 1
  }
}

/** Bytes of the files that `to` adds to `from` or changes, each with its whole size. */
export const changedBytes = async (
  quarantine: Quarantine,
  from: string,
  to: string,
  signal: AbortSignal
): Promise<number> => {
  const raw = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to]
  // they come in pairs; the first has modes, hashes and what happened: `:100644 100644 HASH HASH M`
  const said = [...linesOf(await quarantine.need(raw, signal, "what is pushed can't be compared"))]
  const blobs = said.flatMap((line, index) => {
    const [, , , sha = "", status] = index % 2 === 0 ? line.toString("latin1").split(" ") : []
    return sha === "" || status === "D" ? [] : [`${sha}\n`]
  })
  if (blobs.length === 0) return 0
  const asking = ["cat-file", "--batch-check=%(objectsize)"]
  const sizes = await quarantine.need(asking, signal, "files", blobs.join(""))
  return sizes
    .toString("latin1")
    .trimEnd()
    .split("\n")
    .reduce((sum, size) => sum + Number(size), 0)
}

/** Checks the files that git itself reads, and where links lead, by the rules for what tools may write. */
const checkContents = async (quarantine: Quarantine, files: ReadonlyArray<Listed>, signal: AbortSignal) => {
  if (files.length > mostRead) throw new PushRefused({ reason: `more than ${mostRead} links can't be pushed` })
  const tooLong = files.find(({ size }) => size > longestRead)
  if (tooLong !== undefined) throw refused(tooLong.path, "it is longer than it may be")
  const asked = files.map(({ sha }) => `${sha}\n`).join("")
  const out = await quarantine.need(["cat-file", "--batch"], signal, "links and .git files are too long", asked)
  let at = 0
  for (const { path, name, kind, sha, size } of files) {
    const head = `${sha} blob ${size}\n`
    const begin = at + head.length
    const bytes = out.subarray(begin, begin + size)
    if (out.toString("latin1", at, begin) !== head || bytes.length < size) throw new Error("git has shown other files")
    at = begin + size + 1
    const problem = kind === "symlink" ? targetProblem(decoded(bytes)) : contentProblem(name, bytes)
    if (problem !== undefined) throw refused(path, problem)
  }
}

/** Checks the files of a commit: names, kinds, sizes and how many there are. Rejects with `PushRefused`. */
export const checkFiles = async (
  quarantine: Quarantine,
  commit: string,
  { bytes, files }: Limits,
  signal: AbortSignal
): Promise<void> => {
  const tooMany = `no workspace has more than ${thousands(files)} files, or names so long`
  const out = await quarantine.need(["ls-tree", "-r", "-l", "-z", "--full-tree", commit], signal, tooMany)
  let [count, sum] = [0, 0]
  const read: Array<Listed> = []
  for (const line of linesOf(out)) {
    const file = listed(line)
    count += 1
    sum += file.size
    if (count > files) throw new PushRefused({ reason: tooMany })
    if (sum > bytes) throw new PushRefused({ reason: `no workspace has more than ${bytes / 1024 ** 2} MiB of files` })
    if (file.kind === "symlink" || hasReadContent(file.name)) read.push(file)
  }
  if (read.length > 0) await checkContents(quarantine, read, signal)
}
