import { isDeepStrictEqual } from "node:util"
import { Effect } from "effect"
import type {
  Conversation,
  ConversationResult,
  Exchange,
  ModelFailed,
  ModelTurn,
  ToolResult
} from "#ports/LanguageModel.ts"

/** One model's side of a conversation, opened on what happened so far. `ask` and `runTools` are called in turns. */
export interface Speaker {
  /** The model's next turn. */
  readonly ask: Effect.Effect<ModelTurn, ModelFailed>
  /** Runs the tools that the last turn calls, one after another in its order. */
  readonly runTools: Effect.Effect<ReadonlyArray<ToolResult>, ModelFailed>
}

/**
 * The agent loop, the same for every model: what comes next follows from the exchanges alone, so a run that resumes
 * goes on exactly as it would have. Where a hook answers something else than it was given (another process had
 * recorded its own), the speaker is opened again on what is recorded.
 */
export const converse = Effect.fnUntraced(function* (
  conversation: Conversation,
  open: (exchanges: ReadonlyArray<Exchange>) => Speaker
) {
  let exchanges = conversation.history
  let speaker = open(exchanges)
  for (;;) {
    const last = exchanges.at(-1)
    if (last !== undefined && last.results === undefined && callsTools(last.turn)) {
      const ran = yield* speaker.runTools
      const results = yield* conversation.onTools(exchanges.length, bounded(ran))
      exchanges = [...exchanges.slice(0, -1), { turn: last.turn, results }]
      if (!isDeepStrictEqual(ran, results)) speaker = open(exchanges)
      continue
    }
    const result = resultOf(exchanges, conversation.maxTurns)
    if (result !== undefined) return result
    if (sizeOf(exchanges) > mostOfConversation) return overgrown(exchanges)
    const turn = exchanges.length + 1
    yield* conversation.beforeTurn(turn)
    const said = yield* speaker.ask
    const recorded = yield* conversation.onTurn(turn, said)
    exchanges = [...exchanges, { turn: recorded, results: undefined }]
    if (!isDeepStrictEqual(said, recorded)) speaker = open(exchanges)
  }
})

/**
 * Characters of all results of one turn, and of a whole conversation: all of it is sent with each request, and more than any
 * model reads.
 */
const mostOfResults = 1024 * 1024
const mostOfConversation = 4 * 1024 * 1024

/** Results of a turn that calls more tools than anyone reads, the last ones cut. */
const bounded = (results: ReadonlyArray<ToolResult>): ReadonlyArray<ToolResult> => {
  let left = mostOfResults
  return results.map((result) => {
    const { content } = result
    const kept = content.length <= left ? content : `${content.slice(0, left).toWellFormed()}\n[the rest was cut]`
    left = Math.max(0, left - content.length)
    return { ...result, content: kept }
  })
}

const lengthOf = (value: unknown): number => {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null) return 8
  return Object.values(value).reduce((sum: number, one) => sum + lengthOf(one), 8)
}

const sizeOf = (exchanges: ReadonlyArray<Exchange>): number => exchanges.reduce((sum, one) => sum + sizeOfOne(one), 0)

const sizes = new WeakMap<Exchange, number>()
const sizeOfOne = (exchange: Exchange): number => {
  const size = sizes.get(exchange) ?? lengthOf([exchange.turn.content, exchange.results])
  sizes.set(exchange, size)
  return size
}

const overgrown = (exchanges: ReadonlyArray<Exchange>): ConversationResult => ({
  output: textOf(exchanges.at(-1)!.turn),
  turns: exchanges.length,
  ended: "failed",
  error: failures["model_context_window_exceeded"]!
})

/** How a conversation ended, or `undefined` when the model is to be asked. */
const resultOf = (exchanges: ReadonlyArray<Exchange>, maxTurns: number): ConversationResult | undefined => {
  const turns = exchanges.length
  const last = exchanges.at(-1)?.turn
  // After `pause_turn` the API goes on from its own last message.
  if (last !== undefined && last.stopReason !== "pause_turn" && !callsTools(last)) {
    const output = textOf(last)
    const why = failures[last.stopReason]
    if (why === undefined) return { output, turns, ended: "done", error: "" }
    return { output, turns, ended: "failed", error: last.stopReason === "refusal" && output !== "" ? output : why }
  }
  if (turns < maxTurns) return undefined
  const error = `The task was not finished within ${maxTurns} ${maxTurns === 1 ? "turn" : "turns"} (max_turns).`
  return { output: last === undefined ? "" : textOf(last), turns, ended: "max_turns", error }
}

const callsTools = ({ stopReason, content }: ModelTurn) =>
  stopReason === "tool_use" && content.some(({ type }) => type === "tool_use")

const failures: { readonly [stopReason: string]: string } = {
  refusal: "The model declined the task.",
  max_tokens: "The model's answer was cut off at its limit of tokens.",
  model_context_window_exceeded: "The conversation grew past what the model can read."
}

const textOf = ({ content }: ModelTurn) =>
  content.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])).join("\n\n")
