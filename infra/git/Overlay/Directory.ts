import { sortedByBytes } from "#domain/workspacePath.ts"
import type { Sha, SkippedEntry } from "#ports/WorkspaceStore.ts"
import { Breath } from "../Breath.ts"
import { type FileNode, mostEntries, sortName } from "../objects/tree.ts"
import type { Repository } from "../Repository.ts"

export type Node = FileNode | Directory

/**
 * A directory in memory. Only the epoch that owns it may change it in place; for any other it is as frozen as a stored
 * tree. So a savepoint costs no more than a new epoch.
 */
export interface Directory {
  readonly kind: "directory"
  readonly owner: number
  /** The name of its stored tree; `undefined` once it has changed. */
  sha: Sha | undefined
  readonly entries: Map<string, Node>
}

let epochs = 0
/** A number that no epoch of this process had before. */
export const nextEpoch = (): number => ++epochs

/** The owner of what was read from the repository. No epoch has this number, so it is never changed in place. */
const frozen = 0

/** A stored tree with all that is below it, and the entries that it hides. Throws past `mostEntries`. */
export const loadDirectory = async (
  repository: Repository,
  sha: Sha
): Promise<{ readonly root: Directory; readonly skipped: ReadonlyArray<SkippedEntry> }> => {
  const skipped: Array<SkippedEntry> = []
  const breath = new Breath()
  let count = 0
  const load = async (tree: Sha, prefix: string): Promise<Directory> => {
    await breath.take()
    const stored = await repository.tree(tree)
    count += stored.entries.size
    if (count > mostEntries) throw new Error(`a tree of more than ${mostEntries} entries can't be opened`)
    for (const { path, reason } of stored.skipped) skipped.push({ path: prefix + path, reason })
    const entries = new Map<string, Node>()
    for (const [name, node] of stored.entries) {
      entries.set(name, node.kind === "directory" ? await load(node.sha, `${prefix}${name}/`) : node)
    }
    return { kind: "directory", owner: frozen, sha: tree, entries }
  }
  const root = await load(sha, "")
  return { root, skipped }
}

const owned = (directory: Directory | undefined, epoch: number): Directory => {
  if (directory?.owner === epoch) {
    directory.sha = undefined
    return directory
  }
  return { kind: "directory", owner: epoch, sha: undefined, entries: new Map(directory?.entries) }
}

/**
 * The directory at a path, ready to be changed, and the root that holds it. Makes missing directories, and puts one in
 * the place of a file on the way.
 */
export const editable = (
  root: Directory,
  names: ReadonlyArray<string>,
  epoch: number
): { readonly root: Directory; readonly directory: Directory } => {
  const top = owned(root, epoch)
  let directory = top
  for (const name of names) {
    const child = directory.entries.get(name)
    const next = owned(child?.kind === "directory" ? child : undefined, epoch)
    directory.entries.set(name, next)
    directory = next
  }
  return { root: top, directory }
}

/** A directory's entries in byte order of their plain names, not of `sortName`. */
export const entriesByName = (directory: Directory): ReadonlyArray<readonly [string, Node]> =>
  sortedByBytes([...directory.entries], ([name]) => name)

/** Visits all below a directory in byte order of paths; a directory comes before what it holds. */
export const eachNode = (directory: Directory, prefix: string, visit: (path: string, node: Node) => void): void => {
  for (const [name, node] of sortedByBytes([...directory.entries], sortName)) {
    visit(prefix + name, node)
    if (node.kind === "directory") eachNode(node, `${prefix}${name}/`, visit)
  }
}

export interface Extent {
  readonly files: number
  readonly directories: number
  /** Of the files whose size is known. */
  readonly bytes: number
}

/** The extent of a node and all below it. */
export const extentOf = (node: Node): Extent => {
  if (node.kind !== "directory") return { files: 1, directories: 0, bytes: node.size ?? 0 }
  let [files, directories, bytes] = [0, 1, 0]
  const add = (at: Directory) => {
    for (const child of at.entries.values()) {
      if (child.kind === "directory") {
        directories++
        add(child)
      } else {
        files++
        bytes += child.size ?? 0
      }
    }
  }
  add(node)
  return { files, directories, bytes }
}
