import type { FileChange } from "./commits.ts"
import { type Run, type RunUsage, type RunWire, runOf, usageOf } from "./run.ts"

/** The run is stored, and goes on by itself. */
export interface RunRequested {
  /** What it is. */
  readonly type: "requested"
  /** Its place in the run's stream. */
  readonly id: string
  /** For `runs`. */
  readonly runId: string
  /** Where its files will be. */
  readonly workspaceId: string
  /** As it was asked for. */
  readonly model: string
  /** That it may take. */
  readonly maxTurns: number
  /** Whether it reads and writes its workspace's memory. */
  readonly memory: boolean
  /** ISO 8601. */
  readonly requestedAt: string
}

/** The run has begun, on its workspace's last commit. */
export interface RunStarted {
  /** What it is. */
  readonly type: "started"
  /** Its place in the run's stream. */
  readonly id: string
  /** A SHA; `null` when it is the workspace's first one. */
  readonly commit: string | null
}

/** Another process has taken the run up: a turn that was not told yet is asked for again. */
export interface RunResumed {
  /** What it is. */
  readonly type: "resumed"
  /** Its place in the run's stream. */
  readonly id: string
  /** At this step, from 1. */
  readonly attempt: number
}

/** The run was cancelled, and is about to end. */
export interface RunCancelling {
  /** What it is. */
  readonly type: "cancelling"
  /** Its place in the run's stream. */
  readonly id: string
}

/** The talk was longer than the model reads: it goes on with a summary of its first turns. */
export interface RunCompacted {
  /** What it is. */
  readonly type: "compacted"
  /** Its place in the run's stream. */
  readonly id: string
  /** Turns that the run had. */
  readonly turn: number
  /** The last turn that is summed up. */
  readonly upTo: number
}

/** The workspace's memory goes on with the run, which is about to end. */
export interface RunRemembered {
  /** What it is. */
  readonly type: "remembered"
  /** Its place in the run's stream. */
  readonly id: string
  /** `written` (by the model), `listed` (as one line) or `kept` (the file can't be read as a whole). */
  readonly how: string
  /** Of the file that has it. */
  readonly path: string
  /** What the model took for it. */
  readonly usage: RunUsage
}

/** What the model says as it says it: the turn that follows has all of it. */
export interface RunText {
  /** What it is. */
  readonly type: "text"
  /** From 1. */
  readonly turn: number
  /**
   * Where the text stands in its turn, in UTF-16 code units; 0: the turn is said from its beginning, once more if it
   * was before.
   */
  readonly offset: number
  /** A piece. */
  readonly text: string
}

/** A call of a tool. */
export interface ToolCall {
  /** For the result. */
  readonly id: string
  /** Of the tool. */
  readonly name: string
  /** What the model wrote for it. */
  readonly input: unknown
}

/** A turn that the model has taken. */
export interface RunTurn {
  /** What it is. */
  readonly type: "turn"
  /** Its place in the run's stream. */
  readonly id: string
  /** From 1. */
  readonly turn: number
  /** All that it said. */
  readonly text: string
  /** Tools that are run now, one after another. */
  readonly toolCalls: ReadonlyArray<ToolCall>
  /** Of this turn. */
  readonly usage: RunUsage
}

/** What a tool answered. */
export interface ToolResult {
  /** The call's `id`. */
  readonly toolCallId: string
  /** What the model reads. */
  readonly content: string
  /** Whether it failed. */
  readonly isError: boolean
}

interface ToolResultWire {
  readonly tool_call_id: string
  readonly content: string
  readonly is_error: boolean
}

export const toolResultOf = (wire: ToolResultWire): ToolResult => ({
  toolCallId: wire.tool_call_id,
  content: wire.content,
  isError: wire.is_error
})

/** The tools of a turn have run. */
export interface RunTools {
  /** What it is. */
  readonly type: "tools"
  /** Its place in the run's stream. */
  readonly id: string
  /** The turn that called them. */
  readonly turn: number
  /** In the order of the calls. */
  readonly results: ReadonlyArray<ToolResult>
  /** The first 500 files that they changed; `null`: nobody knows any more, a day after the run. */
  readonly changedFiles: ReadonlyArray<FileChange> | null
  /** How many they are. */
  readonly changed: number | null
}

/** The run has ended, well or not. */
export interface RunAnswered {
  /** What it is. */
  readonly type: "answer"
  /** As `runs.get` gives it. */
  readonly run: Omit<Run, "_requestId">
}

/** What comes of a run. A newer service may have other events: they are passed over. */
export type RunEvent =
  | RunRequested
  | RunStarted
  | RunResumed
  | RunCancelling
  | RunCompacted
  | RunRemembered
  | RunText
  | RunTurn
  | RunTools
  | RunAnswered

// biome-ignore lint/suspicious/noExplicitAny: what a message says, by its kind
type Wire = any

const readers: { readonly [event: string]: (wire: Wire, id: string) => RunEvent } = {
  requested: (wire, id) => ({
    type: "requested",
    id,
    runId: wire.run_id,
    workspaceId: wire.workspace_id,
    model: wire.model,
    maxTurns: wire.max_turns,
    memory: wire.memory ?? false,
    requestedAt: wire.requested_at
  }),
  started: ({ commit }, id) => ({ type: "started", id, commit }),
  resumed: ({ attempt }, id) => ({ type: "resumed", id, attempt }),
  cancelling: (_, id) => ({ type: "cancelling", id }),
  compacted: ({ turn, up_to: upTo }, id) => ({ type: "compacted", id, turn, upTo }),
  remembered: ({ how, path, usage }, id) => ({ type: "remembered", id, how, path, usage: usageOf(usage) }),
  text: ({ turn, offset, text }) => ({ type: "text", turn, offset, text }),
  turn: ({ turn, text, tool_calls, usage }, id) => ({
    type: "turn",
    id,
    turn,
    text,
    toolCalls: tool_calls,
    usage: usageOf(usage)
  }),
  tools: ({ turn, results, changed_files, changed }, id) => ({
    type: "tools",
    id,
    turn,
    results: results.map(toolResultOf),
    changedFiles: changed_files,
    changed
  }),
  answer: (wire: RunWire) => ({ type: "answer", run: runOf(wire) })
}

/** An event off its message; `undefined`: this version knows none of that name. Throws on what is no such event. */
export const runEventOf = (name: string, id: string, data: string): RunEvent | undefined =>
  Object.hasOwn(readers, name) ? readers[name]!(JSON.parse(data), id) : undefined
