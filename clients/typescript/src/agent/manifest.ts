import { createHash } from "node:crypto"
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from "node:fs"
import { realpath } from "node:fs/promises"
import { join, relative, sep } from "node:path"

/** Bytes of a file that may be uploaded; longer ones are data. */
export const mostBytes = 262_144

/** What is looked at at most, and for how long: a session in a home folder must not wait for all of it. */
const mostEntries = 100_000
const mostMilliseconds = 2_000
/** Files and bytes whose content is noted, so that one that was only touched or moved counts as unchanged. */
const mostHashed = 5_000
const mostHashedBytes = 33_554_432
/** Milliseconds after which others have their turn. */
const slice = 8

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

/** A path below the folder as the manifest has it; `undefined` when it is not below, or in a skipped folder. */
export const below = (root: string, path: string): string | undefined => {
  const parts = relative(root, path).split(sep)
  const outside = parts[0] === "" || parts[0] === ".." || /^[A-Za-z]:$/.test(parts[0]!)
  return outside || parts.some((part) => skipped.has(part)) ? undefined : parts.join("/")
}

/** The bytes of a regular file that is no longer than may be, at no link. A pipe holds nobody up. */
export const readFile = (path: string, most: number = mostBytes): Buffer | undefined => {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    try {
      const stats = fstatSync(file)
      if (!stats.isFile() || stats.size > most) return undefined
      const bytes = readFileSync(file)
      return bytes.length > most ? undefined : bytes
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}

/** The same of a path as the manifest has it; not below a link that leaves the folder. */
export const readBelow = async (root: string, path: string): Promise<Uint8Array | undefined> => {
  const real = await realpath(join(root, path)).catch(() => undefined)
  return real === undefined || below(root, real) === undefined ? undefined : readFile(join(root, path))
}

const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex")

const isSame = (one: Fingerprint, { size, mtime, ctime }: Fingerprint): boolean =>
  one.size === size && one.mtime === mtime && one.ctime === ctime

/**
 * What lies below a folder, without links, skipped folders and the folder `except`. `root` is a real path. What is
 * `known` of a file that has not changed since is not read again.
 *
 * Synchronous calls in slices: they take a tenth of the time that promises do, and a prompt waits for this.
 */
export const manifestOf = async (root: string, except: string | undefined, known?: Manifest): Promise<Manifest> => {
  const files = new Map<string, Fingerprint>()
  const ends = performance.now() + mostMilliseconds
  let yielded = performance.now()
  let entries = 0
  let hashed = 0
  let bytes = 0
  const hashOf = (path: string, size: number): string | undefined => {
    if (size > mostBytes || hashed >= mostHashed || bytes + size > mostHashedBytes) return undefined
    const content = readFile(path)
    hashed++
    bytes += content?.length ?? 0
    return content && sha256(content)
  }
  const note = (path: string, name: string): void => {
    try {
      const { size, mtimeMs: mtime, ctimeMs: ctime } = lstatSync(path)
      const before = known?.files.get(name)
      const now: Fingerprint = { size, mtime, ctime, hash: undefined }
      files.set(name, before && isSame(before, now) ? before : { ...now, hash: hashOf(path, size) })
    } catch {
      // gone meanwhile, or of a name that is no text
    }
  }
  const folders = [""]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(join(root, folder))) {
      const name = `${folder}${entry.name}`
      const path = join(root, name)
      if (++entries > mostEntries) return { files, whole: false }
      if (entry.isDirectory() && !skipped.has(entry.name) && path !== except) folders.push(`${name}/`)
      if (entry.isFile()) note(path, name)
      if (performance.now() - yielded < slice) continue
      if (performance.now() > ends) return { files, whole: false }
      await new Promise((resolve) => setImmediate(resolve))
      yielded = performance.now()
    }
  }
  return { files, whole: true }
}

/** The same of single files, by the paths as they are given; those that are gone are left out. */
export const manifestOfFiles = (paths: ReadonlyArray<string>): Manifest => {
  const files = new Map<string, Fingerprint>()
  for (const path of paths) {
    try {
      const { size, mtimeMs: mtime, ctimeMs: ctime } = lstatSync(path)
      const content = readFile(path)
      files.set(path, { size, mtime, ctime, hash: content && sha256(content) })
    } catch {
      // gone meanwhile
    }
  }
  return { files, whole: true }
}

/** Two of different files as one. */
export const withFiles = (one: Manifest, other: Manifest): Manifest => ({
  files: new Map([...one.files, ...other.files]),
  whole: one.whole && other.whole
})

/**
 * What the next look needs of one that has had its time: what it read, so that it is not read again, and no more of
 * that than is read at once. A session that rests must not hold what a large folder takes.
 */
export const remembered = ({ files, whole }: Manifest): Manifest => ({
  files: new Map(whole ? [...files].filter(([, { hash }]) => hash !== undefined).slice(0, mostHashed) : []),
  whole
})

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/**
 * When a file was changed. Some runtimes know the change time by its second only: then the other one says more of it.
 */
const changedAt = ({ mtime, ctime }: Fingerprint): number => (mtime - (mtime % 1_000) === ctime ? mtime : ctime)

/**
 * The files that got another content at a time that `during` tells. Not those that were only touched, moved or copied;
 * and without a whole manifest of before nobody can say.
 */
export const changedSince = (
  before: Manifest,
  after: Manifest,
  during: (milliseconds: number) => boolean
): ReadonlyArray<string> => {
  if (!before.whole) return []
  const contents = new Set([...before.files.values()].map(({ hash }) => hash))
  contents.delete(undefined)
  return [...after.files].flatMap(([path, now]) => {
    const then = before.files.get(path)
    if (then !== undefined && isSame(then, now)) return []
    return contents.has(now.hash) || !during(changedAt(now)) ? [] : [path]
  })
}
