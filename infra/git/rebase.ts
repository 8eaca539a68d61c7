import type { Sha } from "#ports/WorkspaceStore.ts"
import { compare, treeRef } from "./compare.ts"
import { type Directory, editable, loadDirectory, nextEpoch } from "./Overlay/Directory.ts"
import { persist } from "./Overlay/persist.ts"
import type { Repository } from "./Repository.ts"

const has = (root: Directory, names: ReadonlyArray<string>): "file" | "directory" | undefined => {
  let node = root as ReturnType<Directory["entries"]["get"]>
  for (const name of names) node = node?.kind === "directory" ? node.entries.get(name) : undefined
  return node === undefined ? undefined : node.kind === "directory" ? "directory" : "file"
}

/**
 * The tree `onto` with the changes from `base` to `tree`, path by path. The changes win: a changed file replaces a
 * directory, and directories on its path replace files. A deleted path is removed only where it is still a file.
 */
export const rebase = async (repository: Repository, base: Sha | undefined, tree: Sha, onto: Sha): Promise<Sha> => {
  const differences = await compare(repository, treeRef(base), treeRef(tree))
  const epoch = nextEpoch()
  let { root } = await loadDirectory(repository, onto)
  for (const { path, before, after } of differences) {
    const names = path.split("/")
    if (after !== undefined || before === undefined || has(root, names) !== "file") continue
    const edited = editable(root, names.slice(0, -1), epoch)
    root = edited.root
    edited.directory.entries.delete(names.at(-1)!)
  }
  for (const { path, after } of differences) {
    if (after === undefined) continue
    const names = path.split("/")
    const edited = editable(root, names.slice(0, -1), epoch)
    root = edited.root
    edited.directory.entries.set(names.at(-1)!, after)
  }
  return persist(repository, root)
}
