import type {
  BetaCacheControlEphemeral,
  BetaContentBlockParam,
  BetaMessage,
  BetaMessageParam,
  BetaToolResultBlockParam
} from "@anthropic-ai/sdk/resources/beta"
import type { Exchange, ModelTurn, Saying, Talk, ToolResult, TurnEnd } from "#ports/LanguageModel.ts"
import { nameOf, tokens } from "../answer.ts"

/** The Messages API's reasons to stop. A reason that is not listed counts as done. */
const ends = new Map<unknown, TurnEnd>([
  ["tool_use", "calls"],
  ["pause_turn", "paused"],
  ["refusal", "declined"],
  ["max_tokens", "cut"],
  ["model_context_window_exceeded", "full"]
])

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The port's form of a block. Parts that have no meaning outside the API are kept as they are. */
const sayingOf = (block: unknown): Saying => {
  if (!isObject(block)) throw new TypeError("a block that is no object")
  const { type, ...rest } = block
  if (type === "text" && typeof rest["text"] === "string") {
    const { text, ...own } = rest
    return { _tag: "Text", text: text as string, own }
  }
  const { id, name, input, ...own } = rest
  if (type !== "tool_use" || typeof id !== "string" || typeof name !== "string") return { _tag: "Own", own: block }
  return { _tag: "ToolCall", id, name, input: input === undefined ? {} : input, own }
}

/** An input as the API takes it, which is an object only; any other is shown in one, as the API's documents advise. */
const sentInput = (input: unknown) => (isObject(input) ? input : { INVALID_JSON: input })

/** The API refuses a text that is empty or all blank, even one that its model said. */
const isSent = (saying: Saying) => saying._tag !== "Text" || saying.text.trim() !== ""

const blockOf = (saying: Saying): BetaContentBlockParam => {
  if (saying._tag === "Own") return saying.own as unknown as BetaContentBlockParam
  if (saying._tag === "Text") return { type: "text", text: saying.text, ...saying.own }
  return { type: "tool_use", id: saying.id, name: saying.name, input: sentInput(saying.input), ...saying.own }
}

const resultBlock = ({ toolUseId, content, isError }: ToolResult): BetaToolResultBlockParam => ({
  type: "tool_result",
  tool_use_id: toolUseId,
  content,
  ...(isError ? { is_error: true } : undefined)
})

const messagesOfOne = ({ turn, results }: Exchange): ReadonlyArray<BetaMessageParam> => {
  const blocks = turn.says.filter(isSent).map(blockOf)
  const said: ReadonlyArray<BetaMessageParam> = blocks.length === 0 ? [] : [{ role: "assistant", content: blocks }]
  return results === undefined ? said : [...said, { role: "user", content: results.map(resultBlock) }]
}

/**
 * All that was said, as the API takes it. `mark` is put on the last results: up to there, the next request is the same.
 */
export const messagesOf = ({ prompt, history }: Talk, mark: BetaCacheControlEphemeral): Array<BetaMessageParam> => {
  const said = history.flatMap(messagesOfOne)
  const last = said.at(-1)
  if (last?.role !== "user") return [{ role: "user", content: prompt }, ...said]
  const results = last.content as ReadonlyArray<BetaToolResultBlockParam>
  const marked = results.map((result, index) =>
    index === results.length - 1 ? { ...result, cache_control: mark } : result
  )
  return [{ role: "user", content: prompt }, ...said.slice(0, -1), { role: "user", content: marked }]
}

interface Counted {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens: number | null
  readonly cache_read_input_tokens: number | null
}

/** The tokens that an answer took. */
export const usageOf = (usage: Counted): ModelTurn["usage"] => {
  const { input_tokens: input, cache_creation_input_tokens: written, cache_read_input_tokens: read } = usage
  return {
    inputTokens: tokens(input) + tokens(written) + tokens(read),
    outputTokens: tokens(usage.output_tokens),
    cacheReadTokens: tokens(read),
    cacheWriteTokens: tokens(written)
  }
}

/** The API's answer as a turn; throws when it is none. */
export const turnOf = (message: BetaMessage, model: string): ModelTurn => {
  const { content, stop_reason: stopReason, usage } = message
  if (!Array.isArray(content)) throw new TypeError("a message without content")
  return {
    model: nameOf(message.model, model),
    says: content.map(sayingOf),
    end: ends.get(stopReason) ?? "done",
    usage: usageOf(usage)
  }
}
