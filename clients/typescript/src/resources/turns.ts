import type { Result } from "../Result.ts"
import { type Answer, json } from "../request.ts"
import { type RunUsage, type RunWire, usageOf } from "./run.ts"
import { type ToolResult, toolResultOf } from "./runEvents.ts"

/** The request that summed older turns up, before a turn. */
export interface TurnCompacted {
  /** Its own. */
  readonly usage: RunUsage
  /** US dollars, by today's prices; `null`: nobody has said any. */
  readonly cost: number | null
  /** The last turn that is summed up. */
  readonly upTo: number
  /** The full name of the one that wrote the summary; `null`: none could, so it is a list of the steps. */
  readonly model: string | null
  /** ISO 8601. */
  readonly recordedAt: string
}

/** The request behind the last turn, for the workspace's memory. */
export interface TurnRemembered {
  /** Its own. */
  readonly usage: RunUsage
  /** US dollars, by today's prices; `null`: nobody has said any. */
  readonly cost: number | null
  /** `written` by the model, `listed` as one line, `kept` as it was. */
  readonly how: string
  /** The full name of the one that wrote it; `null`: none did. */
  readonly model: string | null
  /** ISO 8601. */
  readonly recordedAt: string
}

/** A turn of a run, without what was said. */
export interface TakenTurn {
  /** Its own. */
  readonly usage: RunUsage
  /** US dollars, by today's prices; `null`: nobody has said any. */
  readonly cost: number | null
  /** From 1. */
  readonly turn: number
  /** The full name of the model that answered; `null`: it is not known. */
  readonly model: string | null
  /** `done`, `calls` (of tools), `paused`, `declined`, `cut` (at its limit), `full` (more than the model reads). */
  readonly ended: string
  /** When the step before it was recorded, ISO 8601: what came between, the model took, or an interruption. */
  readonly begunAt: string
  /** When what the model said was recorded, ISO 8601. */
  readonly answeredAt: string
  /** When its tools had run, ISO 8601; `null`: it called none, or they have not ended. */
  readonly toolsEndedAt: string | null
  /** `null`: nothing was summed up before it. */
  readonly compacted: TurnCompacted | null
}

/** What `runs.turns` gives. */
export interface TurnList extends Result {
  /** A UUID. */
  readonly runId: string
  /** Where its files are. */
  readonly workspaceId: string
  /** The first one first, so far. */
  readonly turns: ReadonlyArray<TakenTurn>
  /** `null`: there is none, or not yet. */
  readonly remembered: TurnRemembered | null
}

/** A tool that a model was offered. */
export interface OfferedTool {
  /** By which it is called. */
  readonly name: string
  /** For the model. */
  readonly description: string
  /** A JSON schema. */
  readonly inputSchema: { readonly [key: string]: unknown }
}

/** A turn before, as the model was told it. */
export interface ToldExchange {
  /** Its number. */
  readonly turn: number
  /**
   * What the model had said, block by block: `{type: "text", text}`, `{type: "tool_use", id, name, input}`, and what
   * means something to the model alone, as it came.
   */
  readonly content: ReadonlyArray<{ readonly [key: string]: unknown }>
  /** What its tools answered; `null`: it called none. */
  readonly results: ReadonlyArray<ToolResult> | null
}

/** What a model was told when it was asked for a turn. */
export interface Told {
  /** The system prompt, in the words of the service's version. */
  readonly system: string
  /** In the words of the service's version, too. */
  readonly tools: ReadonlyArray<OfferedTool>
  /** The task, with the account of earlier chats and the summary of turns told in short behind it. */
  readonly prompt: string
  /** The last turn that `prompt` tells in short; 0: none. */
  readonly compactedUpTo: number
  /** `told`: `prompt` has an account of earlier chats; `none`: there was none; `unreadable`; `null`: not asked for. */
  readonly memory: string | null
  /** The turns before, the first one first. */
  readonly history: ReadonlyArray<ToldExchange>
}

/** What `runs.turn` gives. */
export interface ToldTurn extends TakenTurn, Result {
  /** A UUID. */
  readonly runId: string
  /** Where its files are. */
  readonly workspaceId: string
  /** When it was asked for this turn. */
  readonly told: Told
}

interface SpentWire {
  readonly usage: RunWire["usage"]
  readonly cost: number | null
}

interface RecordedWire extends SpentWire {
  readonly model: string | null
  readonly recorded_at: string
}

interface TurnWire extends SpentWire {
  readonly turn: number
  readonly model: string | null
  readonly ended: string
  readonly begun_at: string
  readonly answered_at: string
  readonly tools_ended_at: string | null
  readonly compacted: (RecordedWire & { readonly up_to: number }) | null
}

interface OfRunWire {
  readonly run_id: string
  readonly workspace_id: string
}

interface ToldWire {
  readonly system: string
  readonly tools: ReadonlyArray<{
    readonly name: string
    readonly description: string
    readonly input_schema: OfferedTool["inputSchema"]
  }>
  readonly prompt: string
  readonly compacted_up_to: number
  readonly memory: string | null
  readonly history: ReadonlyArray<{
    readonly turn: number
    readonly content: ToldExchange["content"]
    readonly results: ReadonlyArray<Parameters<typeof toolResultOf>[0]> | null
  }>
}

const spentOf = ({ usage, cost }: SpentWire) => ({ usage: usageOf(usage), cost })

const recordedOf = (wire: RecordedWire) => ({
  model: wire.model,
  recordedAt: wire.recorded_at,
  ...spentOf(wire)
})

const turnOf = (wire: TurnWire): TakenTurn => ({
  turn: wire.turn,
  model: wire.model,
  ended: wire.ended,
  begunAt: wire.begun_at,
  answeredAt: wire.answered_at,
  toolsEndedAt: wire.tools_ended_at,
  ...spentOf(wire),
  compacted: wire.compacted === null ? null : { upTo: wire.compacted.up_to, ...recordedOf(wire.compacted) }
})

const toldOf = (wire: ToldWire): Told => ({
  system: wire.system,
  tools: wire.tools.map(({ name, description, input_schema }) => ({ name, description, inputSchema: input_schema })),
  prompt: wire.prompt,
  compactedUpTo: wire.compacted_up_to,
  memory: wire.memory,
  history: wire.history.map(({ turn, content, results }) => ({
    turn,
    content,
    results: results === null ? null : results.map(toolResultOf)
  }))
})

export const turnList: Answer<TurnList> = json(
  (
    wire: OfRunWire & {
      readonly turns: ReadonlyArray<TurnWire>
      readonly remembered: (RecordedWire & { readonly how: string }) | null
    }
  ): TurnList => ({
    runId: wire.run_id,
    workspaceId: wire.workspace_id,
    turns: wire.turns.map(turnOf),
    remembered: wire.remembered === null ? null : { how: wire.remembered.how, ...recordedOf(wire.remembered) }
  })
)

export const toldTurn: Answer<ToldTurn> = json(
  (wire: OfRunWire & TurnWire & { readonly told: ToldWire }): ToldTurn => ({
    runId: wire.run_id,
    workspaceId: wire.workspace_id,
    ...turnOf(wire),
    told: toldOf(wire.told)
  })
)
