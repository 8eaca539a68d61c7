import type { Anthropic } from "@anthropic-ai/sdk"
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod"
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError"
import type { BetaMessage, BetaMessageParam, BetaUserMessageParam } from "@anthropic-ai/sdk/resources/beta"
import { Effect, Queue } from "effect"
import type { ZodType } from "zod"
import type {
  ContentBlock,
  Conversation,
  Exchange,
  ModelTurn,
  ToolDefinition,
  ToolResult
} from "#ports/LanguageModel.ts"
import type { Speaker } from "../conversation.ts"
import { modelFailed } from "./failure.ts"
import { type AnthropicSettings, modelOf } from "./settings.ts"

/** A tool that the SDK's runner has called, and what it waits for. */
interface Call {
  readonly tool: ToolDefinition
  readonly input: unknown
  readonly answer: (result: { readonly content: string; readonly isError: boolean }) => void
}

/**
 * The SDK's tool runner on a conversation. It sends the requests, checks the inputs of tools and builds their results;
 * the tools themselves run in the calling fiber, one after another (the runner would start those of a turn together),
 * so that interrupting it ends the tool at work before anything else happens.
 */
export const openSpeaker = (
  client: Anthropic,
  settings: AnthropicSettings,
  conversation: Conversation,
  exchanges: ReadonlyArray<Exchange>
): Speaker => {
  const model = modelOf(settings, conversation.model)
  const abort = new AbortController()
  const calls = Effect.runSync(Queue.unbounded<Call>())
  const runner = client.beta.messages.toolRunner(
    {
      model,
      max_tokens: settings.maxTokens ?? 16_000,
      system: [{ type: "text", text: conversation.system, cache_control: { type: "ephemeral" } }],
      messages: messagesOf(conversation.prompt, exchanges),
      tools: conversation.tools.map((tool) => runnable(tool, calls)),
      max_iterations: Math.max(1, conversation.maxTurns - exchanges.length),
      // Otherwise the server keeps the conversation, and a compatible one that can't loses it.
      thread: false
    },
    { signal: abort.signal }
  )
  const turns = runner[Symbol.asyncIterator]()
  let asked = false

  const failed = (error: unknown) => modelFailed(settings, model, error)

  return {
    ask: Effect.tryPromise({
      try: async (signal) => {
        signal.addEventListener("abort", () => abort.abort())
        asked = true
        const next = await turns.next()
        if (next.done === true) throw new TypeError("the runner ended early")
        return turnOf(next.value, model)
      },
      catch: failed
    }),
    runTools: Effect.suspend(() => {
      const response = Effect.tryPromise({ try: () => runner.generateToolResponse(), catch: failed })
      const serving = Effect.forever(Effect.flatMap(Queue.take(calls), serve))
      return Effect.map(Effect.raceFirst(response, serving), (message) => {
        // Once it has asked, the runner adds the results of its own last turn by itself.
        if (message !== null && !asked) runner.pushMessages(message)
        return resultsOf(message)
      })
    })
  }
}

const serve = ({ tool, input, answer }: Call) => Effect.map(tool.run(input), answer)

const runnable = (tool: ToolDefinition, calls: Queue.Enqueue<Call>) =>
  betaZodTool({
    name: tool.name,
    description: tool.description,
    inputSchema: tool.schema as ZodType,
    run: async (input) => {
      const { content, isError } = await new Promise<Parameters<Call["answer"]>[0]>((answer) => {
        Queue.offerUnsafe(calls, { tool, input, answer })
      })
      if (isError) throw new ToolError(content)
      return content
    }
  })

const messagesOf = (prompt: string, exchanges: ReadonlyArray<Exchange>): Array<BetaMessageParam> => [
  { role: "user", content: prompt },
  ...exchanges.flatMap(({ turn, results }): Array<BetaMessageParam> => {
    const said = { role: "assistant", content: turn.content } as unknown as BetaMessageParam
    if (results === undefined) return [said]
    const content = results.map(({ toolUseId, content, isError }) => ({
      type: "tool_result" as const,
      tool_use_id: toolUseId,
      content,
      ...(isError ? { is_error: true } : undefined)
    }))
    return [said, { role: "user", content }]
  })
]

/** What a server calls its model, if that is a name; else what it was asked for. */
const nameOf = (said: unknown, asked: string): string =>
  typeof said === "string" && /^[\w.:/@-]{1,128}$/.test(said) ? said : asked

const turnOf = (message: BetaMessage, model: string): ModelTurn => {
  const { content, stop_reason: stopReason, usage } = message
  if (!Array.isArray(content)) throw new TypeError("a message without content")
  const { input_tokens: input, cache_creation_input_tokens: written, cache_read_input_tokens: read } = usage
  return {
    model: nameOf(message.model, model),
    content: content as unknown as ReadonlyArray<ContentBlock>,
    stopReason: stopReason ?? "end_turn",
    usage: { inputTokens: (input ?? 0) + (written ?? 0) + (read ?? 0), outputTokens: usage.output_tokens ?? 0 }
  }
}

const resultsOf = (message: BetaUserMessageParam | null): ReadonlyArray<ToolResult> =>
  (Array.isArray(message?.content) ? message.content : []).flatMap((block) =>
    block.type === "tool_result"
      ? [{ toolUseId: block.tool_use_id, content: textOf(block.content), isError: block.is_error === true }]
      : []
  )

const textOf = (content: unknown) => (typeof content === "string" ? content : JSON.stringify(content ?? ""))
