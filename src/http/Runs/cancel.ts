import { Effect } from "effect"
import { Chat, ChatCommand } from "#domain/Chat.ts"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Caller } from "#src/api/middleware.ts"
import { Runs } from "#src/workspaces/queue.ts"
import { endOf } from "../Chat/answer.ts"

/**
 * Records in the log that a run of the caller's is cancelled; gives the position. The process that carries the run out
 * ends it, with what was written.
 */
export const cancelRun = Effect.fnUntraced(function* (run: string, workspace: string, metadata: CommandMetadata) {
  const { tenant } = yield* Caller
  const ended = (yield* endOf(run, workspace)) !== undefined
  const [cancelled] = yield* dispatch(Chat, {
    tenant,
    stream: `chat-${run}`,
    command: ChatCommand.CancelChat({ ended }),
    ...metadata,
    correlationId: run
  }).pipe(Effect.catchTag(["ChatNotRequested", "ChatStuck"], Effect.die))
  yield* (yield* Runs).cancelled(run)
  return cancelled!.position
})
