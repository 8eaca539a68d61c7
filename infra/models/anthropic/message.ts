import type { Anthropic } from "@anthropic-ai/sdk"
import type { BetaMessage, BetaRawMessageStreamEvent } from "@anthropic-ai/sdk/resources/beta"
import { Stream } from "@anthropic-ai/sdk/streaming"
import { parseJson } from "#engine/parseJson.ts"
import type { Heard } from "#ports/LanguageModel.ts"
import { counting, inputOf, Unfinished } from "../answer.ts"

type Block = { readonly [key: string]: unknown }

/**
 * A block as it grows. Its pieces are joined once, when it is whole: joining at each piece would take the square of its
 * length.
 */
interface Growing {
  readonly start: Block
  readonly pieces: Map<string, Array<unknown>>
}

const fields: { readonly [delta: string]: readonly [from: string, to: string] } = {
  text_delta: ["text", "text"],
  thinking_delta: ["thinking", "thinking"],
  signature_delta: ["signature", "signature"],
  input_json_delta: ["partial_json", "input"],
  citations_delta: ["citation", "citations"]
}

const whole = ({ start, pieces }: Growing): Block => {
  const grown = [...pieces].map(([field, values]) => {
    if (field === "citations") return [field, values]
    const text = values.join("")
    if (field !== "input") return [field, `${start[field] ?? ""}${text}`]
    // a call of a tool without input has no piece of it, or an empty one
    return [field, text === "" ? start["input"] : inputOf(text)]
  })
  return { ...start, ...Object.fromEntries(grown) }
}

/**
 * The message in an answer of the Messages API: a stream of events or, from a server that is merely compatible, one
 * JSON text. Throws `Unfinished` when the stream ends too early. `client` has the log for what can't be read: without
 * it, the SDK writes what the model said to the console.
 */
export const messageOf = async (
  client: Anthropic,
  response: Response,
  controller: AbortController,
  heard?: Heard
): Promise<BetaMessage> => {
  const count = counting()
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    const text = await response.text()
    count(text)
    return parseJson(text) as BetaMessage
  }
  let message: BetaMessage | undefined
  const blocks: Array<Growing> = []
  /** The block that the last text came from. */
  let speaking: number | undefined
  const hear = (index: number, text: unknown) => {
    if (typeof text !== "string" || text === "") return
    heard?.(speaking === undefined || speaking === index ? text : `\n\n${text}`)
    speaking = index
  }
  for await (const event of Stream.fromSSEResponse<BetaRawMessageStreamEvent>(response, controller, client)) {
    if (event.type === "message_start") message = event.message
    else if (event.type === "content_block_start") {
      blocks[event.index] = { start: event.content_block as unknown as Block, pieces: new Map() }
      if (event.content_block.type === "text") hear(event.index, event.content_block.text)
    } else if (event.type === "content_block_delta") {
      const [from, to] = fields[event.delta.type] ?? []
      const block = blocks[event.index]
      if (from === undefined || to === undefined || block === undefined) continue
      const piece = (event.delta as unknown as Block)[from]
      if (typeof piece === "string") count(piece)
      if (event.delta.type === "text_delta") hear(event.index, piece)
      const pieces = block.pieces.get(to)
      if (pieces === undefined) block.pieces.set(to, [piece])
      else pieces.push(piece)
    } else if (event.type === "message_delta" && message !== undefined) {
      message = { ...message, ...event.delta, usage: { ...message.usage, ...given(event.usage) } } as BetaMessage
    }
  }
  if (message === undefined) throw new TypeError("no message")
  if (message.stop_reason === null) throw new Unfinished("the stream ended before its message")
  return { ...message, content: blocks.map(whole) as unknown as BetaMessage["content"] }
}

/** The counts that a later report gives; the others keep what the first one gave. */
const given = (usage: object) =>
  Object.fromEntries(Object.entries(usage ?? {}).filter(([, count]) => count !== null && count !== undefined))
