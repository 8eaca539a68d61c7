import { Effect, Schedule } from "effect"
import { Chat, type ChatCommand } from "#domain/Chat.ts"
import { Workspace } from "#domain/Workspace/decider.ts"
import { repositoryOf } from "#domain/Workspace/generations.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Dispatcher } from "#engine/dispatch.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"
import { ConversationStopped } from "./loop.ts"
import type { Past } from "./past.ts"
import { streamOf } from "./restore.ts"

/** Another process has gone on with the run: begin again from what the log has. */
export const superseded = () => new ConversationStopped({ reason: "superseded" })

/** What a run records its steps and opens its files with, as long as its workspace is not erased. */
export const recordingOf = Effect.fnUntraced(function* (run: string, { tenant, actor, event }: Past["requested"]) {
  const dispatcher = yield* Dispatcher
  const workspaces = yield* WorkspaceStore
  const { workspace, generation } = event
  const repository = repositoryOf(workspace, generation)

  const inPlace = Effect.flatMap(dispatcher.state(Workspace, streamOf(workspace)), (state) =>
    state.generation === generation ? Effect.succeed(state) : superseded()
  )
  const tell = (commandId: string, command: ChatCommand) => {
    const metadata = { commandId, actor, correlationId: run, causationId: null }
    return dispatcher.dispatch(Chat, { tenant, stream: `chat-${run}`, command, ...metadata })
  }
  return {
    tell,
    inPlace,
    // opening makes the repository, so look again: an erasure that came before would not remove it
    open: (tree: string | undefined) => Effect.tap(workspaces.open(repository, tree), () => inPlace),
    /**
     * Records a step, and tries until the log can take it: it must not be done again because the log is away. Recording
     * it again gives the same events.
     */
    record: (kind: "turn" | "tools" | "compaction" | "memory", turn: number, command: ChatCommand) =>
      tell(derivedId("step", run, turn, kind), command).pipe(
        Effect.retry({ while: ({ _tag }) => _tag === "Busy", schedule: Schedule.spaced("1 second") }),
        Effect.mapError(superseded)
      )
  }
})

export type Recording = Effect.Success<ReturnType<typeof recordingOf>>
