import { turn } from "#ports/turn.ts"
import { WorkspaceFull } from "#ports/WorkspaceStore.ts"
import type { FileNode } from "../objects/tree.ts"
import type { Repository } from "../Repository.ts"
import { type Directory, type Extent, eachNode, extentOf, type Node } from "./Directory.ts"

export interface Limits {
  readonly bytes: number
  /** Of files and links. Directories have the same limit, counted apart. */
  readonly files: number
}

export const defaultLimits: Limits = { bytes: 1024 ** 3, files: 50_000 }

/** What a view holds. */
export interface Totals {
  readonly files: number
  readonly directories: number
  /** An upper bound; `undefined`: not known yet. */
  readonly bytes: number | undefined
  /** Whether `bytes` is the exact sum. */
  readonly exact: boolean
}

export const nothing: Extent = { files: 0, directories: 0, bytes: 0 }

/** Sizes that are read before other requests get their turn. */
const sizesAtOnce = 64

/** Adds up the sizes of all files. To read a size for the first time costs about 20 µs. */
const measure = async (repository: Repository, root: Directory): Promise<number> => {
  const nodes: Array<FileNode> = []
  eachNode(root, "", (_, node) => {
    if (node.kind !== "directory") nodes.push(node)
  })
  let [sum, read] = [0, 0]
  for (const node of nodes) {
    if (node.size === undefined && ++read % sizesAtOnce === 0) await turn()
    sum += await repository.size(node)
  }
  return sum
}

const full = (what: string, count: number, limit: number) =>
  new WorkspaceFull({
    message: `The workspace would hold ${count} ${what}; it may hold ${limit}. Nothing was changed: remove something first.`
  })

/**
 * The totals once `added` has replaced `gone`; throws `WorkspaceFull`. While the bound on the bytes is within the
 * limit, nothing is measured: a removed file whose size is not known yet still counts. A change that makes an overfull
 * workspace smaller is always allowed.
 */
export const afterChange = async (
  repository: Repository,
  root: Directory,
  limits: Limits,
  before: Totals,
  added: Extent,
  gone: Node | undefined
): Promise<Totals> => {
  const removed = gone === undefined ? nothing : extentOf(gone)
  const files = before.files + added.files - removed.files
  const directories = before.directories + added.directories - removed.directories
  if (files > limits.files && files > before.files) throw full("files", files, limits.files)
  if (directories > limits.files && directories > before.directories) {
    throw full("directories", directories, limits.files)
  }
  const growth = added.bytes - removed.bytes
  const next = before.bytes === undefined ? undefined : before.bytes + growth
  if (before.exact || growth <= 0 || (next !== undefined && next <= limits.bytes)) {
    if (growth > 0 && next! > limits.bytes) throw full("bytes", next!, limits.bytes)
    return { files, directories, bytes: next, exact: before.exact }
  }
  const bytes = (await measure(repository, root)) + added.bytes - (gone === undefined ? 0 : extentOf(gone).bytes)
  if (bytes > limits.bytes) throw full("bytes", bytes, limits.bytes)
  return { files, directories, bytes, exact: true }
}
