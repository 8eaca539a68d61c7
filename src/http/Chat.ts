import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Chat, ChatCommand } from "#domain/Chat.ts"
import { derivedId } from "#domain/Id.ts"
import type { WorkspaceEvent } from "#domain/Workspace.ts"
import { Workspace } from "#domain/Workspace.ts"
import { EventStore } from "#ports/EventStore.ts"
import { Workspaces } from "#ports/Workspaces.ts"
import { endingId, streamOf } from "#src/agent/commit.ts"
import { Runs } from "#src/agent/Queue.ts"
import { Api } from "#src/api/Api.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { Unreadable } from "#src/ask.ts"
import * as Codec from "#src/codec.ts"
import { Dispatcher, dispatch } from "#src/dispatch.ts"
import { attempting, written } from "./answer.ts"
import { orProblem } from "./refusals.ts"

type Ended = Extract<WorkspaceEvent, { readonly _tag: "ChatCompleted" | "ChatFailed" }>

/** How the run ended, as its workspace's stream has it. */
const endOf = Effect.fnUntraced(function* (run: string) {
  const store = yield* EventStore
  const stored = yield* Effect.mapError(store.outcome(endingId(run)), () => new Unreadable())
  const last = stored.at(-1)
  if (last === undefined) return yield* new Unreadable()
  const { event, ...envelope } = Codec.decode(last)
  return { ...envelope, event: event as Ended }
})

/** The answer comes from the run's events and its commit alone, so that a repeated request gets the same one. */
const answerOf = Effect.fnUntraced(function* (run: string, requestedAt: number) {
  const workspaces = yield* Workspaces
  const { event, recordedAt, position } = yield* endOf(run)
  const { workspace, tree, commit, parent, text } = event
  const before = parent === null ? undefined : yield* workspaces.readCommit(workspace, parent)
  const changes = yield* workspaces.compare(workspace, before?.tree, tree)
  const files = (yield* workspaces.files(workspace, tree)).map(({ path }) => path)
  yield* written(position)
  return {
    success: event._tag === "ChatCompleted",
    output: text?.output ?? "",
    error: event._tag === "ChatFailed" ? (event.text?.error ?? "erased") : "",
    session_id: run,
    duration_ms: Math.max(0, Math.round(recordedAt - requestedAt)),
    changed_files: changes.filter(({ status }) => status !== "deleted").map(({ path }) => path),
    workspace_files: files,
    org_workspace_files: files,
    workspace_id: workspace,
    commit
  }
})

export const layer = HttpApiBuilder.group(Api, "chat", (handlers) =>
  handlers.handle("chat", ({ payload }) =>
    Effect.gen(function* () {
      const { tenant, key } = yield* Caller
      const { homes, includePublic } = yield* CallerScope
      const attempt = yield* attempting
      const { org_id: org, user_id: user, user_query: prompt } = payload
      const run = derivedId("run", attempt.commandId)
      const workspace = derivedId("workspace", tenant, org, user)
      const { generation } = yield* (yield* Dispatcher).state(Workspace, streamOf(workspace))
      const [requested] = yield* dispatch(Chat, {
        tenant,
        stream: `chat-${run}`,
        command: ChatCommand.RequestChat({
          ...{ run, workspace, generation, homes, includePublic, key, prompt, org, user },
          ...{ model: payload.model ?? "sonnet", maxTurns: payload.max_turns ?? 8 }
        }),
        ...attempt,
        correlationId: run
      }).pipe(Effect.catchTag(["ChatNotRequested", "ChatStuck"], Effect.die))
      yield* (yield* Runs).end({ run, workspace, position: requested!.position })
      return yield* answerOf(run, requested!.recordedAt)
    }).pipe(orProblem)
  )
)
