import { Effect, Option, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { mayAsk, worksIn } from "#domain/access/reach.ts"
import { Chat, ChatCommand } from "#domain/Chat.ts"
import type { WorkspaceEvent } from "#domain/Workspace.ts"
import { repositoryOf, Workspace } from "#domain/Workspace.ts"
import { fresh, longPatience, Unreadable } from "#engine/ask.ts"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { derivedId } from "#engine/derivedId.ts"
import { Dispatcher, dispatch } from "#engine/dispatch.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { LanguageModel } from "#ports/LanguageModel.ts"
import type { Prices } from "#ports/ModelSettings.ts"
import { WorkspaceStore, type WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { Consumption } from "#projections/Consumption.ts"
import { Api } from "#src/api/Api.ts"
import type { ChatRequest, ChatResponse } from "#src/api/Chat.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { fieldProblem, Problem } from "#src/api/Problem.ts"
import * as Codec from "#src/codec.ts"
import { boundsRefusal, mostTurns } from "#src/usage/bounds.ts"
import { endingId } from "#src/workspaces/commit.ts"
import { workspaceId } from "#src/workspaces/open.ts"
import { Runs } from "#src/workspaces/queue.ts"
import { streamOf, unlessErased } from "#src/workspaces/restore.ts"
import { commandMetadata, written } from "./answer.ts"
import { inPieces, values } from "./pieces.ts"
import { orProblem } from "./refusals.ts"
import { twice } from "./twice.ts"
import { notYours } from "./Workspaces/own.ts"

type Ended = Extract<WorkspaceEvent, { readonly _tag: "ChatCompleted" | "ChatFailed" }>

const erased = new Problem({
  code: "conflict/workspace_erased",
  message:
    "The workspace was erased after this chat was asked for, and the chat with it. Ask again to begin in an empty workspace; with a new Idempotency-Key where you send one."
})

/** How the run ended, as its workspace's stream has it. */
const endOf = Effect.fnUntraced(function* (run: string, workspace: string) {
  const store = yield* EventStore
  const stored = yield* Effect.mapError(store.outcome(streamOf(workspace), endingId(run)), () => new Unreadable())
  const last = stored.at(-1)
  if (last === undefined) return undefined
  const { event, ...envelope } = Codec.decode(last)
  return { ...envelope, event: event as Ended }
})

/** A chat that has ended. */
interface Asked {
  readonly run: string
  readonly workspace: string
  readonly generation: number
  /** Milliseconds: when it was asked for. */
  readonly recordedAt: number
}

/** The answer comes from the run's events and its commit alone, so that a repeated request gets the same one. */
const answerOf = Effect.fnUntraced(function* ({ run, workspace, generation, recordedAt: requestedAt }: Asked) {
  const git = yield* WorkspaceStore
  const repository = repositoryOf(workspace, generation)
  const end = yield* endOf(run, workspace)
  if (end === undefined) return yield* Effect.die(new Error("only what was erased stops without an end"))
  if (end.event.text === null) return yield* erased
  const { event, recordedAt, position } = end
  const { tree, commit, parent } = event
  const before = parent === null ? undefined : yield* git.readCommit(repository, parent)
  yield* written(position)
  return {
    facts: {
      success: event._tag === "ChatCompleted",
      output: end.event.text.output,
      error: event._tag === "ChatFailed" ? (event.text?.error ?? "") : "",
      session_id: run,
      duration_ms: Math.max(0, Math.round(recordedAt - requestedAt)),
      workspace_id: workspace,
      commit
    },
    counts: { files: event.files, changed: event.created + event.modified },
    /** Paths in batches, read as they are asked for: there may be fifty thousand of four kilobytes. */
    changed: Stream.map(git.eachChange(repository, before?.tree, tree), (changes) =>
      changes.filter(({ status }) => status !== "deleted").map(({ path }) => path)
    ),
    files: git.eachPath(repository, tree)
  }
})

/**
 * A chat that was erased is no answer to the same request now: it is asked anew, unless its key says that it is one.
 */
const inGeneration = (metadata: CommandMetadata, generation: number): CommandMetadata =>
  generation === 0 || typeof metadata.request?.fingerprint === "string"
    ? metadata
    : { ...metadata, commandId: derivedId("chat", metadata.commandId, generation) }

const notThisModel = (model: string) =>
  fieldProblem(
    "permission/limited_key",
    "model",
    `This key may not ask for the model ${model}. GET /api/models lists those that it may ask for.`
  )

/** Gives the agent a task in a workspace of the caller's, and waits for how it ends. */
const ended = Effect.fnUntraced(function* (payload: typeof ChatRequest.Type) {
  const holder = yield* Caller
  const { tenant, key } = holder
  const { homes, includePublic } = yield* CallerScope
  const { org_id: org, user_id: user, user_query: prompt } = payload
  const model = payload.model ?? "sonnet"
  const workspace = workspaceId(tenant, org, user)
  if (!worksIn(holder, { id: workspace, user })) return yield* notYours
  if (!mayAsk(holder, model)) return yield* notThisModel(model)
  const { generation } = yield* (yield* Dispatcher).state(Workspace, streamOf(workspace))
  const metadata = inGeneration(yield* commandMetadata, generation)
  const run = derivedId("run", metadata.commandId)
  yield* fresh(Consumption, longPatience)
  const most = yield* Effect.orDie(mostTurns(tenant, key))
  const maxTurns = payload.max_turns ?? Math.min(8, most ?? 8)
  // what was asked for before goes on, and is answered as it ended
  const begun = yield* Effect.mapError(
    (yield* EventStore).outcome(`chat-${run}`, metadata.commandId),
    () => new Unreadable()
  )
  if (begun.length === 0) {
    const chatting = { tenant, key, model, turns: maxTurns, requested: null }
    const refusal = yield* Effect.orDie(boundsRefusal(chatting))
    if (refusal !== undefined) return yield* refusal
  }
  const [requested] = yield* dispatch(Chat, {
    tenant,
    stream: `chat-${run}`,
    command: ChatCommand.RequestChat({
      run,
      workspace,
      generation,
      homes,
      includePublic,
      key,
      prompt,
      org,
      user,
      model,
      maxTurns
    }),
    ...metadata,
    correlationId: run
  }).pipe(Effect.catchTag(["ChatNotRequested", "ChatStuck"], Effect.die))
  const { event, position, recordedAt } = requested!
  if (event._tag !== "ChatRequested") return yield* Effect.die(new Error("a chat begins with its request"))
  yield* (yield* Runs).end({ run, workspace, position })
  const asked: Asked = { run, workspace, generation: event.generation, recordedAt }
  return asked
})

type Answer = Effect.Success<ReturnType<typeof answerOf>>

/** How a chat ended, as it is told. */
const chatting = <A, E extends WorkspacesUnavailable | Problem, R>(
  payload: typeof ChatRequest.Type,
  tell: (answer: Answer) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const asked = yield* ended(payload)
    const answer = Effect.flatMap(answerOf(asked), tell)
    return yield* unlessErased({ id: asked.workspace, generation: asked.generation }, answer, erased)
  }).pipe(orProblem)

const inFull = ({ facts, changed, files }: Answer) => {
  const [workspaceFiles, orgWorkspaceFiles] = twice(files)
  return inPieces({
    ...values(facts),
    changed_files: { rows: changed },
    workspace_files: { rows: workspaceFiles },
    org_workspace_files: { rows: orgWorkspaceFiles }
  })
}

/** Paths of each list that a message carries; at most 500 of them, or 64 KiB and one. */
const first = (batches: Answer["files"]) =>
  Effect.map(
    Stream.runHead(Stream.filter(batches, ({ length }) => length > 0)),
    Option.getOrElse((): ReadonlyArray<string> => [])
  )

/** A chat's answer as one value, with the first paths of its lists alone, and how many there are. */
export const chat = (payload: typeof ChatRequest.Type) =>
  chatting(
    payload,
    Effect.fnUntraced(function* ({ facts, counts, changed, files }) {
      const named = yield* first(files)
      const answer: typeof ChatResponse.Type = {
        ...facts,
        changed_files: yield* first(changed),
        workspace_files: named,
        org_workspace_files: named
      }
      return { answer, counts }
    })
  )

const pricesOf = ({ input, output, cacheRead, cacheWrite }: Prices) => ({
  input,
  output,
  cache_read: cacheRead,
  cache_write: cacheWrite
})

export const layer = HttpApiBuilder.group(Api, "chat", (handlers) =>
  handlers
    .handle("chat", ({ payload }) => chatting(payload, inFull))
    .handle("models", () =>
      Effect.gen(function* () {
        const holder = yield* Caller
        const { named, others } = (yield* LanguageModel).choices
        const allowed = named.filter(({ name }) => mayAsk(holder, name))
        const models = allowed.map(({ name, model, api, prices }) => ({
          name,
          model,
          provider: api,
          prices: prices === undefined ? null : pricesOf(prices)
        }))
        return { models, full_ids: others && holder.limits.models === null }
      })
    )
)
