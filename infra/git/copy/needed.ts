import type { Sha } from "#ports/WorkspaceStore.ts"
import { Breath } from "../Breath.ts"
import { parseCommit } from "../objects/commit.ts"
import type { ObjectType } from "../objects/object.ts"
import { readObject } from "../objects/read.ts"
import { emptyTree } from "../objects/tree.ts"

/** An object that is to go into a pack. */
export interface Needed {
  readonly sha: Sha
  readonly type: ObjectType
}

/** There is no such object, or it is not what its name says. */
export class Unreadable extends Error {
  override readonly name = "Unreadable"
  readonly sha: Sha

  constructor(sha: Sha) {
    super(`object ${sha} is missing or damaged`)
    this.sha = sha
  }
}

const read = async (gitdir: string, sha: Sha, type: ObjectType): Promise<Uint8Array> => {
  const object = await readObject(gitdir, sha)
  if (object === undefined && sha === emptyTree.sha) return new Uint8Array()
  if (object?.type !== type) throw new Unreadable(sha)
  return object.content
}

const directory = 0o040000
const submodule = 0o160000

/** All objects that a tree names, even under names that no workspace may have: a backup leaves nothing out. */
function* entriesOf(content: Uint8Array): Generator<Needed> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length)
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const nul = bytes.indexOf(0, space)
    if (space < 0 || nul < 0 || nul + 21 > bytes.length) throw new Error("a tree ends too early")
    const kind = Number.parseInt(bytes.toString("latin1", at, space), 8) & 0o170000
    // a submodule's commit is in another repository
    if (kind !== submodule)
      yield { sha: bytes.toString("hex", nul + 1, nul + 21), type: kind === directory ? "tree" : "blob" }
    at = nul + 21
  }
}

/** Adds a tree and all below it to `known`. A tree that is known already is not read again. */
const walk = async (gitdir: string, root: Sha, known: Map<Sha, ObjectType>, breath: Breath): Promise<void> => {
  const trees = [root]
  for (let tree = trees.pop(); tree !== undefined; tree = trees.pop()) {
    if (known.has(tree)) continue
    known.set(tree, "tree")
    for (const { sha, type } of entriesOf(await read(gitdir, tree, "tree"))) {
      if (known.has(sha)) continue
      if (type === "tree") trees.push(sha)
      else known.set(sha, type)
    }
    await breath.take()
  }
}

/**
 * What a commit and its ancestors back to `since` need, in the order of a pack (commits first), without what the tree
 * of `since` has. What only earlier trees had, and came back, is listed again, which does no harm.
 */
export const neededBy = async (gitdir: string, since: Sha | undefined, commit: Sha): Promise<ReadonlyArray<Needed>> => {
  const breath = new Breath()
  const had = new Map<Sha, ObjectType>()
  if (since !== undefined) {
    const { tree } = parseCommit(since, await read(gitdir, since, "commit"))
    await walk(gitdir, tree, had, breath)
  }
  const known = new Map(had)
  const commits: Array<Needed> = []
  const left = [commit]
  const seen = new Set(since === undefined ? [] : [since])
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    commits.push({ sha: next, type: "commit" })
    const { parents, tree } = parseCommit(next, await read(gitdir, next, "commit"))
    await walk(gitdir, tree, known, breath)
    left.push(...parents)
  }
  const others = [...known].flatMap(([sha, type]) => (had.has(sha) ? [] : [{ sha, type }]))
  return [...commits, ...others]
}
