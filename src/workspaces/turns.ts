import type { ChatCommand, ChatEvent } from "#domain/Chat.ts"
import type { ModelTurn, Saying, ToolResult, TurnEnd, Usage } from "#ports/LanguageModel.ts"
import type { Remembered } from "./account.ts"
import type { Compaction } from "./compact.ts"

type Case<T extends ChatEvent["_tag"]> = Extract<ChatEvent, { readonly _tag: T }>
type CompactionToRecord = Omit<Extract<ChatCommand, { readonly _tag: "RecordCompaction" }>, "_tag">
type MemoryToRecord = Omit<Extract<ChatCommand, { readonly _tag: "RecordMemory" }>, "_tag">
type TurnToRecord = Omit<Extract<ChatCommand, { readonly _tag: "RecordTurn" }>, "_tag" | "turn">

/** The log's words for how a turn ended; any other word that it has means `done`. */
const stopReasons: { readonly [end in TurnEnd]: string } = {
  done: "end_turn",
  calls: "tool_use",
  paused: "pause_turn",
  declined: "refusal",
  cut: "max_tokens",
  full: "model_context_window_exceeded"
}
const ends = new Map(Object.entries(stopReasons).map(([end, reason]) => [reason, end as TurnEnd]))

/**
 * A saying as the log has it: `text` and `tool_use` have these names there, whatever the model calls them; the rest is
 * the model's.
 */
const toLog = (saying: Saying): { readonly [key: string]: unknown } => {
  if (saying._tag === "Text") return { type: "text", text: saying.text, ...saying.own }
  if (saying._tag === "Own") return saying.own
  return { type: "tool_use", id: saying.id, name: saying.name, input: saying.input, ...saying.own }
}

const fromLog = (content: { readonly [key: string]: unknown }): Saying => {
  const { type, ...rest } = content
  if (type === "text" && typeof rest["text"] === "string") {
    const { text, ...own } = rest
    return { _tag: "Text", text: text as string, own }
  }
  const { id, name, input, ...own } = rest
  if (type !== "tool_use" || typeof id !== "string" || typeof name !== "string") return { _tag: "Own", own: content }
  return { _tag: "ToolCall", id, name, input, own }
}

/** A turn as it is recorded. */
export const recordedTurn = ({ model, says, end, usage }: ModelTurn): TurnToRecord => ({
  model,
  content: says.map(toLog),
  stopReason: stopReasons[end],
  ...usage
})

/** A recorded turn as the model said it; without its words when they were erased. */
export const turnOf = ({ text, model, stopReason, ...turned }: Case<"ModelTurned">): ModelTurn => ({
  model,
  says: (text?.content ?? []).map(fromLog),
  end: ends.get(stopReason) ?? "done",
  usage: countsOf(turned)
})

const countsOf = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): Usage => ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens
})

/** The results of a recorded round of tools; none when their text was erased. */
export const resultsOf = ({ text }: Case<"ToolsRan">): ReadonlyArray<ToolResult> => text?.results ?? []

/** A compaction as it is recorded. */
export const recordedCompaction = ({ usage, ...compaction }: Compaction): CompactionToRecord => ({
  ...compaction,
  ...usage
})

/** A recorded compaction; without its words when they were erased. */
export const compactionOf = ({ turn, upTo, model, text, ...counted }: Case<"ChatCompacted">): Compaction => ({
  turn,
  upTo,
  model,
  summary: text?.summary ?? "",
  usage: countsOf(counted)
})

/** What is remembered of a chat, as it is recorded. */
export const recordedMemory = ({ usage, ...remembered }: Remembered): MemoryToRecord => ({ ...remembered, ...usage })

/** What was recorded of a chat for its workspace's memory; `kept` if its words were erased. */
export const rememberedOf = ({ how, model, text, ...counted }: Case<"ChatRemembered">): Remembered => ({
  how: text === null ? "kept" : how,
  account: text?.account ?? "",
  from: text?.from ?? null,
  model,
  usage: countsOf(counted)
})
