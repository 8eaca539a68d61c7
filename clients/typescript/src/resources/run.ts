import type { Result } from "../Result.ts"
import { type Answer, json } from "../request.ts"
import { type ChatResponse, type ChatWire, chatResponseOf } from "./chatResponse.ts"

/** What `runs.start` gives. */
export interface StartedRun extends Result {
  /** For `runs`; the `sessionId` of its answer. */
  readonly runId: string
  /** Where its files will be. */
  readonly workspaceId: string
}

/** A chat, as `runs.list` has it. */
export interface ListedRun {
  /** A UUID. */
  readonly runId: string
  /** Where its files are. */
  readonly workspaceId: string
  /**
   * `waiting` (for another chat of its workspace, or to begin), `running`, `cancelling`, `completed`, `failed` or
   * `cancelled`; a newer service may have others.
   */
  readonly state: string
  /** Why it failed: `model`, `max_turns`, `interrupted`, `revoked`, `bound`, `cancelled`; `null` when it did not. */
  readonly failure: string | null
  /** As it was asked for. */
  readonly model: string
  /** That it has taken. */
  readonly turns: number
  /** That it may take. */
  readonly maxTurns: number
  /** ISO 8601. */
  readonly requestedAt: string
  /** ISO 8601; `null` when it has not ended. */
  readonly endedAt: string | null
  /** The first 200 characters of what was asked for. */
  readonly task: string
}

/** Tokens of all turns of a run. */
export interface RunUsage {
  /** Read, those of the cache too. */
  readonly inputTokens: number
  /** Written. */
  readonly outputTokens: number
  /** Read from the provider's cache. */
  readonly cacheReadTokens: number
  /** Put into it. */
  readonly cacheWriteTokens: number
}

/** A tool that a run has called. */
export interface CalledTool {
  /** Of the tool. */
  readonly name: string
  /** How often. */
  readonly calls: number
  /** Calls that failed. */
  readonly failed: number
}

/** What `runs.get` gives. */
export interface Run extends Omit<ListedRun, "task">, Result {
  /**
   * How the workspace's memory goes on with it: `pending`, `written` (by the model), `listed` (as one line), `kept`
   * (the file can't be read as a whole), `none` (the run was given up); `null` when it was not asked for.
   */
  readonly memory: string | null
  /** So far. */
  readonly usage: RunUsage
  /** All that was asked for. */
  readonly task: string
  /** Those that it has called so far, the one called first first. */
  readonly tools: ReadonlyArray<CalledTool>
  /** What `chat` would have given; `null` until it has ended. */
  readonly answer: ChatResponse | null
}

/** What `runs.list` gives. */
export interface RunList extends Result {
  /** The one asked for last first. */
  readonly runs: ReadonlyArray<ListedRun>
  /** For `cursor`; `null` at the end. */
  readonly nextCursor: string | null
}

/** What `runs.cancel` gives. */
export interface CancelResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** The run. */
  readonly runId: string
  /** Where what it wrote is saved. */
  readonly workspaceId: string
}

interface FactsWire {
  readonly run_id: string
  readonly workspace_id: string
  readonly state: string
  readonly failure: string | null
  readonly model: string
  readonly turns: number
  readonly max_turns: number
  readonly requested_at: string
  readonly ended_at: string | null
}

export interface RunWire extends FactsWire {
  readonly memory?: string | null
  readonly usage: {
    readonly input_tokens: number
    readonly output_tokens: number
    readonly cache_read_tokens: number
    readonly cache_write_tokens: number
  }
  /** Not told by a service that is older than this client. */
  readonly task?: string
  readonly tools?: ReadonlyArray<CalledTool>
  readonly answer: ChatWire | null
}

const factsOf = (wire: FactsWire) => ({
  runId: wire.run_id,
  workspaceId: wire.workspace_id,
  state: wire.state,
  failure: wire.failure,
  model: wire.model,
  turns: wire.turns,
  maxTurns: wire.max_turns,
  requestedAt: wire.requested_at,
  endedAt: wire.ended_at
})

export const started: Answer<StartedRun> = json(
  (wire: { run_id: string; workspace_id: string }): StartedRun => ({
    runId: wire.run_id,
    workspaceId: wire.workspace_id
  })
)
export const usageOf = (wire: RunWire["usage"]): RunUsage => ({
  inputTokens: wire.input_tokens,
  outputTokens: wire.output_tokens,
  cacheReadTokens: wire.cache_read_tokens,
  cacheWriteTokens: wire.cache_write_tokens
})
export const runOf = (wire: RunWire): Omit<Run, keyof Result> => ({
  ...factsOf(wire),
  memory: wire.memory ?? null,
  usage: usageOf(wire.usage),
  task: wire.task ?? "",
  tools: (wire.tools ?? []).map(({ name, calls, failed }) => ({ name, calls, failed })),
  answer: wire.answer === null ? null : chatResponseOf(wire.answer)
})
export const run: Answer<Run> = json(runOf)
export const list: Answer<RunList> = json(
  (wire: { runs: ReadonlyArray<FactsWire & { task: string }>; next_cursor: string | null }): RunList => ({
    runs: wire.runs.map((one) => ({ ...factsOf(one), task: one.task })),
    nextCursor: wire.next_cursor
  })
)
export const cancelled: Answer<CancelResponse> = json(
  (wire: { success: boolean; run_id: string; workspace_id: string }): CancelResponse => ({
    success: wire.success,
    runId: wire.run_id,
    workspaceId: wire.workspace_id
  })
)
