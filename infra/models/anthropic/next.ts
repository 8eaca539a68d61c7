import { Effect } from "effect"
import type { ModelFailed, ModelTurn, Talk } from "#ports/LanguageModel.ts"
import { messagesOf, turnOf } from "./blocks.ts"
import { makeClient } from "./client.ts"
import { modelFailed } from "./failure.ts"
import { toolOf } from "./form.ts"
import { type AnthropicSettings, modelOf } from "./settings.ts"

/** Turns of models of the Messages API: one request each, which holds all that was said before. */
export const makeNext = (settings: AnthropicSettings) => {
  const client = makeClient(settings)
  return (talk: Talk): Effect.Effect<ModelTurn, ModelFailed> => {
    const model = modelOf(settings, talk.model)
    return Effect.tryPromise({
      try: async (signal) => {
        const message = await client.beta.messages.create(
          {
            model,
            max_tokens: settings.maxTokens ?? 16_000,
            system: [{ type: "text", text: talk.system, cache_control: { type: "ephemeral" } }],
            messages: messagesOf(talk),
            tools: talk.tools.map((form) => ({ type: "custom" as const, ...toolOf(form) }))
          },
          { signal }
        )
        return turnOf(message, model)
      },
      catch: (error) => modelFailed(settings, model, error)
    })
  }
}
