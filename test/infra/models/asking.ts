import { Effect, Redacted } from "effect"
import { z } from "zod"
import { makeNext } from "#infra/models/anthropic/next.ts"
import type { AnthropicSettings } from "#infra/models/anthropic/settings.ts"
import type { Form, Talk } from "#ports/LanguageModel.ts"
import type { MessagesApi } from "#test/MessagesApi.ts"

const echo: Form = { name: "Echo", description: "Echoes", schema: z.object({ text: z.string() }) }

export const talk = (changes: Partial<Talk> = {}): Talk => ({
  model: "claude-sonnet-5-5",
  system: "You are an agent.",
  prompt: "Do it.",
  tools: [echo],
  history: [],
  ...changes
})

/** Asks the stand-in of the API for a turn. */
export const nextOf = (api: MessagesApi, asked: Talk = talk(), settings: Partial<AnthropicSettings> = {}) =>
  Effect.suspend(() => makeNext({ apiKey: Redacted.make(api.key), baseURL: api.url, ...settings })(asked))
