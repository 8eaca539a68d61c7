import { Effect } from "effect"
import { worksIn } from "#domain/access/reach.ts"
import type { ChatEvent } from "#domain/Chat.ts"
import { idIn } from "#domain/Id.ts"
import { Unreadable } from "#engine/ask.ts"
import type { Recorded } from "#engine/Event.ts"
import { eachOfStream } from "#engine/pages.ts"
import type { ToolResult, Usage } from "#ports/LanguageModel.ts"
import type { WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { Caller } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import type { CalledTool, ListedRun, RunMemory } from "#src/api/Runs.ts"
import { usageOf } from "#src/workspaces/loop.ts"
import { compactionOf, rememberedOf, resultsOf, turnOf } from "#src/workspaces/turns.ts"
import { answerOf, endOf, fieldsOf } from "../Chat/answer.ts"
import { type Fields, values } from "../pieces.ts"

export const noRun = fieldProblem(
  "not_found/run",
  "id",
  "You have no run with this id, or its workspace was erased, and its chats with it. A chat with `Prefer: respond-async` answers with its run's, and any other one says it at its end, as `session_id`."
)

export type RequestedEvent = Extract<ChatEvent, { readonly _tag: "ChatRequested" }>

/** A run, as its stream has it. */
export interface OwnRun {
  readonly id: string
  /** Whose workspace it is in. */
  readonly user: string
  readonly requested: RequestedEvent
  /** Milliseconds. */
  readonly requestedAt: number
  readonly events: ReadonlyArray<Recorded<ChatEvent>>
}

/** The run that the caller names, if their key works in its workspace; `noRun` otherwise, or after an erasure. */
export const ownRun = Effect.fnUntraced(function* (given: string) {
  const holder = yield* Caller
  const id = idIn(given)
  if (id === undefined) return yield* noRun
  const events: Array<Recorded<ChatEvent>> = []
  yield* Effect.mapError(
    eachOfStream<ChatEvent>(`chat-${id}`, -1, (event) => events.push(event)),
    () => new Unreadable()
  )
  const [requested] = events
  if (requested?.event._tag !== "ChatRequested" || requested.tenant !== holder.tenant) return yield* noRun
  const { workspace, text } = requested.event
  if (text === null || !worksIn(holder, { id: workspace, user: text.user })) return yield* noRun
  return { id, user: text.user, requested: requested.event, requestedAt: requested.recordedAt, events } satisfies OwnRun
})

type State = (typeof ListedRun.Type)["state"]

/** The state of a run that has ended, as the API tells it. */
export const stateOf = (failure: string | null): State =>
  failure === null ? "completed" : failure === "cancelled" ? "cancelled" : "failed"

/** A time of the log (milliseconds) in ISO 8601. */
export const isoOf = (time: number): string => new Date(time).toISOString()

/** Tokens as the API tells them. */
export const shownUsage = (usage: Usage) => ({
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  cache_read_tokens: usage.cacheReadTokens,
  cache_write_tokens: usage.cacheWriteTokens
})

/** Tools' results as the API tells them. */
export const shownResults = (results: ReadonlyArray<ToolResult>) =>
  results.map(({ toolUseId, content, isError }) => ({ tool_call_id: toolUseId, content, is_error: isError }))

/** How a run gets into the workspace's memory; `null`: it neither reads nor writes it. */
const memoryOf = (events: OwnRun["events"], ended: boolean): (typeof RunMemory)["Type"] | null => {
  if (!events.some(({ event }) => event._tag === "MemoryAsked")) return null
  const [how] = events.flatMap(({ event }) => (event._tag === "ChatRemembered" ? [event.how] : []))
  return how ?? (ended ? "none" : "pending")
}

/** The tools that a run has called, in the order of their first calls. */
const toolsOf = (events: OwnRun["events"]): ReadonlyArray<typeof CalledTool.Type> => {
  const called = new Map<string, string>()
  const tools = new Map<string, { name: string; calls: number; failed: number }>()
  for (const { event } of events) {
    if (event._tag === "ModelTurned")
      for (const says of turnOf(event).says) {
        if (says._tag !== "ToolCall") continue
        called.set(says.id, says.name)
        const tool = tools.get(says.name) ?? { name: says.name, calls: 0, failed: 0 }
        tools.set(says.name, { ...tool, calls: tool.calls + 1 })
      }
    if (event._tag === "ToolsRan")
      for (const { toolUseId, isError } of resultsOf(event)) {
        const tool = tools.get(called.get(toolUseId) ?? "")
        if (isError && tool !== undefined) tools.set(tool.name, { ...tool, failed: tool.failed + 1 })
      }
  }
  return [...tools.values()]
}

/**
 * A run as the API tells it: how far it is, and its answer once it has ended. Fails with `erased` if its workspace was
 * erased meanwhile.
 */
export const shownRun = Effect.fnUntraced(function* ({ id, requested, requestedAt, events }: OwnRun) {
  const { workspace, generation, model, maxTurns } = requested
  const end = yield* endOf(id, workspace)
  const failure = end?.event._tag === "ChatFailed" ? end.event.code : null
  const has = (tag: ChatEvent["_tag"]) => events.some(({ event }) => event._tag === tag)
  const turned = events.flatMap(({ event }) => (event._tag === "ModelTurned" ? [event] : []))
  const usage = usageOf(
    events.flatMap(({ event }) => {
      if (event._tag === "ChatCompacted") return [compactionOf(event).usage]
      if (event._tag === "ChatRemembered") return [rememberedOf(event).usage]
      return event._tag === "ModelTurned" ? [turnOf(event).usage] : []
    })
  )
  const open: State = has("ChatCancelled") ? "cancelling" : has("ChatStarted") ? "running" : "waiting"
  const facts = {
    run_id: id,
    workspace_id: workspace,
    state: end === undefined ? open : stateOf(failure),
    failure,
    model,
    turns: turned.length,
    max_turns: maxTurns,
    requested_at: isoOf(requestedAt),
    ended_at: end === undefined ? null : isoOf(end.recordedAt),
    memory: memoryOf(events, end !== undefined),
    usage: shownUsage(usage),
    task: requested.text?.prompt ?? "",
    tools: toolsOf(events)
  }
  const answer =
    end === undefined
      ? undefined
      : fieldsOf(yield* answerOf({ run: id, workspace, generation, recordedAt: requestedAt }))
  const fields: Fields<WorkspacesUnavailable, never> = {
    ...values(facts),
    answer: answer === undefined ? { value: null } : { object: answer }
  }
  return fields
})
