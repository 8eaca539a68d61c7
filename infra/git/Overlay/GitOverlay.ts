import { Effect, Semaphore } from "effect"
import { targetProblem } from "#domain/workspacePath.ts"
import {
  type EntryKind,
  type FileChange,
  FileError,
  type Overlay,
  type OverlayError,
  PathRefused,
  type Sha,
  type SkippedEntry,
  WorkspaceFull
} from "#ports/WorkspaceStore.ts"
import { compare } from "../compare.ts"
import { faultOf, onDisk } from "../fault.ts"
import { knownBytes } from "../knownBytes.ts"
import { emptyTree, type FileNode } from "../objects/tree.ts"
import type { Repository } from "../Repository.ts"
import { type Directory, eachNode, entriesByName, loadDirectory, nextEpoch } from "./Directory.ts"
import { defaultLimits, type Limits } from "./totals.ts"
import { refused, View } from "./View.ts"
import { fileError, targetOf } from "./walk.ts"

const isOverlayError = (error: unknown): error is OverlayError =>
  error instanceof FileError || error instanceof PathRefused || error instanceof WorkspaceFull

const attemptIn =
  (gitdir: string) =>
  <A>(run: () => Promise<A>): Effect.Effect<A, OverlayError> =>
    Effect.catchIf(
      Effect.tryPromise({ try: run, catch: (error) => error as OverlayError }),
      (error) => !isOverlayError(error),
      (error) => Effect.die(faultOf(error, gitdir) ?? error)
    )

const newFile = (kind: FileNode["kind"], bytes: Uint8Array): FileNode => ({
  kind,
  sha: undefined,
  bytes,
  size: bytes.length
})

const views = new WeakMap<Overlay, View>()

/** The view behind an overlay that `open` gave. Throws on any other, even one that wraps it. */
export const viewOf = (overlay: Overlay): View => {
  const view = views.get(overlay)
  if (view === undefined) throw new Error("only an overlay that `open` gave can be saved")
  return view
}

/** Opens a view over a stored tree of a repository. */
export const openOverlay = async (
  repository: Repository,
  tree: Sha = emptyTree.sha,
  limits: Limits = defaultLimits,
  mostPending?: number
): Promise<Overlay> => {
  const { root, skipped } = await loadDirectory(repository, tree)
  const bytes = tree === emptyTree.sha ? 0 : knownBytes(repository.gitdir, tree)
  const view = new View(repository, root, bytes, limits, mostPending)
  const overlay = makeOverlay(view, root, skipped)
  views.set(overlay, view)
  return overlay
}

