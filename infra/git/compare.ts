import type { FileChange, Sha } from "#ports/WorkspaceStore.ts"
import { Breath } from "./Breath.ts"
import type { Directory, Node } from "./Overlay/Directory.ts"
import { nameOf } from "./Overlay/persist.ts"
import type { FileNode, TreeRef } from "./objects/tree.ts"
import type { Repository } from "./Repository.ts"
import { sortedInTurns } from "./sortedInTurns.ts"

export interface Difference extends FileChange {
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

/** Whether two nodes are known to be the same without a look at their content. */
const isSame = (a: AnyNode | undefined, b: AnyNode | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.kind === b.kind && a.sha !== undefined && a.sha === b.sha)

/** Names of entries that may differ. A directory's name ends with a slash, so that the order is that of whole paths. */
const differing = async (
  olds: ReadonlyMap<string, AnyNode>,
  news: ReadonlyMap<string, AnyNode>,
  breath: Breath
): Promise<ReadonlyArray<string>> => {
  const keys = new Set<string>()
  for (const name of new Set([...olds.keys(), ...news.keys()])) {
    await breath.take()
    const [old, now] = [olds.get(name), news.get(name)]
    if (isSame(old, now)) continue
    if (fileOf(old) !== undefined || fileOf(now) !== undefined) keys.add(name)
    if (directoryOf(old) !== undefined || directoryOf(now) !== undefined) keys.add(`${name}/`)
  }
  return sortedInTurns([...keys], (key) => key, breath)
}

/**
 * What differs between two directories, stored or in memory, in byte order of paths, found as the caller asks for it.
 * Equal directories below are not read.
 */
export const differences = async function* (
  repository: Repository,
  from: Directory | TreeRef | undefined,
  to: Directory | TreeRef | undefined
): AsyncGenerator<Difference, void, undefined> {
  const breath = new Breath()
  const visit = async function* (
    before: Directory | TreeRef | undefined,
    after: Directory | TreeRef | undefined,
    prefix: string
  ): AsyncGenerator<Difference, void, undefined> {
    if (sameDirectory(before, after)) return
    const olds = before === undefined ? new Map<string, AnyNode>() : await entriesOf(repository, before)
    const news = after === undefined ? new Map<string, AnyNode>() : await entriesOf(repository, after)
    for (const key of await differing(olds, news, breath)) {
      await breath.take()
      if (key.endsWith("/")) {
        const name = key.slice(0, -1)
        yield* visit(directoryOf(olds.get(name)), directoryOf(news.get(name)), prefix + key)
        continue
      }
      const [old, now] = [fileOf(olds.get(key)), fileOf(news.get(key))]
      if (await sameFile(old, now, breath)) continue
      const status = old === undefined ? "created" : now === undefined ? "deleted" : "modified"
      yield { path: prefix + key, status, before: old, after: now }
    }
  }
  yield* visit(from, to, "")
}

/** All `differences`, as a list. */
export const compare = async (
  repository: Repository,
  from: Directory | TreeRef | undefined,
  to: Directory | TreeRef | undefined
): Promise<ReadonlyArray<Difference>> => {
  const found: Array<Difference> = []
  for await (const difference of differences(repository, from, to)) found.push(difference)
  return found
}

/** A stored tree as `compare` takes it; `undefined` stands for an empty one. */
export const treeRef = (sha: Sha | undefined): TreeRef | undefined =>
  sha === undefined ? undefined : { kind: "directory", sha }
