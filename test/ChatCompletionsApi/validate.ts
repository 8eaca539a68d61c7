type Json = { readonly [key: string]: unknown }

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const fields = new Set([
  ...["model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options"],
  ...["max_completion_tokens", "temperature", "top_p", "stop", "n", "seed", "response_format", "user", "metadata"]
])
const functionName = /^[a-zA-Z0-9_-]{1,64}$/

/** What the Chat Completions API would say against a request's body, by its published schema; nothing: it is fine. */
export const complaint = (body: unknown): string | undefined => {
  if (!isObject(body)) return "We could not parse the JSON body of your request."
  const unknown = Object.keys(body).find((key) => !fields.has(key))
  if (unknown !== undefined) return `Unrecognized request argument supplied: ${unknown}`
  if (typeof body["model"] !== "string" || body["model"] === "") return "you must provide a model parameter"
  if (body["stream_options"] !== undefined && body["stream"] !== true) {
    return "The 'stream_options' parameter is only allowed when 'stream' is enabled."
  }
  return ofTools(body) ?? ofMessages(body["messages"])
}

const ofTools = ({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Json): string | undefined => {
  if (tools === undefined) {
    if (choice !== undefined)
      return "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
    return parallel === undefined ? undefined : "'parallel_tool_calls' is only allowed when 'tools' are specified."
  }
  if (!Array.isArray(tools) || tools.length === 0) return "[] is too short - 'tools'"
  const names: Array<unknown> = []
  for (const [index, tool] of tools.entries()) {
    const of = isObject(tool) ? tool["function"] : undefined
    if (!isObject(tool) || tool["type"] !== "function" || !isObject(of)) return `Invalid value: 'tools[${index}]'`
    if (typeof of["name"] !== "string" || !functionName.test(of["name"]))
      return `Invalid 'tools[${index}].function.name'`
    const { parameters } = of
    if (!isObject(parameters) || parameters["type"] !== "object") {
      return `Invalid schema for function '${of["name"]}': schema must be a JSON Schema of 'type: "object"'`
    }
    names.push(of["name"])
  }
  if (choice === undefined || ["auto", "none", "required"].includes(choice as string)) return undefined
  const chosen =
    isObject(choice) && choice["type"] === "function" && isObject(choice["function"]) ? choice["function"] : {}
  return names.includes(chosen["name"]) ? undefined : "Invalid value: 'tool_choice'"
}

const ofMessages = (messages: unknown): string | undefined => {
  if (!Array.isArray(messages) || messages.length === 0) return "[] is too short - 'messages'"
  let awaited: ReadonlyArray<string> = []
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`
    if (!isObject(message)) return `Invalid type for '${at}'`
    const { role, content, tool_calls: calls, tool_call_id: id, ...rest } = message
    const extra = Object.keys(rest).find((key) => key !== "name" && key !== "refusal")
    if (extra !== undefined) return `Unknown parameter: '${at}.${extra}'`
    if (role === "tool") {
      if (typeof id !== "string" || !awaited.includes(id)) {
        return `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.`
      }
      if (typeof content !== "string") return `Invalid type for '${at}.content'`
      awaited = awaited.filter((other) => other !== id)
      continue
    }
    if (awaited.length > 0) {
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id': ${awaited}`
    }
    if (role === "system" || role === "developer" || role === "user") {
      if (typeof content !== "string" && !Array.isArray(content)) return `Invalid type for '${at}.content'`
      continue
    }
    if (role !== "assistant") return `Invalid value: '${String(role)}' - '${at}.role'`
    if (calls === undefined) {
      if (typeof content !== "string") return `Invalid value for 'content': expected a string, got null.`
      continue
    }
    if (!Array.isArray(calls) || calls.length === 0) return `[] is too short - '${at}.tool_calls'`
    for (const call of calls) {
      const fine =
        isObject(call) &&
        call["type"] === "function" &&
        typeof call["id"] === "string" &&
        isObject(call["function"]) &&
        typeof call["function"]["arguments"] === "string"
      if (!fine) return `Invalid value: '${at}.tool_calls'`
    }
    awaited = calls.map(({ id }) => id)
  }
  return awaited.length === 0 ? undefined : `'tool_calls' without responses: ${awaited}`
}
