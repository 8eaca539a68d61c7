import type { ChatCompletionChunk } from "openai/resources"
import { parseJson } from "#engine/parseJson.ts"
import type { ModelTurn, Saying, TurnEnd } from "#ports/LanguageModel.ts"
import { AnswerTooLarge } from "../bounded.ts"

/** Characters of one answer: a model's longest has some hundred thousand. */
const most = 2 * 1024 * 1024

/** The API's reasons to finish. One that it does not have yet says that it was done. */
const ends = new Map<unknown, TurnEnd>([
  ["tool_calls", "calls"],
  ["function_call", "calls"],
  ["content_filter", "declined"],
  ["length", "cut"]
])

/** A function's call as its pieces come. */
interface Growing {
  id: string
  name: string
  readonly pieces: Array<string>
}

const nothing = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

const tokens = (count: unknown): number => (Number.isSafeInteger(count) ? Math.max(0, count as number) : 0)

const usageOf = ({ usage }: ChatCompletionChunk): ModelTurn["usage"] | undefined =>
  usage === null || usage === undefined
    ? undefined
    : {
        inputTokens: tokens(usage.prompt_tokens),
        outputTokens: tokens(usage.completion_tokens),
        cacheReadTokens: tokens(usage.prompt_tokens_details?.cached_tokens),
        // what is kept costs nothing here, and is not told
        cacheWriteTokens: 0
      }

/** What the model wrote for a function; text where that is no JSON: the tool refuses it, and the model is told. */
const inputOf = (written: string): unknown => {
  if (written.trim() === "") return {}
  try {
    return parseJson(written)
  } catch {
    return written
  }
}

/** What a server calls its model, if that is a name; else what it was asked for. */
const nameOf = (said: unknown, asked: string): string =>
  typeof said === "string" && /^[\w.:/@-]{1,128}$/.test(said) ? said : asked

/** The stream ended, and the answer did not. */
export class Unfinished extends Error {
  override readonly name = "Unfinished"
}

/** The turn that a stream of the Chat Completions API tells. `onText` hears the text as it comes. */
export const turnOf = async (
  chunks: AsyncIterable<ChatCompletionChunk>,
  asked: string,
  onText: (text: string) => void
): Promise<ModelTurn> => {
  const text: Array<string> = []
  const refusal: Array<string> = []
  const calls: Array<Growing> = []
  let [model, reason, usage, size]: [string, unknown, ModelTurn["usage"], number] = [asked, undefined, nothing, 0]
  const grow = (pieces: Array<string>, piece: unknown) => {
    if (typeof piece !== "string") return
    size += piece.length
    if (size > most) throw new AnswerTooLarge("the answer is too large")
    pieces.push(piece)
  }
  for await (const chunk of chunks) {
    model = nameOf(chunk.model, model)
    usage = usageOf(chunk) ?? usage
    const choice = chunk.choices?.[0]
    if (choice === undefined) continue
    reason = choice.finish_reason ?? reason
    const { content, refusal: refused, tool_calls: called } = choice.delta ?? {}
    grow(text, content)
    grow(refusal, refused)
    if (typeof content === "string") onText(content)
    for (const one of called ?? []) {
      // some servers number nothing, and tell each call whole
      const at = one.index ?? calls.length
      const call = (calls[at] ??= { id: "", name: "", pieces: [] })
      call.id ||= one.id ?? ""
      call.name ||= one.function?.name ?? ""
      grow(call.pieces, one.function?.arguments)
    }
  }
  if (reason === undefined) throw new Unfinished("the stream ended before its answer")
  const made = calls.filter((call) => call !== undefined)
  // each needs an id that its result can name
  if (made.some(({ id, name }) => id === "" || name === "")) throw new TypeError("a call without id or name")
  const words = text.join("") + refusal.join("")
  const says: ReadonlyArray<Saying> = [
    ...(words === "" ? [] : [{ _tag: "Text" as const, text: words, own: {} }]),
    ...made.map(({ id, name, pieces }) => ({
      _tag: "ToolCall" as const,
      id,
      name,
      input: inputOf(pieces.join("")),
      own: {}
    }))
  ]
  const end = refusal.length > 0 ? "declined" : (ends.get(reason) ?? (made.length > 0 ? "calls" : "done"))
  return { model, says, end, usage }
}
