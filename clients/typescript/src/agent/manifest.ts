import { createHash } from "node:crypto"
import { constants, type Dirent } from "node:fs"
import { lstat, open, readdir, realpath } from "node:fs/promises"
import { join, relative, sep } from "node:path"

/** Bytes of a file that may be uploaded; longer ones are data. */
export const mostBytes = 262_144

/** Entries that are looked at: a session in a home folder must not wait for all of it. */
const mostEntries = 20_000
/** Files whose content is noted, so that one that was only touched counts as unchanged. */
const mostHashed = 2_000

/** Folders that hold no work of a session. */
const skipped = new Set([
  ...[".git", ".hg", ".svn", "node_modules", "bower_components", "__pycache__", ".venv", "venv", ".tox", ".nox"],
  ...[".mypy_cache", ".pytest_cache", ".ruff_cache", ".cache", ".next", ".gradle", ".idea", ".vscode", ".claude"]
])

interface Fingerprint {
  readonly size: number
  /** Milliseconds. The change time can't be set by a program, unlike the other. */
  readonly mtime: number
  readonly ctime: number
  readonly hash: string | undefined
}

/** The files below a folder: paths relative to it, with `/`. */
export interface Manifest {
  readonly files: ReadonlyMap<string, Fingerprint>
  /** Whether there was no more than could be looked at. */
  readonly whole: boolean
}

export const hashOf = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex")

/** A path below the folder as the manifest has it; `undefined` when it is not below, or in a skipped folder. */
export const below = (root: string, path: string): string | undefined => {
  const parts = relative(root, path).split(sep)
  const outside = parts[0] === "" || parts[0] === ".." || /^[A-Za-z]:$/.test(parts[0]!)
  return outside || parts.some((part) => skipped.has(part)) ? undefined : parts.join("/")
}

/** The bytes of a regular file that is no longer than may be, at no link and below no link that leaves the folder. */
export const readBelow = async (root: string, path: string): Promise<Uint8Array | undefined> => {
  try {
    if (below(root, await realpath(join(root, path))) === undefined) return undefined
    const file = await open(join(root, path), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    try {
      const { size, isFile } = await file.stat().then((stats) => ({ size: stats.size, isFile: stats.isFile() }))
      return isFile && size <= mostBytes ? await file.readFile() : undefined
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}

/** What lies below a folder, without links, skipped folders and the folder `except`. `root` is a real path. */
export const manifestOf = async (root: string, except: string | undefined): Promise<Manifest> => {
  const files = new Map<string, Fingerprint>()
  const folders = [root]
  let entries = 0
  let hashed = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const found: ReadonlyArray<Dirent> = await readdir(folder, { withFileTypes: true }).catch(() => [])
    for (const entry of found) {
      if (++entries > mostEntries) return { files, whole: false }
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !skipped.has(entry.name) && path !== except) folders.push(path)
      if (!entry.isFile()) continue
      const stats = await lstat(path).catch(() => undefined)
      if (stats === undefined) continue
      const name = relative(root, path).split(sep).join("/")
      const bytes = stats.size <= mostBytes && hashed++ < mostHashed ? await readBelow(root, name) : undefined
      files.set(name, { size: stats.size, mtime: stats.mtimeMs, ctime: stats.ctimeMs, hash: bytes && hashOf(bytes) })
    }
  }
  return { files, whole: true }
}

/** The files that are new or have another content. Without a whole manifest of before nobody can say. */
export const changedSince = (before: Manifest, after: Manifest): ReadonlyArray<string> =>
  before.whole
    ? [...after.files].flatMap(([path, now]) => {
        const then = before.files.get(path)
        if (then === undefined) return [path]
        if (then.size === now.size && then.mtime === now.mtime && then.ctime === now.ctime) return []
        return then.hash !== undefined && then.hash === now.hash ? [] : [path]
      })
    : []
