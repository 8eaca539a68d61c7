import { Clock, Data, Effect } from "effect"
import { WorkspaceCommand } from "#domain/Workspace/commands.ts"
import { type Head, Workspace, WorkspaceGone } from "#domain/Workspace/decider.ts"
import type { FilesChange } from "#domain/Workspace/events.ts"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { FileError, type Overlay, PathRefused, type Sha, WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { bytesMore, Storage } from "#src/usage/Storage.ts"
import { broughtBy } from "./brought.ts"
import { subjectOf } from "./commit.ts"
import { followHead, type Known, streamOf } from "./restore.ts"
import { actorTrailers } from "./trailers.ts"

/** What must hold before a file is changed. `sha`: of its blob; `undefined`: there is no such file. */
export type Condition = (sha: Sha | undefined) => boolean

/** The condition does not hold. `sha`: of the file's blob as it is; `undefined`: there is no such file. */
export class ConditionFailed extends Data.TaggedError("ConditionFailed")<{ readonly sha: Sha | undefined }> {}

/** Fails if a path leads through a link: it is not followed, as a reader of the path would not follow it. */
export const throughFolders = Effect.fnUntraced(function* (overlay: Overlay, path: string) {
  const names = path.split("/")
  for (let length = 1; length < names.length; length++) {
    const folder = names.slice(0, length).join("/")
    const entry = yield* Effect.catchTag(overlay.lstat(folder), "FileError", (error) =>
      error.code === "ENOENT" ? Effect.undefined : Effect.fail(error)
    )
    if (entry === undefined) return
    if (entry.kind === "symlink") {
      return yield* new PathRefused({ path, message: `${folder} is a symbolic link: give the path that it leads to` })
    }
  }
})

/** Puts a file at a path, in place of the file or the link that is there. */
export const put = (path: string, bytes: Uint8Array, executable?: boolean) =>
  Effect.fnUntraced(function* (overlay: Overlay) {
    yield* throughFolders(overlay, path)
    const before = yield* Effect.catchTag(overlay.lstat(path), "FileError", () => Effect.undefined)
    if (before?.kind === "symlink") yield* overlay.remove(path)
    yield* overlay.writeFile(path, bytes, executable === undefined ? {} : { executable })
  })

/** Removes the file or the link at a path. Fails with `ENOENT` if there is none, or a folder. */
export const remove = (path: string) =>
  Effect.fnUntraced(function* (overlay: Overlay) {
    yield* throughFolders(overlay, path)
    const { kind } = yield* overlay.lstat(path)
    if (kind === "directory") return yield* new FileError({ code: "ENOENT", path, message: `${path} is a folder` })
    yield* overlay.remove(path)
  })

/** Bytes of the files that a view creates or changes, each with its whole size. */
const writtenIn = (overlay: Overlay) =>
  Effect.gen(function* () {
    const changes = yield* overlay.changes()
    const there = changes.filter(({ status }) => status !== "deleted")
    const entries = yield* Effect.forEach(there, ({ path }) => overlay.lstat(path))
    return entries.reduce((sum, { size }) => sum + size, 0)
  }).pipe(Effect.orDie)

/** A change of files that a caller asks for. */
export interface AskedChange<E> {
  readonly how: "put" | "deleted" | "archive"
  /** The commit's first line; any text. */
  readonly subject: string
  /** The file that `condition` is about. */
  readonly path?: string
  readonly condition?: Condition
  /** Makes the change in a view of the head's files; called again if another commit came first. */
  readonly edit: (overlay: Overlay) => Effect.Effect<void, E>
  /**
   * The most bytes that `edit` writes, which are in memory until there is room for all of them: if they are refused,
   * nothing was stored. By default they are unknown, and of many a part is stored before.
   */
  readonly most?: number
}

/**
 * Changes files of a workspace in one commit on the current head, without waiting for its runs. Gives the commit that
 * has the files now, and the position of its event: `undefined` if the head had them already. The same command again
 * gives the same. Fails as `edit` does, with `ConditionFailed`, with `StorageBoundReached` if there is no room for it,
 * and as `restore` does.
 */
export const changeFiles = Effect.fnUntraced(function* <E extends { readonly _tag: string }>(
  { id, generation, user_id }: Known,
  { how, subject, path, condition, edit, most }: AskedChange<E>,
  tenant: string,
  metadata: CommandMetadata
) {
  const git = yield* WorkspaceStore
  const dispatcher = yield* Dispatcher
  const storage = yield* Storage
  const storing = { tenant, key: metadata.actor.key }
  const repository = repositoryOf(id, generation)
  const stream = streamOf(id)
  const time = yield* Clock.currentTimeMillis
  const message = `${subjectOf(subject)}\n\nCairn-Event: ${derivedId(metadata.commandId, 0)}\n${actorTrailers(metadata.actor)}`

  const give = Effect.fnUntraced(function* (head: Head, change: FilesChange) {
    const command = WorkspaceCommand.ChangeFiles({ generation, change })
    const [done] = yield* dispatcher.dispatch(Workspace, { tenant, stream, command, ...metadata })
    return done?.event._tag === "FilesChanged"
      ? { ...done.event, position: done.position }
      : { ...head, created: 0, modified: 0, deleted: 0, position: undefined }
  })

  const on = Effect.fnUntraced(function* (head: Head) {
    if (path !== undefined && condition !== undefined) {
      const sha = (yield* git.filePieces(repository, head.tree, path))?.sha
      if (!condition(sha)) return yield* new ConditionFailed({ sha })
    }
    if (how !== "deleted") yield* storage.check({ ...storing, more: bytesMore(null) })
    const overlay = yield* git.open(repository, head.tree, most)
    yield* edit(overlay)
    const save = Effect.gen(function* () {
      const tree = yield* git.save(repository, overlay)
      const author = { name: user_id, email: `${id}@cairn` }
      const same = tree === head.tree
      const commit = same
        ? head.commit
        : yield* git.commit(repository, { tree, parents: [head.commit], author, time, message })
      const brought = broughtBy(yield* git.compare(repository, head.tree, tree))
      return yield* give(head, { workspace: id, commit, parent: head.commit, tree, how, ...brought })
    })
    // a change that finds no room is not stored: each try would leave objects that nothing reaches for a day
    return yield* storage.within({ ...storing, more: Effect.flatMap(writtenIn(overlay), bytesMore) }, save)
  })

  /** A change that fails now may have been made before by the same command: then its first answer is given again. */
  const before = Effect.fnUntraced(function* ({ commit, tree }: Head) {
    const nothing = { workspace: id, commit, parent: commit, tree, how, created: 0, modified: 0, deleted: 0 }
    return yield* give({ commit, tree }, nothing)
  })

  for (;;) {
    const now = yield* dispatcher.state(Workspace, stream)
    if (now.generation !== generation || now.head === null) return yield* new WorkspaceGone({ workspace: id })
    const { head } = now
    const changed = yield* on(head).pipe(
      Effect.catchIf(
        (error) => !["HeadMoved", "WorkspaceGone", "Busy", "WorkspacesUnavailable"].includes(error._tag),
        (error) => Effect.flatMap(before(head), (done) => (done.position ? Effect.succeed(done) : Effect.fail(error)))
      ),
      Effect.catchTag("HeadMoved", () => Effect.undefined)
    )
    if (changed === undefined) continue
    yield* followHead(id)
    return changed
  }
})
