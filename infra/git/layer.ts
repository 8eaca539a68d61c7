import fs from "node:fs"
import { Effect, Layer, Stream } from "effect"
import { Workers } from "#ports/Workers.ts"
import { type TreeFile, WorkspaceStore, type WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { Breath } from "./Breath.ts"
import { cacheOf, forget } from "./cache.ts"
import { compare, differences, treeRef } from "./compare.ts"
import { unifiedDiff } from "./diff/unified.ts"
import { mustBeThere, onDisk } from "./fault.ts"
import { batched, fileAt, filesOf, placesOf, readFile, sizedFile, treeFile } from "./files.ts"
import { noteBytes } from "./knownBytes.ts"
import type { NativeGit } from "./native/git.ts"
import { looseObjects, packLoose, pruneLoose } from "./native/pack.ts"
import { openOverlay, viewOf } from "./Overlay/GitOverlay.ts"
import type { Limits } from "./Overlay/totals.ts"
import { forgetPacks } from "./objects/packs.ts"
import { type FileNode, modeOf, type StoredTree } from "./objects/tree.ts"
import { Repository } from "./Repository.ts"
import { rebase } from "./rebase.ts"
import { eraseRepository, makeRepository, mark, repositoryPath, sweep, sweepStaged } from "./repositories.ts"
import { Turns } from "./Turns.ts"

export interface Options {
  /** The folder of repositories, each bare and named `<workspace>.git`; made when missing. */
  readonly directory: string
  /** Default: 1 GiB and 50,000 files. */
  readonly limits?: Limits
  /** Packs loose objects as they gather; without git, all objects stay loose. */
  readonly git?: NativeGit | undefined
}

/** About 25 MB: an entry of a tree takes 150 bytes or so. */
const keptEntries = 150_000
const keptBlobBytes = 24 * 1024 * 1024
/** Diffs are kept because they cost work and never change. */
const keptDiffBytes = 16 * 1024 * 1024
const defaultDiffBytes = 1024 * 1024

/** Workspaces as bare git repositories in a folder of the local disk, which only this service writes to. */
export const layer = ({
  directory,
  limits,
  git
}: Options): Layer.Layer<WorkspaceStore, WorkspacesUnavailable, Workers> =>
  Layer.effect(
    WorkspaceStore,
    Effect.gen(function* () {
      const workers = yield* Workers
      const caches = {
        trees: cacheOf<StoredTree>(keptEntries, "trees"),
        blobs: cacheOf<Uint8Array>(keptBlobBytes, "blobs"),
        diffs: cacheOf<string>(keptDiffBytes, "diffs")
      }
      const swept = new Set<string>()
      yield* onDisk(directory, () => sweep(directory))
      const marked = fs.existsSync(`${directory}/${mark}`)
      /** Throws when the disk with the repositories is away: in its place, nothing may be made or erased. */
      const folderMustBeThere = () => {
        fs.readdirSync(directory)
        if (marked) fs.statSync(`${directory}/${mark}`)
      }

      const repositoryOf = (workspace: string) =>
        new Repository(repositoryPath(directory, workspace), workspace, caches)
      const reading = <A>(workspace: string, read: (repository: Repository) => Promise<A> | A) =>
        Effect.suspend(() => onDisk(repositoryPath(directory, workspace), () => read(repositoryOf(workspace))))
      /** Reads on as the consumer of the stream asks for more, and stops with it. */
      const streaming = <A>(workspace: string, read: (repository: Repository) => AsyncGenerator<A, void, undefined>) =>
        Stream.suspend(() => {
          const { gitdir } = repositoryOf(workspace)
          const rows = read(repositoryOf(workspace))
          return Stream.unfold(undefined, () =>
            Effect.map(
              onDisk(gitdir, () => rows.next()),
              ({ done, value }) => (done === true ? undefined : ([value as A, undefined] as const))
            )
          ).pipe(Stream.ensuring(Effect.promise(() => rows.return())))
        })
      const turns = new Turns()
      // an interrupted fiber would leave the promise running
      const writing = <A>(workspace: string, write: (repository: Repository) => Promise<A>) =>
        Effect.uninterruptible(turns.shared(workspace, reading(workspace, write)))
      /** By workspace: how many loose objects the last packing left. */
      const left = new Map<string, number>()

      return WorkspaceStore.of({
        open: (workspace, tree, pending) =>
          writing(workspace, async (repository) => {
            folderMustBeThere()
            // a workspace with files has a repository: an empty one in its place would hide that the disk is away
            if (tree === undefined) await makeRepository(directory, repository.gitdir)
            else mustBeThere(repository.gitdir)
            if (!swept.has(workspace)) sweepStaged(repository.gitdir)
            swept.add(workspace)
            return openOverlay(repository, tree, limits, pending)
          }),
        save: (workspace, overlay) =>
          writing(workspace, async ({ gitdir }) => {
            const view = viewOf(overlay)
            if (view.repository.gitdir !== gitdir) throw new Error("the overlay is another workspace's")
            const tree = await view.save()
            if (view.totals.bytes !== undefined) noteBytes(gitdir, tree, view.totals.bytes)
            return tree
          }),
        commit: (workspace, info) => writing(workspace, (repository) => repository.commit(info)),
        moveRef: (workspace, commit) => writing(workspace, (repository) => repository.moveRef(commit)),
        ref: (workspace) => reading(workspace, (repository) => repository.ref()),
        readCommit: (workspace, commit) =>
          reading(workspace, async (repository) => {
            const read = await repository.readCommit(commit)
            if (read === undefined) folderMustBeThere()
            return read
          }),
        files: (workspace, tree) =>
          reading(workspace, async (repository) => {
            const files: Array<TreeFile> = []
            for await (const file of filesOf(repository, tree)) files.push(file)
            return files
          }),
        eachFile: (workspace, tree) => streaming(workspace, (repository) => batched(filesOf(repository, tree))),
        eachPath: (workspace, tree) =>
          Stream.map(
            streaming(workspace, (repository) => batched(placesOf(repository, tree))),
            (batch) => batch.map(({ path }) => path)
          ),
        readFile: (workspace, tree, path) => reading(workspace, (repository) => readFile(repository, tree, path)),
        filePieces: (workspace, tree, path) =>
          Effect.map(
            reading(workspace, (repository) => sizedFile(repository, tree, path)),
            (found) => {
              if (found === undefined) return undefined
              const { sha, size, atOnce } = found
              return { sha, size, atOnce, pieces: streaming(workspace, (repository) => repository.pieces(sha, size)) }
            }
          ),
        fileAt: (workspace, tree, path) =>
          reading(workspace, async (repository) => {
            const node = await fileAt(repository, tree, path)
            return node && { mode: modeOf(node.kind), sha: node.sha! }
          }),
        compare: (workspace, from, to) =>
          reading(workspace, async (repository) => {
            const breath = new Breath()
            const fileOf = (path: string, node: FileNode | undefined) =>
              node === undefined ? undefined : treeFile(repository, path, node)
            const described = []
            for (const { path, status, before, after } of await compare(repository, treeRef(from), treeRef(to))) {
              await breath.take()
              described.push({ path, status, before: await fileOf(path, before), after: await fileOf(path, after) })
            }
            return described
          }),
        eachChange: (workspace, from, to) =>
          streaming(workspace, (repository) => batched(differences(repository, treeRef(from), treeRef(to)))).pipe(
            Stream.map((batch) =>
              batch.map(({ path, status, before, after }) => ({ path, status, sha: (after ?? before)!.sha! }))
            )
          ),
        diff: (workspace, from, to, { maxBytes = defaultDiffBytes } = {}) =>
          Effect.gen(function* () {
            const repository = repositoryOf(workspace)
            const key = `${workspace}/${from}/${to}/${maxBytes}`
            const known = caches.diffs.get(key)
            if (known !== undefined) return known
            const changed = differences(repository, treeRef(from), treeRef(to))
            const { text, isWhole } = yield* unifiedDiff(repository, changed, maxBytes, workers)
            if (isWhole) caches.diffs.set(key, text, { size: 2 * text.length + 200 })
            return text
          }),
        rebase: (workspace, base, tree, onto) =>
          writing(workspace, (repository) => rebase(repository, base, tree, onto)),
        pack: Effect.fnUntraced(function* (workspace, { prune }) {
          const { gitdir } = repositoryOf(workspace)
          if (git === undefined || !fs.existsSync(gitdir)) return
          if (!(yield* packLoose(git, gitdir, left.get(workspace) ?? 0))) return
          if (prune) yield* turns.alone(workspace, pruneLoose(git, gitdir))
          left.set(workspace, yield* onDisk(gitdir, () => looseObjects(gitdir)))
        }),
        erase: (workspace) =>
          writing(workspace, async ({ gitdir }) => {
            folderMustBeThere()
            await eraseRepository(directory, workspace)
            forget(caches.trees, `${workspace}/`)
            forget(caches.blobs, `${workspace}/`)
            forget(caches.diffs, `${workspace}/`)
            forgetPacks(gitdir)
            swept.delete(workspace)
            left.delete(workspace)
          })
      })
    })
  )