const makeOverlay = (view: View, base: Directory, skipped: ReadonlyArray<SkippedEntry>): Overlay => {
  const { repository } = view
  const attempt = attemptIn(repository.gitdir)
  const writing = Semaphore.makeUnsafe(1)
  // an interrupted fiber would leave the change's promise running
  const change = <A>(run: () => Promise<A>): Effect.Effect<A, OverlayError> =>
    Effect.uninterruptible(writing.withPermit(attempt(run)))

  const existing = async (path: string, follow: boolean) => {
    const { names, node } = await view.find(path, follow)
    if (node === undefined) throw fileError("ENOENT", path)
    return { names, node }
  }
  const entry = (path: string, follow: boolean) =>
    attempt(async () => {
      const { node } = await existing(path, follow)
      return { path, kind: node.kind, size: node.kind === "directory" ? 0 : await repository.size(node) }
    })

  return {
    stat: (path) => entry(path, true),
    lstat: (path) => entry(path, false),

    readFile: (path) =>
      attempt(async () => {
        const { node } = await existing(path, true)
        if (node.kind === "directory") throw fileError("EISDIR", path)
        // a copy: callers must not change what is stored or cached
        return new Uint8Array(await repository.content(node))
      }),

    readlink: (path) =>
      attempt(async () => {
        const { node } = await existing(path, false)
        if (node.kind !== "symlink") throw fileError("EINVAL", path, "not a symbolic link")
        return targetOf(repository, node)
      }),

    readdir: (path) =>
      attempt(async () => {
        const { node } = await existing(path, true)
        if (node.kind !== "directory") throw fileError("ENOTDIR", path)
        const prefix = path === "" ? "" : `${path}/`
        return entriesByName(node).map(([name, { kind }]): { path: string; kind: EntryKind } => ({
          path: prefix + name,
          kind
        }))
      }),

    writeFile: (path, bytes, { executable } = {}) =>
      change(async () => {
        const place = await view.find(path, true)
        if (place.node?.kind === "directory") throw fileError("EISDIR", path)
        const kind = (executable ?? place.node?.kind === "executable") ? "executable" : "file"
        await view.put(place, newFile(kind, new Uint8Array(bytes)))
      }),

    mkdir: (path, { recursive = false } = {}) =>
      change(async () => {
        const place = await view.find(path, false)
        if (place.node !== undefined) {
          const { node } = recursive ? await view.find(path, true) : place
          if (recursive && node?.kind === "directory") return
          throw fileError("EEXIST", path)
        }
        if (place.missing > 1 && !recursive) throw fileError("ENOENT", path)
        await view.put(place, { kind: "directory", owner: nextEpoch(), sha: undefined, entries: new Map() })
      }),

    remove: (path, { recursive = false, force = false } = {}) =>
      change(async () => {
        const place = await view.find(path, false).catch((error) => {
          if (force && error instanceof FileError && error.code === "ENOTDIR") return undefined
          throw error
        })
        if (place === undefined || (place.node === undefined && force)) return
        if (place.node === undefined) throw fileError("ENOENT", path)
        if (place.names.length === 0) throw fileError("EINVAL", path, "the root can't be removed")
        if (place.node.kind === "directory" && place.node.entries.size > 0 && !recursive) {
          throw fileError("ENOTEMPTY", path)
        }
        await view.remove(place)
      }),

    rename: (from, to) =>
      change(async () => {
        const source = await view.find(from, false)
        const target = await view.find(to, false)
        const [moved, old] = [source.node, target.node]
        if (moved === undefined) throw fileError("ENOENT", from)
        if (target.missing > 1) throw fileError("ENOENT", to)
        if (source.names.length === 0) throw fileError("EINVAL", from, "the root can't be moved")
        const [here, there] = [source.names.join("/"), target.names.join("/")]
        if (here === there) return
        if (there.startsWith(`${here}/`)) throw fileError("EINVAL", from, "can't be moved into itself")
        if (old?.kind === "directory" && moved.kind !== "directory") throw fileError("EISDIR", to)
        if (old?.kind === "directory" && old.entries.size > 0) throw fileError("ENOTEMPTY", to)
        if (old !== undefined && old.kind !== "directory" && moved.kind === "directory") throw fileError("ENOTDIR", to)
        await view.move(source, target)
      }),

    symlink: (target, path) =>
      change(async () => {
        const problem = targetProblem(target)
        if (problem !== undefined) throw refused(path, problem)
        const place = await view.find(path, false)
        if (place.node !== undefined) throw fileError("EEXIST", path)
        if (place.missing > 1) throw fileError("ENOENT", path)
        await view.put(place, newFile("symlink", Buffer.from(target)))
      }),

    chmod: (path, executable) =>
      change(async () => {
        const place = await view.find(path, true)
        const { node } = place
        if (node === undefined) throw fileError("ENOENT", path)
        const kind = executable ? "executable" : "file"
        if (node.kind !== "directory" && node.kind !== kind) await view.put(place, { ...node, kind })
      }),

    paths: () => view.paths(),
    emptyDirectories: () => {
      const empty: Array<string> = []
      eachNode(view.root, "", (path, node) => {
        if (node.kind === "directory" && node.entries.size === 0) empty.push(path)
      })
      return empty
    },

    changes: () =>
      Effect.map(Effect.orDie(onDisk(repository.gitdir, () => compare(repository, base, view.root))), (all) =>
        all.map(({ path, status }): FileChange => ({ path, status }))
      ),
    skipped: () => skipped,
    savepoint: () =>
      writing.withPermit(
        Effect.sync(() => {
          const comeBack = view.mark()
          return writing.withPermit(Effect.sync(comeBack))
        })
      )
  }
}
