import { contentProblem, hasReadContent, kindProblem, pathProblem } from "#domain/workspacePath.ts"
import { PathRefused, type Sha } from "#ports/WorkspaceStore.ts"
import type { FileNode } from "../objects/tree.ts"
import type { Repository } from "../Repository.ts"
import { type Directory, type Extent, eachNode, editable, extentOf, type Node, nextEpoch } from "./Directory.ts"
import { persist, persistBlobs } from "./persist.ts"
import { afterChange, type Limits, nothing, type Totals } from "./totals.ts"
import { type Destination, walk } from "./walk.ts"

/** Bytes of new content kept in memory by default. Past them it is stored in the repository, unnamed as yet. */
const usuallyPending = 32 * 1024 * 1024

/** The error for a refused path, with the reason in one line for the caller. */
export const refused = (path: string, problem: string): PathRefused =>
  new PathRefused({ path, message: `${path.toWellFormed()}: ${problem}` })

/** Throws `PathRefused`; `""` is the root. */
const checkPath = (path: string): void => {
  const problem = path === "" ? undefined : pathProblem(path)
  if (problem !== undefined) throw refused(path, problem)
}

/** The state behind an `Overlay`: a root that changes step by step, within limits. One caller changes it at a time. */
export class View {
  readonly repository: Repository
  readonly #limits: Limits
  readonly #mostPending: number
  #root: Directory
  #totals: Totals
  #epoch = nextEpoch()
  #pendingBytes = 0
  #paths: ReadonlyArray<string> | undefined

  constructor(
    repository: Repository,
    root: Directory,
    bytes: number | undefined,
    limits: Limits,
    mostPending = usuallyPending
  ) {
    this.repository = repository
    this.#limits = limits
    this.#mostPending = mostPending
    this.#root = root
    const { files, directories } = extentOf(root)
    this.#totals = { files, directories, bytes, exact: false }
  }

  get root(): Directory {
    return this.#root
  }

  get totals(): Totals {
    return this.#totals
  }

  /**
   * Where a path leads. Throws `PathRefused`, `ENOTDIR` and `ELOOP`; `ENOENT` only when `..` follows an absent name, or
   * a link's target is empty or too long.
   */
  find(path: string, follow: boolean): Promise<Destination> {
    checkPath(path)
    return walk(this.repository, this.#root, path, follow)
  }

  paths(): ReadonlyArray<string> {
    if (this.#paths === undefined) {
      const paths: Array<string> = []
      eachNode(this.#root, "", (path, node) => {
        if (node.kind !== "directory") paths.push(path)
      })
      this.#paths = paths
    }
    return this.#paths
  }

  /**
   * Puts a node at a place that `find` gave for the current root. Replaces what is there, and makes missing parents.
   */
  async put({ names, node: old, missing }: Destination, node: Node): Promise<void> {
    const made = Math.max(0, missing - 1)
    const path = names.join("/")
    const problem =
      (missing > 0 ? pathProblem(path) : undefined) ??
      kindProblem(names.at(-1)!, node.kind) ??
      (node.kind === "directory" || node.kind === "symlink"
        ? undefined
        : await this.#contentProblem(names.at(-1)!, node)) ??
      names
        .slice(names.length - missing, -1)
        .map((name) => kindProblem(name, "directory"))
        .find((text) => text !== undefined)
    if (problem !== undefined) throw refused(path, problem)
    const extent = extentOf(node)
    const added = { ...extent, directories: extent.directories + made }
    await this.#change(added, old, () => {
      this.#directory(names.slice(0, -1)).entries.set(names.at(-1)!, node)
    })
    await this.#spill(node)
  }

  async remove({ names, node }: Destination): Promise<void> {
    await this.#change(nothing, node, () => {
      this.#directory(names.slice(0, -1)).entries.delete(names.at(-1)!)
    })
  }

  /** Moves what is at one place to another, which must not be inside it. */
  async move(from: Destination, to: Destination): Promise<void> {
    const { names, node } = to
    const path = names.join("/")
    const moved = from.node!
    const problems = [pathProblem(path), kindProblem(names.at(-1)!, moved.kind)]
    if (moved.kind === "directory") eachNode(moved, `${path}/`, (below) => problems.push(pathProblem(below)))
    else if (moved.kind !== "symlink") problems.push(await this.#contentProblem(names.at(-1)!, moved))
    const problem = problems.find((text) => text !== undefined)
    if (problem !== undefined) throw refused(path, problem)
    await this.#change(nothing, node, () => {
      this.#directory(from.names.slice(0, -1)).entries.delete(from.names.at(-1)!)
      this.#directory(names.slice(0, -1)).entries.set(names.at(-1)!, moved)
    })
  }

  async #contentProblem(name: string, node: FileNode): Promise<string | undefined> {
    return hasReadContent(name) ? contentProblem(name, await this.repository.content(node)) : undefined
  }

  #directory(names: ReadonlyArray<string>): Directory {
    const { root, directory } = editable(this.#root, names, this.#epoch)
    this.#root = root
    return directory
  }

  async #change(added: Extent, gone: Node | undefined, apply: () => void): Promise<void> {
    this.#totals = await afterChange(this.repository, this.#root, this.#limits, this.#totals, added, gone)
    this.#paths = undefined
    apply()
  }

  async #spill(node: Node): Promise<void> {
    if (node.kind === "directory" || node.bytes === undefined) return
    this.#pendingBytes += node.bytes.length
    if (this.#pendingBytes <= this.#mostPending) return
    await persistBlobs(this.repository, this.#root)
    this.#pendingBytes = 0
  }

  /** Marks the present state. The function that it gives comes back to it. */
  mark(): () => void {
    const [root, totals] = [this.#root, this.#totals]
    this.#epoch = nextEpoch()
    return () => {
      this.#root = root
      this.#totals = totals
      this.#epoch = nextEpoch()
      this.#paths = undefined
    }
  }

  async save(): Promise<Sha> {
    // a new epoch, so that later changes leave alone what is being stored
    this.#epoch = nextEpoch()
    const tree = await persist(this.repository, this.#root)
    this.#pendingBytes = 0
    return tree
  }
}
