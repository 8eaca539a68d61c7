import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Chat, ChatCommand } from "#domain/Chat.ts"
import { derivedId } from "#domain/Id.ts"
import type { WorkspaceEvent } from "#domain/Workspace.ts"
import { repositoryOf, Workspace } from "#domain/Workspace.ts"
import { EventStore } from "#ports/EventStore.ts"
import { Workspaces } from "#ports/Workspaces.ts"
import { endingId } from "#src/agent/commit.ts"
import { Runs } from "#src/agent/Queue.ts"
import { Api } from "#src/api/Api.ts"
import type { ChatRequest } from "#src/api/Chat.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { Problem } from "#src/api/Problem.ts"
import { Unreadable } from "#src/ask.ts"
import type { Attempt } from "#src/attempt.ts"
import * as Codec from "#src/codec.ts"
import { Dispatcher, dispatch } from "#src/dispatch.ts"
import { streamOf, unlessErased } from "#src/workspaces.ts"
import { attempting, written } from "./answer.ts"
import { orProblem } from "./refusals.ts"

type Ended = Extract<WorkspaceEvent, { readonly _tag: "ChatCompleted" | "ChatFailed" }>

const erased = new Problem({
  code: "conflict/workspace_erased",
  message:
    "The workspace was erased after this chat was asked for, and the chat with it. Ask again to begin in an empty workspace; with a new Idempotency-Key where you send one."
})

/** How the run ended, as its workspace's stream has it. */
const endOf = Effect.fnUntraced(function* (run: string) {
  const store = yield* EventStore
  const stored = yield* Effect.mapError(store.outcome(endingId(run)), () => new Unreadable())
  const last = stored.at(-1)
  if (last === undefined) return undefined
  const { event, ...envelope } = Codec.decode(last)
  return { ...envelope, event: event as Ended }
})

/** The answer comes from the run's events and its commit alone, so that a repeated request gets the same one. */
const answerOf = Effect.fnUntraced(function* (run: string, repository: string, requestedAt: number) {
  const git = yield* Workspaces
  const end = yield* endOf(run)
  if (end === undefined) return yield* Effect.die(new Error("only what was erased stops without an end"))
  if (end.event.text === null) return yield* erased
  const { event, recordedAt, position } = end
  const { workspace, tree, commit, parent } = event
  const before = parent === null ? undefined : yield* git.readCommit(repository, parent)
  const changes = yield* git.compare(repository, before?.tree, tree)
  const files = (yield* git.files(repository, tree)).map(({ path }) => path)
  yield* written(position)
  return {
    success: event._tag === "ChatCompleted",
    output: end.event.text.output,
    error: event._tag === "ChatFailed" ? (event.text?.error ?? "") : "",
    session_id: run,
    duration_ms: Math.max(0, Math.round(recordedAt - requestedAt)),
    changed_files: changes.filter(({ status }) => status !== "deleted").map(({ path }) => path),
    workspace_files: files,
    org_workspace_files: files,
    workspace_id: workspace,
    commit
  }
})

/** A chat that was erased is no answer to the same request now: it is asked anew, unless its key says that it is one. */
const inGeneration = (attempt: Attempt, generation: number): Attempt =>
  generation === 0 || typeof attempt.request?.fingerprint === "string"
    ? attempt
    : { ...attempt, commandId: derivedId("chat", attempt.commandId, generation) }

/** Gives the agent a task in a workspace of the caller's, and waits for how it ends. */
export const chat = Effect.fnUntraced(function* (payload: typeof ChatRequest.Type) {
  const { tenant, key } = yield* Caller
  const { homes, includePublic } = yield* CallerScope
  const { org_id: org, user_id: user, user_query: prompt } = payload
  const workspace = derivedId("workspace", tenant, org, user)
  const { generation } = yield* (yield* Dispatcher).state(Workspace, streamOf(workspace))
  const attempt = inGeneration(yield* attempting, generation)
  const run = derivedId("run", attempt.commandId)
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
  const { event, position, recordedAt } = requested!
  if (event._tag !== "ChatRequested") return yield* Effect.die(new Error("a chat begins with its request"))
  yield* (yield* Runs).end({ run, workspace, position })
  const answer = answerOf(run, repositoryOf(workspace, event.generation), recordedAt)
  return yield* unlessErased({ id: workspace, generation: event.generation }, answer, erased)
}, orProblem)

export const layer = HttpApiBuilder.group(Api, "chat", (handlers) =>
  handlers.handle("chat", ({ payload }) => chat(payload))
)
