import { Cause, Clock, Effect } from "effect"
import { WorkspaceCommand } from "#domain/Workspace/commands.ts"
import { type Head, Workspace, WorkspaceGone } from "#domain/Workspace/decider.ts"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { WorkspaceStore, WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { openRunsIn } from "#projections/Workspaces/openRuns.ts"
import type { WorkspaceRecord } from "#projections/Workspaces/standing.ts"
import { actorTrailers } from "./trailers.ts"

/** The id of a workspace's stream. */
export const streamOf = (workspace: string): string => `workspace-${workspace}`

/** The claim of a process that writes into a workspace's repository. */
export const claimOf = (workspace: string): string => `workspace ${workspace}`

/** What a caller must know of a workspace to act on it. */
export type Known = Pick<WorkspaceRecord, "id" | "generation" | "user_id">

/**
 * Sets a workspace's ref to the head that the log has. Several callers may do so at once: one that finds the head moved
 * meanwhile sets the ref again.
 */
export const followHead = Effect.fnUntraced(function* (workspace: string) {
  const workspaces = yield* WorkspaceStore
  const dispatcher = yield* Dispatcher
  const now = dispatcher.state(Workspace, streamOf(workspace))
  let state = yield* now
  while (state.head !== null) {
    const { generation, head } = state
    const moving = yield* Effect.exit(workspaces.moveRef(repositoryOf(workspace, generation), head.commit))
    state = yield* now
    // the workspace was erased and its repository with it, so a ref that could not be moved does not matter
    if (state.generation !== generation) continue
    if (moving._tag === "Failure") return yield* Effect.failCause(moving.cause)
    if (state.head?.commit === head.commit) return
  }
})

/** The fault of the workspaces' disk in a cause, be it a failure or a defect; `undefined`: there is none. */
export const awayIn = (cause: Cause.Cause<unknown>): WorkspacesUnavailable | undefined => {
  for (const reason of cause.reasons) {
    if (Cause.isFailReason(reason) && reason.error instanceof WorkspacesUnavailable) return reason.error
    if (Cause.isDieReason(reason) && reason.defect instanceof WorkspacesUnavailable) return reason.defect
  }
  return undefined
}

/**
 * Runs an effect that reads or writes a workspace's repository. If it fails because the workspace was erased meanwhile,
 * runs `otherwise` instead.
 */
export const unlessErased = <A, E, R, B, E2, R2>(
  { id, generation }: Pick<WorkspaceRecord, "id" | "generation">,
  effect: Effect.Effect<A, E, R>,
  otherwise: Effect.Effect<B, E2, R2>
) =>
  Effect.catchCause(effect, (cause) =>
    Effect.gen(function* () {
      if (!Cause.hasDies(cause) && awayIn(cause) === undefined) return yield* Effect.failCause(cause)
      const now = yield* (yield* Dispatcher).state(Workspace, streamOf(id))
      return yield* now.generation === generation ? Effect.failCause(cause) : otherwise
    })
  )

/**
 * Commits an earlier commit's files on the current head. Gives the head's commit and the position of its event;
 * `undefined` for the position if the head had these files already, so that there is no new commit. Fails with
 * `WorkspaceNotFound` if there is no workspace, with `WorkspaceGone` if it was erased, with `Busy`, and with
 * `WorkspacesUnavailable`.
 */
export const restore = Effect.fnUntraced(function* (
  { id, generation, user_id }: Known,
  { sha, tree }: { readonly sha: string; readonly tree: string },
  tenant: string,
  metadata: CommandMetadata
) {
  const git = yield* WorkspaceStore
  const dispatcher = yield* Dispatcher
  const repository = repositoryOf(id, generation)
  const stream = streamOf(id)
  const files = (yield* git.files(repository, tree)).length
  const time = yield* Clock.currentTimeMillis
  const eventId = derivedId(metadata.commandId, 0)
  const message = `Restore ${sha.slice(0, 12)}\n\nCairn-Event: ${eventId}\nCairn-Restored: ${sha}\n${actorTrailers(metadata.actor)}`

  const on = Effect.fnUntraced(function* (head: Head) {
    const parents = [head.commit]
    const author = { name: user_id, email: `${id}@cairn` }
    // no commit if there is nothing to restore; the command is given all the same, as it may have been carried out
    // before
    const commit =
      head.tree === tree ? head.commit : yield* git.commit(repository, { tree, parents, author, time, message })
    const restoration = { workspace: id, commit, parent: head.commit, tree, restored: sha, files }
    const command = WorkspaceCommand.RestoreWorkspace({ generation, restoration })
    const [done] = yield* dispatcher.dispatch(Workspace, { tenant, stream, command, ...metadata })
    return done?.event._tag === "WorkspaceRestored"
      ? { commit: done.event.commit, position: done.position }
      : { commit: head.commit, position: undefined }
  })

  for (;;) {
    const now = yield* dispatcher.state(Workspace, stream)
    if (now.generation !== generation || now.head === null) return yield* new WorkspaceGone({ workspace: id })
    const restored = yield* on(now.head).pipe(Effect.catchTag("HeadMoved", () => Effect.undefined))
    if (restored === undefined) continue
    yield* followHead(id)
    return restored
  }
})

/**
 * Records that a workspace is erased, which erases its text and that of its chats. Gives how many commits, chats and
 * files there were, and the generation whose repository is to go. The same command again gives the same.
 */
export const erase = Effect.fnUntraced(function* (tenant: string, workspace: string, metadata: CommandMetadata) {
  const dispatcher = yield* Dispatcher
  const command = WorkspaceCommand.EraseWorkspace({
    workspace,
    chatting: yield* Effect.orDie(openRunsIn(workspace))
  })
  const [erased] = yield* dispatcher
    .dispatch(Workspace, { tenant, stream: streamOf(workspace), command, ...metadata })
    .pipe(Effect.catchTag("HeadMoved", Effect.die))
  if (erased?.event._tag !== "WorkspaceErased") return yield* Effect.die(new Error("an erasure is one event"))
  const { generation, commits, chats, files } = erased.event
  return { generation, position: erased.position, counts: { commits, chats, files } }
})

/** Removes what an erased workspace had in git. The same again changes nothing. */
export const removeRepository = (workspace: string, generation: number) =>
  Effect.flatMap(WorkspaceStore, (git) => git.erase(repositoryOf(workspace, generation)))
