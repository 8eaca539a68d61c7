import { Effect } from "effect"
import { reaction } from "#src/reaction.ts"
import { Runs } from "#src/workspaces/queue.ts"
import { removeRepository } from "#src/workspaces/restore.ts"

/**
 * Stops an erased workspace's runs and removes its repository, even if the process that erased it was killed before.
 */
export const RemoveRepositories = reaction({
  name: "remove_repositories",
  on: ["WorkspaceErased"],
  handle: ({ event: { workspace, generation }, position }) =>
    Effect.flatMap(Runs, (runs) => runs.stop(workspace, position)).pipe(
      Effect.andThen(removeRepository(workspace, generation))
    )
})
