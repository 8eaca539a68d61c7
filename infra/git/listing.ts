import type { Sha, TreeFile } from "#ports/WorkspaceStore.ts"
import { Breath } from "./Breath.ts"
import { type FileNode, modeOf } from "./objects/tree.ts"
import type { Repository } from "./Repository.ts"

/** What goes out together: rows, and characters of their paths. */
const rowsAtOnce = 500
const charactersAtOnce = 64 * 1024

/** A tree from outside may name itself a thousandfold: no more than this is looked at. */
const mostEntries = 1_000_000

export const treeFile = async (repository: Repository, path: string, node: FileNode): Promise<TreeFile> => ({
  path,
  mode: modeOf(node.kind),
  size: await repository.size(node),
  sha: node.sha!
})

interface ListedFile {
  readonly path: string
  readonly node: FileNode
}

/** Where the files of a tree are, in byte order of paths, read as they are asked for: of a long list only its place in the tree is kept. */
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
    // git's order, which is that of whole paths
    for (const [name, node] of entries) {
      await breath.take()
      if (node.kind === "directory") yield* visit(node.sha, `${prefix}${name}/`)
      else yield { path: prefix + name, node }
    }
  }
  yield* visit(tree, "")
}

/** The same files, with what they are. */
export const filesOf = async function* (repository: Repository, tree: Sha): AsyncGenerator<TreeFile, void, undefined> {
  for await (const { path, node } of placesOf(repository, tree)) yield await treeFile(repository, path, node)
}

/** Batches of what has a path, of so many rows and characters. */
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
