import { Effect } from "effect"
import { reaction } from "#src/reaction.ts"
import { Packing } from "#src/workspaces/packing.ts"
import { followHead } from "#src/workspaces/restore.ts"

/**
 * Moves a workspace's git ref to the head that the log has, even if the process that decided on it was killed before.
 */
export const MoveRefs = reaction({
  name: "move_refs",
  on: ["ChatCompleted", "ChatFailed", "WorkspaceRestored", "FilesChanged", "CommitsPushed"],
  handle: ({ event: { workspace } }) =>
    Effect.andThen(
      followHead(workspace),
      Effect.flatMap(Packing, (packing) => packing.offer(workspace))
    )
})
