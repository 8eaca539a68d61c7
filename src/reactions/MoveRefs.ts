import { followHead } from "#src/agent/commit.ts"
import { reaction } from "#src/react.ts"

/** A workspace's git ref follows what the log has decided, also when the process that decided it was killed in between. */
export const MoveRefs = reaction({
  name: "move_refs",
  on: ["ChatCompleted", "ChatFailed"],
  handle: ({ event }) => followHead(event.workspace)
})
