import { Effect, Redacted } from "effect"
import { z } from "zod"
import { makeAnthropic } from "#infra/models/anthropic/converse.ts"
import type { AnthropicSettings } from "#infra/models/anthropic/settings.ts"
import type {
  Conversation,
  ConversationStopped,
  Exchange,
  ModelTurn,
  ToolDefinition,
  ToolResult
} from "#ports/LanguageModel.ts"
import type { MessagesApi } from "#test/MessagesApi.ts"

/** Holds a conversation with the stand-in of the API. */
export const converseWith = (api: MessagesApi, asked: Conversation, settings: Partial<AnthropicSettings> = {}) =>
  Effect.suspend(() => makeAnthropic({ apiKey: Redacted.make(api.key), baseURL: api.url, ...settings })(asked))

/** What a run would record, in order, and the exchanges that it could resume from. */
export interface Recorder {
  readonly steps: Array<string>
  exchanges: ReadonlyArray<Exchange>
}

export const recorder = (): Recorder => ({ steps: [], exchanges: [] })

/** A tool that answers with its input, and writes down when it starts and ends. */
export const echo = (name: string, steps: Array<string>, work: Effect.Effect<void> = Effect.void): ToolDefinition => ({
  name,
  description: `Echoes (${name})`,
  schema: z.object({ text: z.string() }),
  run: (input) =>
    Effect.gen(function* () {
      const { text } = input as { readonly text: string }
      steps.push(`${name} ${text} starts`)
      yield* Effect.yieldNow
      yield* work
      steps.push(`${name} ${text} ends`)
      return { content: `echo ${text}`, isError: text === "wrong" }
    })
})

/** A conversation whose hooks keep what they are given in `recorder`, as a run's events would. */
export const conversation = (
  kept: Recorder,
  changes: Partial<Conversation> & {
    readonly stopBefore?: Effect.Effect<void, ConversationStopped>
  } = {}
): Conversation => {
  const { stopBefore = Effect.void, ...rest } = changes
  kept.exchanges = rest.history ?? []
  return {
    model: "sonnet",
    system: "You are an agent.",
    prompt: "Do it.",
    tools: [echo("Echo", kept.steps)],
    maxTurns: 8,
    history: [],
    beforeTurn: (turn) =>
      Effect.andThen(
        stopBefore,
        Effect.sync(() => void kept.steps.push(`before ${turn}`))
      ),
    onTurn: (turn: number, said: ModelTurn) =>
      Effect.sync(() => {
        kept.steps.push(`turn ${turn}`)
        kept.exchanges = [...kept.exchanges, { turn: said, results: undefined }]
        return said
      }),
    onTools: (turn: number, results: ReadonlyArray<ToolResult>) =>
      Effect.sync(() => {
        kept.steps.push(`tools ${turn}`)
        kept.exchanges = kept.exchanges.map((exchange, index) =>
          index === turn - 1 ? { ...exchange, results } : exchange
        )
        return results
      }),
    ...rest
  }
}

/** Every point at which a process could have ended: before anything, after each turn, after each round of tools. */
export const resumePoints = (exchanges: ReadonlyArray<Exchange>): ReadonlyArray<ReadonlyArray<Exchange>> => [
  [],
  ...exchanges.flatMap((exchange, index) => {
    const before = exchanges.slice(0, index)
    const asked = [...before, { turn: exchange.turn, results: undefined }]
    return exchange.results === undefined ? [asked] : [asked, [...before, exchange]]
  })
]
