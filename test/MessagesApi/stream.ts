type Json = { readonly [key: string]: unknown }

const event = (type: string, data: Json) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`

/** What a block looks like when it starts, and the deltas that make it whole. */
const parts = (block: Json): readonly [start: Json, deltas: ReadonlyArray<Json>] => {
  switch (block["type"]) {
    case "text":
      return [
        { ...block, text: "" },
        // word by word
        (String(block["text"]).match(/\S*\s*/g) ?? [])
          .filter((text) => text !== "")
          .map((text) => ({ type: "text_delta", text }))
      ]
    case "tool_use": {
      const { input } = block
      // a text is what the model wrote, be it JSON or not
      const written = typeof input === "string" ? input : JSON.stringify(input)
      return [{ ...block, input: {} }, [{ type: "input_json_delta", partial_json: written }]]
    }
    case "thinking":
      return [
        { ...block, thinking: "", signature: "" },
        [
          { type: "thinking_delta", thinking: block["thinking"] },
          { type: "signature_delta", signature: block["signature"] }
        ]
      ]
    default:
      return [block, []]
  }
}

/** A message of the Messages API as its server-sent events. */
export const serverSentEvents = (message: Json): ReadonlyArray<string> => {
  const { content, stop_reason: stopReason, usage, ...head } = message
  const tokens = usage as { readonly output_tokens: number }
  return [
    event("message_start", {
      message: { ...head, content: [], stop_reason: null, usage: { ...tokens, output_tokens: 0 } }
    }),
    ...(content as ReadonlyArray<Json>).flatMap((block, index) => {
      const [start, deltas] = parts(block)
      return [
        event("content_block_start", { index, content_block: start }),
        ...deltas.map((delta) => event("content_block_delta", { index, delta })),
        event("content_block_stop", { index })
      ]
    }),
    event("message_delta", {
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: tokens.output_tokens }
    }),
    event("message_stop", {})
  ]
}
