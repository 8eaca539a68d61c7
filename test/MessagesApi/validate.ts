import { isDeepStrictEqual } from "node:util"

type Json = { readonly [key: string]: unknown }

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const fields = new Set([
  ...["model", "messages", "max_tokens", "system", "tools", "tool_choice", "metadata", "stop_sequences", "stream"],
  ...["temperature", "top_p", "top_k", "thinking", "service_tier", "container", "mcp_servers", "cache_control"],
  ...["context_management", "output_config", "output_format", "inference_geo", "speed"]
])

const toolName = /^[a-zA-Z0-9_-]{1,128}$/

/**
 * What the Messages API would say against a request's body, or `undefined` when it has nothing to say.
 * `paused` are the contents that the API answered with `pause_turn`: only those may stand last.
 */
export const complaint = (body: unknown, paused: ReadonlyArray<unknown>): string | undefined => {
  if (!isObject(body)) return "body: Input should be a valid dictionary"
  const unknown = Object.keys(body).find((key) => !fields.has(key))
  if (unknown !== undefined) return `${unknown}: Extra inputs are not permitted`
  if (typeof body["model"] !== "string" || body["model"] === "") return "model: Field required"
  const { max_tokens: maxTokens } = body
  if (!Number.isInteger(maxTokens) || (maxTokens as number) < 1) return "max_tokens: Field required"
  return (
    ofSystem(body["system"]) ??
    ofTools(body["tools"]) ??
    ofToolChoice(body["tool_choice"], body) ??
    ofMessages(body["messages"], paused)
  )
}

const ofSystem = (system: unknown) => {
  if (system === undefined || typeof system === "string") return undefined
  const isText = (block: unknown) => isObject(block) && block["type"] === "text" && typeof block["text"] === "string"
  return Array.isArray(system) && system.every(isText) ? undefined : "system: Input should be a valid list"
}

const ofTools = (tools: unknown) => {
  if (tools === undefined) return undefined
  if (!Array.isArray(tools)) return "tools: Input should be a valid list"
  const names = new Set<unknown>()
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) return `tools.${index}: Input should be a valid dictionary`
    const { type, name, description, input_schema: schema, ...rest } = tool
    const extra = Object.keys(rest).find((key) => !["cache_control", "strict"].includes(key))
    if (extra !== undefined) return `tools.${index}.custom.${extra}: Extra inputs are not permitted`
    if (type !== undefined && type !== "custom") return `tools.${index}.type: not a tool of this stand-in`
    if (typeof name !== "string" || !toolName.test(name))
      return `tools.${index}.custom.name: String should match pattern`
    if (names.has(name)) return "tools: Tool names must be unique."
    names.add(name)
    if (typeof description !== "string") return `tools.${index}.custom.description: Input should be a valid string`
    if (!isObject(schema) || schema["type"] !== "object") {
      return `tools.${index}.custom.input_schema.type: Input should be 'object'`
    }
  }
  return undefined
}

const choices: { readonly [type: string]: ReadonlyArray<string> } = {
  auto: ["disable_parallel_tool_use"],
  any: ["disable_parallel_tool_use"],
  none: [],
  tool: ["name", "disable_parallel_tool_use"]
}

const ofToolChoice = (choice: unknown, { tools, thinking }: Json) => {
  if (choice === undefined) return undefined
  if (!isObject(choice)) return "tool_choice: Input should be a valid dictionary"
  const { type, ...rest } = choice
  const known = Object.hasOwn(choices, String(type)) ? choices[String(type)] : undefined
  if (known === undefined) return "tool_choice: Input tag should be one of 'auto', 'any', 'tool', 'none'"
  const extra = Object.keys(rest).find((key) => !known.includes(key))
  if (extra !== undefined) return `tool_choice.${type}.${extra}: Extra inputs are not permitted`
  const parallel = rest["disable_parallel_tool_use"]
  if (parallel !== undefined && typeof parallel !== "boolean") {
    return `tool_choice.${type}.disable_parallel_tool_use: Input should be a valid boolean`
  }
  if (!Array.isArray(tools)) return "tool_choice: may only be specified while providing tools"
  const forced = type === "tool" || type === "any"
  if (forced && isObject(thinking) && thinking["type"] !== "disabled") {
    return "Thinking may not be enabled when tool_choice forces tool use."
  }
  if (type === "tool" && !tools.some((tool) => tool.name === rest["name"])) {
    return `tool_choice: Tool '${rest["name"]}' not found in provided tools`
  }
  return undefined
}

