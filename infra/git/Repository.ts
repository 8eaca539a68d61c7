import { type Commit, type CommitInfo, MissingObject, type Sha } from "#ports/WorkspaceStore.ts"
import { readText, replace } from "../durableFs.ts"
import type { Cache } from "./cache.ts"
import { formatCommit, parseCommit } from "./objects/commit.ts"
import { pieceBytes, piecesOf } from "./objects/compressed.ts"
import { type NewObject, newObject } from "./objects/object.ts"
import { hasObject, objectSize, openObject, readObject } from "./objects/read.ts"
import { emptyTree, type FileNode, parseTree, type StoredTree } from "./objects/tree.ts"
import { writeObjects } from "./objects/write.ts"

/** Objects of all repositories that are kept in memory, by `<workspace>/<sha>`: no workspace sees another's. */
export interface Caches {
  readonly trees: Cache<StoredTree>
  readonly blobs: Cache<Uint8Array>
}

/** A larger blob is not kept, but read each time. */
const keptBlobBytes = 256 * 1024
/** Bytes that a kept blob takes besides its content. */
const besideBlob = 200
/** The one ref of a repository. */
export const main = "refs/heads/main"

/** The commit that `main` names; `undefined`: there is none yet. */
export const refOf = (gitdir: string): Sha | undefined => {
  const loose = readText(`${gitdir}/${main}`)?.trim()
  if (loose !== undefined) return loose
  // `git pack-refs` moves refs here
  const packed = readText(`${gitdir}/packed-refs`)?.split("\n")
  return packed?.find((line) => line.endsWith(` ${main}`))?.slice(0, 40)
}

/** One workspace's bare repository, which must exist for all but `ref`. */
export class Repository {
  readonly gitdir: string
  readonly #workspace: string
  readonly #caches: Caches

  constructor(gitdir: string, workspace: string, caches: Caches) {
    this.gitdir = gitdir
    this.#workspace = workspace
    this.#caches = caches
  }

  #key(sha: Sha): string {
    return `${this.#workspace}/${sha}`
  }

  async tree(sha: Sha): Promise<StoredTree> {
    if (sha === emptyTree.sha) return emptyTree
    const known = this.#caches.trees.get(this.#key(sha))
    if (known !== undefined) return known
    const read = await readObject(this.gitdir, sha)
    if (read?.type !== "tree") throw new MissingObject(`workspace ${this.#workspace} has no tree ${sha}`)
    const tree = await parseTree(sha, read.content)
    this.keepTree(tree)
    return tree
  }

  keepTree(tree: StoredTree): void {
    this.#caches.trees.set(this.#key(tree.sha), tree, { size: tree.entries.size + 1 })
  }

  /** A blob's content, which the caller must not change. */
  async blob(sha: Sha): Promise<Uint8Array> {
    const known = this.#caches.blobs.get(this.#key(sha))
    if (known !== undefined) return known
    const read = await readObject(this.gitdir, sha)
    if (read?.type !== "blob") throw new MissingObject(`workspace ${this.#workspace} has no blob ${sha}`)
    return this.keepBlob(sha, read.content)
  }

  /**
   * Bytes in memory while `pieces` reads a blob of this size: all of a blob small enough to be kept, twice the size of
   * one that is stored as a delta, none of any other.
   */
  async bytesAtOnce(sha: Sha, size: number): Promise<number> {
    if (size <= keptBlobBytes) return size
    const opened = await openObject(this.gitdir, sha)
    await opened?.file.close()
    // what is stored of it, and the blob itself
    return opened === undefined ? 2 * size : 0
  }

  async *pieces(sha: Sha, size: number): AsyncGenerator<Uint8Array, void, undefined> {
    const opened = size <= keptBlobBytes ? undefined : await openObject(this.gitdir, sha)
    if (opened !== undefined) return yield* piecesOf(opened)
    const whole = await this.blob(sha)
    for (let at = 0; at < whole.length; at += pieceBytes) yield whole.subarray(at, at + pieceBytes)
  }

  /** Keeps a small blob in memory. Gives back its content: the kept one, where there is one. */
  keepBlob(sha: Sha, content: Uint8Array): Uint8Array {
    if (content.length > keptBlobBytes) return content
    // a view of a larger buffer would keep all of that buffer
    const own = content.buffer.byteLength > content.length + besideBlob ? new Uint8Array(content) : content
    this.#caches.blobs.set(this.#key(sha), own, { size: own.length + besideBlob })
    return own
  }

  content(node: FileNode): Promise<Uint8Array> {
    return node.bytes === undefined ? this.blob(node.sha!) : Promise.resolve(node.bytes)
  }

  /** Bytes of a file's content, which the node remembers. */
  async size(node: FileNode): Promise<number> {
    if (node.size !== undefined) return node.size
    const size = node.bytes?.length ?? (await objectSize(this.gitdir, node.sha!))
    if (size === undefined) throw new MissingObject(`workspace ${this.#workspace} has no blob ${node.sha}`)
    node.size = size
    return size
  }

  /** Stores objects, each of which must come after those that it names. */
  write(objects: ReadonlyArray<NewObject>): Promise<void> {
    return writeObjects(this.gitdir, objects)
  }

  async commit(info: CommitInfo): Promise<Sha> {
    const named = [info.tree, ...info.parents].filter((sha) => sha !== emptyTree.sha)
    for (const sha of named) {
      if (!(await hasObject(this.gitdir, sha)))
        throw new MissingObject(`workspace ${this.#workspace} has no object ${sha}`)
    }
    const commit = newObject("commit", formatCommit(info))
    const tree = info.tree === emptyTree.sha ? [newObject("tree", new Uint8Array())] : []
    await this.write([...tree, commit])
    return commit.sha
  }

  async readCommit(sha: Sha): Promise<Commit | undefined> {
    const read = await readObject(this.gitdir, sha)
    return read?.type === "commit" ? parseCommit(sha, read.content) : undefined
  }

  ref(): Sha | undefined {
    return refOf(this.gitdir)
  }

  async moveRef(commit: Sha): Promise<void> {
    if ((await this.readCommit(commit)) === undefined) {
      throw new MissingObject(`workspace ${this.#workspace} has no commit ${commit}`)
    }
    // also when the ref is there already: its writer may have been killed before it was durable
    await replace(this.gitdir, `${this.gitdir}/refs/heads`, "main", Buffer.from(`${commit}\n`))
  }
}
