type Json = { readonly [key: string]: unknown }

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const blocksOf = (content: unknown): ReadonlyArray<unknown> =>
  typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [content]

/** Messages of one role in a row are one. */
const merged = (messages: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const all: Array<Json> = []
  for (const message of messages) {
    const last = all.at(-1)
    if (last === undefined || last["role"] !== message["role"]) all.push(message)
    else {
      const content = [...blocksOf(last["content"]), ...blocksOf(message["content"])]
      const results = content.filter((block) => isObject(block) && block["type"] === "tool_result")
      all[all.length - 1] = {
        ...last,
        content: [...results, ...content.filter((block) => !results.includes(block))]
      }
    }
  }
  return all
}

/**
 * A body of the agent SDK's program without what it uses of the API's betas: messages of the role `system` within the
 * history, further fields of tools. What remains is held to the strict rules.
 */
export const withoutBetas = (body: unknown): unknown => {
  if (!isObject(body)) return body
  const { messages, tools, ...rest } = body
  return {
    ...rest,
    ...(Array.isArray(messages)
      ? { messages: merged(messages.filter((message) => !isObject(message) || message["role"] !== "system")) }
      : {}),
    ...(Array.isArray(tools)
      ? { tools: tools.map(({ name, description, input_schema }) => ({ name, description, input_schema })) }
      : {})
  }
}
