import { Clock, Effect } from "effect"
import { WorkspaceCommand } from "#domain/Workspace/commands.ts"
import { Workspace } from "#domain/Workspace/decider.ts"
import type { FilesChange } from "#domain/Workspace/events.ts"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { followHead, removeRepository, streamOf } from "./restore.ts"
import { actorTrailers } from "./trailers.ts"

/** The id of the workspace of a tenant's (organization, user). */
export const workspaceId = (tenant: string, org: string, user: string): string =>
  derivedId("workspace", tenant, org, user)

/**
 * Makes the workspace of (`org`, `user`) with one empty commit, if there is none. Gives its id and head, and the
 * position of its event: `undefined` if it was there. Fails with `Busy` and `WorkspacesUnavailable`.
 */
export const openWorkspace = Effect.fnUntraced(function* (
  tenant: string,
  { org, user }: { readonly org: string; readonly user: string },
  metadata: CommandMetadata
) {
  const git = yield* WorkspaceStore
  const dispatcher = yield* Dispatcher
  const workspace = workspaceId(tenant, org, user)
  const stream = streamOf(workspace)
  const time = yield* Clock.currentTimeMillis

  const attempt = Effect.gen(function* () {
    const { generation, head } = yield* dispatcher.state(Workspace, stream)
    if (head !== null) return { workspace, commit: head.commit, position: undefined }
    // an erased workspace is opened anew, even by a repeat of the request that opened it before
    const commandId = derivedId("open", metadata.commandId, generation)
    const repository = repositoryOf(workspace, generation)
    const tree = yield* git.save(repository, yield* git.open(repository, undefined))
    const author = { name: user, email: `${workspace}@cairn` }
    const message = `Open the workspace\n\nCairn-Event: ${derivedId(commandId, 1)}\n${actorTrailers(metadata.actor)}`
    const commit = yield* git.commit(repository, { tree, parents: [], author, time, message })
    const nothing = { created: 0, modified: 0, deleted: 0 }
    const opening: FilesChange = { workspace, commit, parent: null, tree, how: "opened", ...nothing }
    const command = WorkspaceCommand.OpenWorkspace({ generation, org, user, opening })
    const done = (yield* dispatcher.dispatch(Workspace, { tenant, stream, command, ...metadata, commandId }).pipe(
      // the workspace was erased meanwhile: nobody else would remove what was made for it
      Effect.tapErrorTag("WorkspaceGone", () => removeRepository(workspace, generation)),
      Effect.catchTag(["WorkspaceGone", "WorkspaceNotFound", "HeadMoved"], () => Effect.succeed([]))
    )).at(-1)
    return done?.event._tag === "FilesChanged"
      ? { workspace, commit: done.event.commit, position: done.position }
      : undefined
  })

  for (;;) {
    const opened = yield* attempt
    if (opened === undefined) continue
    yield* followHead(workspace)
    return opened
  }
})
