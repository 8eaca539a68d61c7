import { Effect, Layer } from "effect"
import { LanguageModel, ModelFailed } from "#ports/LanguageModel.ts"
import { Sandbox } from "#ports/Sandbox.ts"
import { makeAnthropic } from "./Anthropic/converse.ts"
import { type AnthropicSettings, defaultAliases } from "./Anthropic/settings.ts"
import { converseLocally } from "./LocalModel.ts"

/**
 * Every model that a caller may name: `local` is always the one without a language model, which also answers for the
 * aliases as long as the Messages API is not configured; other names are the API's.
 */
export const layer = (anthropic: AnthropicSettings | undefined) =>
  Layer.effect(
    LanguageModel,
    Effect.gen(function* () {
      const { languages } = yield* Sandbox
      const converse = anthropic && makeAnthropic(anthropic)
      return LanguageModel.of({
        canBeAsked: false,
        ask: ({ model }) =>
          Effect.fail(new ModelFailed({ message: `The model ${JSON.stringify(model)} can't be asked.` })),
        converse: (conversation) => {
          const { model } = conversation
          if (model === "local") return converseLocally(conversation, languages)
          if (converse !== undefined) return converse(conversation)
          if (Object.hasOwn(defaultAliases, model)) return converseLocally(conversation, languages)
          const message = `The model ${JSON.stringify(model)} needs a language model's API: set ANTHROPIC_API_KEY, or ask for the model "local".`
          return Effect.fail(new ModelFailed({ message }))
        }
      })
    })
  )