const ofMessages = (messages: unknown, paused: ReadonlyArray<unknown>) => {
  if (!Array.isArray(messages) || messages.length === 0) return "messages: at least one message is required"
  const ids = new Set<string>()
  let asked: ReadonlyArray<string> = []
  let before: string | undefined
  for (const [index, message] of messages.entries()) {
    const at = `messages.${index}`
    if (!isObject(message)) return `${at}: Input should be a valid dictionary`
    const extra = Object.keys(message).find((key) => key !== "role" && key !== "content")
    if (extra !== undefined) return `${at}.${extra}: Extra inputs are not permitted`
    const { role, content } = message
    if (role !== "user" && role !== "assistant") return `${at}.role: Input should be 'user' or 'assistant'`
    if (before === undefined && role !== "user") return `${at}: first message must use the "user" role`
    if (role === "user" && before === "user") return `${at}: roles must alternate between "user" and "assistant"`
    if (role === "assistant" && before === "assistant" && !isPaused(messages[index - 1], paused)) {
      return `${at}: roles must alternate between "user" and "assistant"`
    }
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content
    if (!Array.isArray(blocks) || !blocks.every((block) => isObject(block) && typeof block["type"] === "string")) {
      return `${at}.content: Input should be a valid list`
    }
    const wrong = role === "user" ? ofUser(blocks, asked, at) : ofAssistant(blocks, asked, at)
    if (wrong !== undefined) return wrong
    asked = blocks.filter((block) => block.type === "tool_use").map((block) => block.id)
    if (asked.some((id) => ids.has(id))) return `${at}: \`tool_use\` ids must be unique`
    for (const id of asked) ids.add(id)
    before = role
  }
  if (asked.length > 0) return `messages: \`tool_use\` ids were found without \`tool_result\` blocks: ${asked}`
  const last = messages.at(-1)
  if (last.role === "assistant" && !isPaused(last, paused)) {
    return "This model does not support assistant message prefill. The conversation must end with a user message."
  }
  return undefined
}

/** Whether a message is one of those, which may be sent without the texts that the API would refuse. */
const isPaused = (message: Json, paused: ReadonlyArray<unknown>) =>
  paused.some(
    (content) =>
      isDeepStrictEqual(content, message["content"]) ||
      isDeepStrictEqual(
        (content as ReadonlyArray<Json>).filter((block) => !isBlank(block)),
        message["content"]
      )
  )

const isBlank = ({ type, text }: Json) => type === "text" && typeof text === "string" && text.trim() === ""

const ofTexts = (blocks: ReadonlyArray<Json>) => {
  const texts = blocks.filter((block) => block["type"] === "text").map((block) => block["text"])
  if (texts.some((text) => typeof text !== "string" || text === "")) return "text content blocks must be non-empty"
  return blocks.some(isBlank) ? "text content blocks must contain non-whitespace text" : undefined
}

const ofUser = (blocks: ReadonlyArray<Json>, asked: ReadonlyArray<string>, at: string) => {
  if (blocks.length === 0) return `${at}: user messages must have non-empty content`
  const ofText = ofTexts(blocks)
  if (ofText !== undefined) return `${at}: ${ofText}`
  const results = blocks.filter((block) => block["type"] === "tool_result")
  const answered = results.map((block) => block["tool_use_id"])
  const missing = asked.filter((id) => !answered.includes(id))
  if (missing.length > 0) return `${at}: \`tool_use\` ids were found without \`tool_result\` blocks: ${missing}`
  const unexpected = answered.find((id, index) => !asked.includes(id as string) || answered.indexOf(id) !== index)
  if (unexpected !== undefined)
    return `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unexpected}`
  if (blocks.slice(0, results.length).some((block) => block["type"] !== "tool_result")) {
    return `${at}: \`tool_result\` blocks must come first`
  }
  const extra = results.flatMap((block) => Object.keys(block)).find((key) => !resultFields.has(key))
  return extra === undefined ? undefined : `${at}.content.tool_result.${extra}: Extra inputs are not permitted`
}

const resultFields = new Set(["type", "tool_use_id", "content", "is_error", "cache_control"])

const ofAssistant = (blocks: ReadonlyArray<Json>, asked: ReadonlyArray<string>, at: string) => {
  if (asked.length > 0) return `${at}: \`tool_use\` ids were found without \`tool_result\` blocks: ${asked}`
  if (blocks.length === 0) return `${at}: all messages must have non-empty content`
  const ofText = ofTexts(blocks)
  if (ofText !== undefined) return `${at}: ${ofText}`
  const uses = blocks.filter((block) => block["type"] === "tool_use")
  const wrong = uses.find((block) => typeof block["id"] !== "string" || !isObject(block["input"]))
  return wrong === undefined ? undefined : `${at}.content.tool_use: Input should have an id and an object as input`
}
