import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam
} from "openai/resources"
import type { Exchange, Talk, ToolCall } from "#ports/LanguageModel.ts"

const callOf = ({ id, name, input }: ToolCall): ChatCompletionMessageFunctionToolCall => ({
  id,
  type: "function",
  // a text is what the model wrote where it was no JSON
  function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) }
})

const messagesOfOne = ({ turn, results }: Exchange): ReadonlyArray<ChatCompletionMessageParam> => {
  const content = turn.says.flatMap((one) => (one._tag === "Text" ? [one.text] : [])).join("")
  const calls = turn.says.filter((one) => one._tag === "ToolCall").map(callOf)
  const said: ChatCompletionAssistantMessageParam = {
    role: "assistant",
    content: content === "" ? null : content,
    ...(calls.length === 0 ? undefined : { tool_calls: calls })
  }
  const answers = (results ?? []).map(
    ({ toolUseId, content }) => ({ role: "tool", tool_call_id: toolUseId, content }) as const
  )
  return [said, ...answers]
}

/** All that was said, as the API takes it. */
export const messagesOf = ({ system, prompt, history }: Talk): Array<ChatCompletionMessageParam> => [
  { role: "system", content: system },
  { role: "user", content: prompt },
  ...history.flatMap(messagesOfOne)
]
