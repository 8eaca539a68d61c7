import type { ChatCompletionChunk } from "openai/resources"
import type { Heard, ModelTurn, Saying, TurnEnd } from "#ports/LanguageModel.ts"
import { counting, inputOf, nameOf, noTokens, tokens, Unfinished } from "../answer.ts"

/** The API's reasons to finish. With any other, a turn that has calls ends in calls, and one without is done. */
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

/** The tokens that an answer took; `undefined`: it does not say. */
export const usageOf = ({ usage }: Pick<ChatCompletionChunk, "usage">): ModelTurn["usage"] | undefined =>
  usage === null || usage === undefined
    ? undefined
    : {
        inputTokens: tokens(usage.prompt_tokens),
        outputTokens: tokens(usage.completion_tokens),
        cacheReadTokens: tokens(usage.prompt_tokens_details?.cached_tokens),
        // writing to the cache costs nothing here, and the API does not report it
        cacheWriteTokens: 0
      }

/** The turn that a stream of the Chat Completions API tells. Throws `Unfinished` when the stream ends too early. */
export const turnOf = async (
  chunks: AsyncIterable<ChatCompletionChunk>,
  asked: string,
  heard?: Heard
): Promise<ModelTurn> => {
  const text: Array<string> = []
  const refusal: Array<string> = []
  const calls: Array<Growing> = []
  const count = counting()
  let [model, reason, usage]: [string, unknown, ModelTurn["usage"]] = [asked, undefined, noTokens]
  const grow = (pieces: Array<string>, piece: unknown) => {
    if (typeof piece !== "string") return undefined
    count(piece)
    pieces.push(piece)
    return piece
  }
  const hear = (piece: string | undefined) => {
    if (piece !== undefined && piece !== "") heard?.(piece)
  }
  for await (const chunk of chunks) {
    model = nameOf(chunk.model, model)
    usage = usageOf(chunk) ?? usage
    const choice = chunk.choices?.[0]
    if (choice === undefined) continue
    reason = choice.finish_reason ?? reason
    const { content, refusal: refused, tool_calls: called } = choice.delta ?? {}
    hear(grow(text, content))
    hear(grow(refusal, refused))
    for (const one of called ?? []) {
      // some servers send no index, and each call whole
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
