import type { Sha } from "#ports/Workspaces.ts"
import { type NewObject, newObject, objectName } from "../objects.ts"
import type { Repository } from "../Repository.ts"
import { compareEntries, type FileNode, formatTree, type StoredTree, type TreeRef } from "../tree.ts"
import type { Directory } from "./Directory.ts"

/** The name that a file's content has or will have. */
export const blobName = (node: FileNode): Sha => (node.sha ??= objectName("blob", node.bytes!))

const unstored = (root: Directory): Array<FileNode> => {
  const found: Array<FileNode> = []
  const visit = (directory: Directory) => {
    if (directory.sha !== undefined) return
    for (const node of directory.entries.values()) {
      if (node.kind === "directory") visit(node)
      else if (node.bytes !== undefined) found.push(node)
    }
  }
  visit(root)
  return found
}

const blobOf = (node: FileNode): NewObject => ({ sha: blobName(node), type: "blob", content: node.bytes! })

const letGo = (repository: Repository, nodes: ReadonlyArray<FileNode>) => {
  for (const node of nodes) {
    repository.keepBlob(node.sha!, node.bytes!)
    node.bytes = undefined
  }
}

/** Stores the content of new files, which leaves memory. */
export const persistBlobs = async (repository: Repository, root: Directory): Promise<void> => {
  const nodes = unstored(root)
  await repository.write(nodes.map(blobOf))
  letGo(repository, nodes)
}

/** Stores new content and the trees on the way to it; directories that hold no file are left out. */
export const persist = async (repository: Repository, root: Directory): Promise<Sha> => {
  const nodes = unstored(root)
  const objects = nodes.map(blobOf)
  const written: Array<readonly [Directory, StoredTree]> = []

  const refOf = (directory: Directory): TreeRef | undefined => {
    if (directory.sha !== undefined) return { kind: "directory", sha: directory.sha }
    const entries: Array<readonly [string, FileNode | TreeRef]> = []
    for (const [name, node] of directory.entries) {
      const entry = node.kind === "directory" ? refOf(node) : node
      if (entry !== undefined) entries.push([name, entry])
    }
    if (entries.length === 0 && directory !== root) return undefined
    entries.sort(compareEntries)
    const object = newObject("tree", formatTree(entries))
    objects.push(object)
    written.push([directory, { sha: object.sha, entries: new Map(entries), skipped: [] }])
    return { kind: "directory", sha: object.sha }
  }

  const tree = refOf(root)!
  await repository.write(objects)
  letGo(repository, nodes)
  for (const [directory, stored] of written) {
    directory.sha = stored.sha
    repository.keepTree(stored)
  }
  return tree.sha
}
