import type { Sha } from "#ports/WorkspaceStore.ts"
import { Breath } from "../Breath.ts"
import { type NewObject, nameOfContent, newObject } from "../objects/object.ts"
import { type FileNode, formatTree, type StoredTree, sortName, type TreeRef } from "../objects/tree.ts"
import type { Repository } from "../Repository.ts"
import { sortedInTurns } from "../sortedInTurns.ts"
import type { Directory } from "./Directory.ts"

/** The name of the blob that a file's content is, or will be once stored. */
export const nameOf = async (node: FileNode, breath: Breath): Promise<Sha> =>
  (node.sha ??= await nameOfContent("blob", node.bytes!, breath))

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

const blobsOf = async (nodes: ReadonlyArray<FileNode>): Promise<Array<NewObject>> => {
  const breath = new Breath()
  const contents = nodes.map(({ bytes }) => bytes!)
  const blobs: Array<NewObject> = []
  for (const [index, node] of nodes.entries()) {
    blobs.push({ sha: await nameOf(node, breath), type: "blob", content: contents[index]! })
  }
  return blobs
}

const letGo = (repository: Repository, nodes: ReadonlyArray<FileNode>) => {
  for (const node of nodes) {
    repository.keepBlob(node.sha!, node.bytes!)
    node.bytes = undefined
  }
}

/** Stores the content of new files, which then leaves memory. */
export const persistBlobs = async (repository: Repository, root: Directory): Promise<void> => {
  const nodes = unstored(root)
  await repository.write(await blobsOf(nodes))
  letGo(repository, nodes)
}

/** Stores new content and the changed trees, and gives the root's name. Leaves out directories that hold no file. */
export const persist = async (repository: Repository, root: Directory): Promise<Sha> => {
  const nodes = unstored(root)
  const objects = await blobsOf(nodes)
  const written: Array<readonly [Directory, StoredTree]> = []

  const breath = new Breath()
  const refOf = async (directory: Directory): Promise<TreeRef | undefined> => {
    await breath.take()
    if (directory.sha !== undefined) return { kind: "directory", sha: directory.sha }
    const unsorted: Array<readonly [string, FileNode | TreeRef]> = []
    for (const [name, node] of directory.entries) {
      const entry = node.kind === "directory" ? await refOf(node) : node
      if (entry !== undefined) unsorted.push([name, entry])
    }
    if (unsorted.length === 0 && directory !== root) return undefined
    await breath.take()
    const entries = await sortedInTurns(unsorted, sortName, breath)
    const object = newObject("tree", await formatTree(entries, breath))
    objects.push(object)
    await breath.take()
    written.push([directory, { sha: object.sha, entries: new Map(entries), skipped: [] }])
    return { kind: "directory", sha: object.sha }
  }

  const tree = (await refOf(root))!
  await repository.write(objects)
  letGo(repository, nodes)
  for (const [directory, stored] of written) {
    directory.sha = stored.sha
    repository.keepTree(stored)
  }
  return tree.sha
}
