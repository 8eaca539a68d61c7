import { Effect, Schema } from "effect"
import {
  type Exchange,
  type Heard,
  LanguageModel,
  type ModelTurn,
  type Talk,
  type ToolCall,
  type ToolResult,
  type Usage
} from "#ports/LanguageModel.ts"
import { type Compaction, canBeShorter, compact, isTooLong, talkOf } from "./compact.ts"
import type { Tool } from "./tools/tool.ts"
import { textOf } from "./transcript.ts"

/** An agent's work on one task, from wherever it stands. A hook that fails ends it. */
export interface Conversation extends Omit<Talk, "tools" | "history"> {
  readonly tools: ReadonlyArray<Tool>
  readonly maxTurns: number
  /** Non-empty when a run resumes; the last exchange's tools run first when they have no results yet. */
  readonly history: ReadonlyArray<Exchange>
  /** The run's last compaction: what the model is told in place of the first turns. */
  readonly compaction: Compaction | undefined
  /** Turns count from 1. Called before each request to the model. */
  readonly beforeTurn: (turn: number) => Effect.Effect<void, ConversationStopped>
  /** Takes what the model says while it says it: the turn may still fail and be asked for again. */
  readonly hearing: (turn: number) => Heard
  /** Makes a turn durable before its tools run; the conversation goes on from what it answers. */
  readonly onTurn: (turn: number, said: ModelTurn) => Effect.Effect<ModelTurn, ConversationStopped>
  /** Makes the results of a turn's tools durable; the conversation goes on from what it answers. */
  readonly onTools: (
    turn: number,
    results: ReadonlyArray<ToolResult>
  ) => Effect.Effect<ReadonlyArray<ToolResult>, ConversationStopped>
  /** Makes a compaction durable before the model is asked again; the conversation goes on from what it answers. */
  readonly onCompaction: (compaction: Compaction) => Effect.Effect<Compaction, ConversationStopped>
}

export interface ConversationResult {
  /** The text of the last turn. */
  readonly output: string
  /** Turns of the whole run, those of `history` too. */
  readonly turns: number
  /**
   * `max_turns`: the last turn asked for tools, they ran, and no turn is left.
   * `failed`: the model answered and could not do the task (it declined, or its answer was cut off).
   */
  readonly ended: "done" | "max_turns" | "failed"
  /** Why it did not end well, fit for the caller; `""` when `done`. */
  readonly error: string
}

/**
 * The run was stopped from outside. `superseded`: another process has gone on with it, or its workspace was erased, and
 * it begins again from what the log has. Any other reason ends the run, and `error` tells the caller why.
 */
export class ConversationStopped extends Schema.TaggedError<ConversationStopped>()("ConversationStopped", {
  reason: Schema.Literals(["superseded", "revoked", "bound", "interrupted", "cancelled"]),
  error: Schema.optionalKey(Schema.String)
}) {}

/**
 * The agent's loop: asks the model, and runs the tools that it calls one after another, until it is done or out of
 * turns. The same for every model: what comes next follows from the exchanges alone, so a run that resumes goes on
 * exactly as it would have. Fails with `ModelFailed`, and with `ConversationStopped` from its callbacks.
 */
export const converse = Effect.fnUntraced(function* (conversation: Conversation) {
  const { model, prompt, tools, maxTurns, beforeTurn, hearing, onTurn, onTools, onCompaction } = conversation
  const { next, choices } = yield* LanguageModel
  const context = choices.named.find(({ name }) => name === model)?.context
  let { history, compaction } = conversation
  for (;;) {
    const last = history.at(-1)
    if (last !== undefined && last.results === undefined && callsTools(last.turn)) {
      const ran = yield* Effect.forEach(callsOf(last.turn), (call) => runTool(tools, call))
      const results = yield* onTools(history.length, bounded(ran))
      history = [...history.slice(0, -1), { turn: last.turn, results }]
      continue
    }
    const result = resultOf(history, maxTurns, compaction)
    if (result !== undefined) return result
    const turn = history.length + 1
    yield* beforeTurn(turn)
    if (isTooLong(history, compaction, context)) {
      compaction = yield* onCompaction(yield* compact({ model, prompt }, history, compaction, context))
    }
    const said = yield* next(talkOf(conversation, history, compaction), hearing(turn))
    history = [...history, { turn: yield* onTurn(turn, said), results: undefined }]
  }
})

/** The tokens of all requests together. */
export const usageOf = (usages: ReadonlyArray<Usage>): Usage => {
  const sum = (count: (usage: Usage) => number) => usages.reduce((sum, usage) => sum + count(usage), 0)
  return {
    inputTokens: sum((usage) => usage.inputTokens),
    outputTokens: sum((usage) => usage.outputTokens),
    cacheReadTokens: sum((usage) => usage.cacheReadTokens),
    cacheWriteTokens: sum((usage) => usage.cacheWriteTokens)
  }
}

const runTool = (tools: ReadonlyArray<Tool>, { id, name, input }: ToolCall): Effect.Effect<ToolResult> => {
  const tool = tools.find((tool) => tool.name === name)
  const missing = { content: `Error: Tool '${name}' not found`, isError: true }
  const answered = tool === undefined ? Effect.succeed(missing) : tool.run(input)
  return Effect.map(answered, (result) => ({ toolUseId: id, ...result }))
}

/** Characters of all results of one turn: they are sent with each request. */
const mostOfResults = 1024 * 1024

/** The results of a turn, the last ones cut if all are longer than `mostOfResults`. */
const bounded = (results: ReadonlyArray<ToolResult>): ReadonlyArray<ToolResult> => {
  let left = mostOfResults
  return results.map((result) => {
    const { content } = result
    const kept = content.length <= left ? content : `${content.slice(0, left).toWellFormed()}\n[the rest was cut]`
    left = Math.max(0, left - content.length)
    return { ...result, content: kept }
  })
}

/** How a conversation ended, or `undefined` when there are tools to run or the model is to be asked. */
export const resultOf = (
  history: ReadonlyArray<Exchange>,
  maxTurns: number,
  compaction: Compaction | undefined
): ConversationResult | undefined => {
  const turns = history.length
  const last = history.at(-1)?.turn
  if (last !== undefined && callsTools(last) && history.at(-1)?.results === undefined) return undefined
  const goesOn =
    last === undefined || last.end === "paused" || (last.end === "full" && canBeShorter(history, compaction))
  if (!goesOn && !callsTools(last)) {
    const output = textOf(last)
    // a turn that waits for tools but calls none has nothing to wait for
    if (last.end === "done" || last.end === "calls") return { output, turns, ended: "done", error: "" }
    const error = last.end === "declined" && output !== "" ? output : failures[last.end]
    return { output, turns, ended: "failed", error }
  }
  if (turns < maxTurns) return undefined
  const error = `The task was not finished within ${maxTurns} ${maxTurns === 1 ? "turn" : "turns"} (max_turns).`
  return { output: last === undefined ? "" : textOf(last), turns, ended: "max_turns", error }
}

const callsOf = ({ says }: ModelTurn): ReadonlyArray<ToolCall> => says.filter((one) => one._tag === "ToolCall")

const callsTools = (turn: ModelTurn) => turn.end === "calls" && callsOf(turn).length > 0

const failures = {
  declined: "The model declined the task.",
  cut: "The model's answer was cut off at its limit of tokens.",
  full: "The conversation grew past what the model can read."
}
