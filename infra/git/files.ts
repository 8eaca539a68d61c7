import type { Sha, TreeFile } from "#ports/WorkspaceStore.ts"
import { Breath } from "./Breath.ts"
import { type FileNode, modeOf, mostEntries } from "./objects/tree.ts"
import type { Repository } from "./Repository.ts"

/** Bounds of a batch: rows, and characters of their paths. */
const rowsAtOnce = 500
const charactersAtOnce = 64 * 1024

/** A file as the port describes it. Its size may have to be read. */
export const treeFile = async (repository: Repository, path: string, node: FileNode): Promise<TreeFile> => ({
  path,
  mode: modeOf(node.kind),
  size: await repository.size(node),
  sha: node.sha!
})

/** The file at a path of a tree; `undefined`: there is none. */
export const fileAt = async (repository: Repository, tree: Sha, path: string): Promise<FileNode | undefined> => {
  const names = path.split("/")
  let directory = await repository.tree(tree)
  for (const name of names.slice(0, -1)) {
    const child = directory.entries.get(name)
    if (child?.kind !== "directory") return undefined
    directory = await repository.tree(child.sha)
  }
  const node = directory.entries.get(names.at(-1)!)
  return node === undefined || node.kind === "directory" ? undefined : node
}

/** A file of a tree with a copy of its bytes, which the caller may change; `undefined`: there is no such file. */
export const readFile = async (repository: Repository, tree: Sha, path: string) => {
  const node = await fileAt(repository, tree, path)
  if (node === undefined) return undefined
  const bytes = new Uint8Array(await repository.content(node))
  return { file: await treeFile(repository, path, node), bytes }
}

/** A file's name, size, and bytes in memory while it is read in pieces; `undefined`: there is no such file. */
export const sizedFile = async (repository: Repository, tree: Sha, path: string) => {
  const node = await fileAt(repository, tree, path)
  if (node === undefined) return undefined
  const size = await repository.size(node)
  return { sha: node.sha!, size, atOnce: await repository.bytesAtOnce(node.sha!, size) }
}

interface ListedFile {
  readonly path: string
  readonly node: FileNode
}

/**
 * The files of a tree with their paths, in byte order of paths, read as the caller asks for them. Memory holds only the
 * place in the tree, not the list.
 */
export const placesOf = async function* (
  repository: Repository,
  tree: Sha
): AsyncGenerator<ListedFile, void, undefined> {
  const breath = new Breath()
  let count = 0
  const visit = async function* (sha: Sha, prefix: string): AsyncGenerator<ListedFile, void, undefined> {
    const { entries } = await repository.tree(sha)
    count += entries.size
    if (count > mostEntries) throw new Error(`a tree of more than ${mostEntries} entries can't be listed`)
    // git's order of entries gives whole paths in byte order
    for (const [name, node] of entries) {
      await breath.take()
      if (node.kind === "directory") yield* visit(node.sha, `${prefix}${name}/`)
      else yield { path: prefix + name, node }
    }
  }
  yield* visit(tree, "")
}

/** The same files, as the port describes them. */
export const filesOf = async function* (repository: Repository, tree: Sha): AsyncGenerator<TreeFile, void, undefined> {
  for await (const { path, node } of placesOf(repository, tree)) yield await treeFile(repository, path, node)
}

/** Rows in batches, each ended by `rowsAtOnce` rows or `charactersAtOnce` characters of their paths. */
export const batched = async function* <A extends { readonly path: string }>(
  rows: AsyncIterable<A>
): AsyncGenerator<ReadonlyArray<A>, void, undefined> {
  let batch: Array<A> = []
  let characters = 0
  for await (const row of rows) {
    batch.push(row)
    characters += row.path.length
    if (batch.length < rowsAtOnce && characters < charactersAtOnce) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}
