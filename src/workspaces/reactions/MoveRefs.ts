import { Effect } from "effect"
import { reaction } from "#src/reaction.ts"
import { Packing } from "#src/workspaces/packing.ts"
import { followHead } from "#src/workspaces/restore.ts"

/**
 * A workspace's git ref follows what the log has decided, also when the process that decided it was killed in between.
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
