import { Effect } from "effect"
import { Runs } from "#src/agent/Queue.ts"
import { reaction } from "#src/reaction.ts"
import { removeRepository } from "#src/workspaces.ts"

/** An erased workspace's runs stop and its repository goes, also when who erased it was killed before it came to that. */
export const RemoveRepositories = reaction({
  name: "remove_repositories",
  on: ["WorkspaceErased"],
  handle: ({ event: { workspace, generation }, position }) =>
    Effect.flatMap(Runs, (runs) => runs.stop(workspace, position)).pipe(
      Effect.andThen(removeRepository(workspace, generation))
    )
})
