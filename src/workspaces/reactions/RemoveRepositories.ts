import { Effect } from "effect"
import { reaction } from "#src/reaction.ts"
import { Runs } from "#src/workspaces/queue.ts"
import { removeRepository } from "#src/workspaces/restore.ts"

/**
 * An erased workspace's runs stop and its repository goes, also when who erased it was killed before it came to that.
 */
export const RemoveRepositories = reaction({
  name: "remove_repositories",
  on: ["WorkspaceErased"],
  handle: ({ event: { workspace, generation }, position }) =>
    Effect.flatMap(Runs, (runs) => runs.stop(workspace, position)).pipe(
      Effect.andThen(removeRepository(workspace, generation))
    )
})
