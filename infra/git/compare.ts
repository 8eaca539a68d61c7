import { sortedByBytes } from "#domain/workspacePath.ts"
import type { Change, Sha } from "#ports/Workspaces.ts"
import { Breath } from "./Breath.ts"
import type { Directory, Node } from "./Overlay/Directory.ts"
import { nameOf } from "./Overlay/persist.ts"
import type { Repository } from "./Repository.ts"
import type { FileNode, TreeRef } from "./tree.ts"

export interface Difference extends Change {
  readonly before: FileNode | undefined
  readonly after: FileNode | undefined
}

type AnyNode = Node | TreeRef

const entriesOf = async (repository: Repository, node: Directory | TreeRef): Promise<ReadonlyMap<string, AnyNode>> =>
  "entries" in node ? node.entries : (await repository.tree(node.sha)).entries

const directoryOf = (node: AnyNode | undefined): Directory | TreeRef | undefined =>
  node?.kind === "directory" ? node : undefined
const fileOf = (node: AnyNode | undefined): FileNode | undefined => (node?.kind === "directory" ? undefined : node)

const sameDirectory = (a: Directory | TreeRef | undefined, b: Directory | TreeRef | undefined): boolean =>
  a === b || (a?.sha !== undefined && a.sha === b?.sha)

const sameFile = async (a: FileNode | undefined, b: FileNode | undefined, breath: Breath): Promise<boolean> =>
  a === b ||
  (a !== undefined && b !== undefined && a.kind === b.kind && (await nameOf(a, breath)) === (await nameOf(b, breath)))

/** What differs between two directories, stored or in memory, in byte order of paths; equal ones below are not read. */
export const compare = async (
  repository: Repository,
  from: Directory | TreeRef | undefined,
  to: Directory | TreeRef | undefined
): Promise<ReadonlyArray<Difference>> => {
  const found: Array<Difference> = []
  const breath = new Breath()
  const visit = async (
    before: Directory | TreeRef | undefined,
    after: Directory | TreeRef | undefined,
    prefix: string
  ): Promise<void> => {
    if (sameDirectory(before, after)) return
    const olds = before === undefined ? new Map<string, AnyNode>() : await entriesOf(repository, before)
    const news = after === undefined ? new Map<string, AnyNode>() : await entriesOf(repository, after)
    for (const name of new Set([...olds.keys(), ...news.keys()])) {
      const [old, now] = [olds.get(name), news.get(name)]
      if (old === now) continue
      await breath.take()
      const path = prefix + name
      const [oldFile, newFile] = [fileOf(old), fileOf(now)]
      if (!(await sameFile(oldFile, newFile, breath))) {
        const status = oldFile === undefined ? "created" : newFile === undefined ? "deleted" : "modified"
        found.push({ path, status, before: oldFile, after: newFile })
      }
      await visit(directoryOf(old), directoryOf(now), `${path}/`)
    }
  }
  await visit(from, to, "")
  return sortedByBytes(found, ({ path }) => path)
}

export const treeRef = (sha: Sha | undefined): TreeRef | undefined =>
  sha === undefined ? undefined : { kind: "directory", sha }
