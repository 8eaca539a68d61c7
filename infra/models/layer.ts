import { Effect, Layer } from "effect"
import { LanguageModel, ModelFailed } from "#ports/LanguageModel.ts"
import { Sandbox } from "#ports/Sandbox.ts"
import { makeAsk } from "./anthropic/ask.ts"
import { makeNext } from "./anthropic/next.ts"
import { type AnthropicSettings, defaultAliases } from "./anthropic/settings.ts"
import { nextLocally } from "./local.ts"

const needsModel = (model: string) =>
  `The model ${JSON.stringify(model)} needs a language model's API: set ANTHROPIC_API_KEY`

/**
 * Every model that a caller may name: `local` is always the one without a language model, which also answers for the
 * aliases as long as the Messages API is not configured; other names are the API's.
 */
export const layer = (anthropic: AnthropicSettings | undefined) =>
  Layer.effect(
    LanguageModel,
    Effect.gen(function* () {
      const { languages } = yield* Sandbox
      const locally = nextLocally({ languages, configured: anthropic !== undefined })
      const next = anthropic && makeNext(anthropic)
      const ask = anthropic && makeAsk(anthropic)
      return LanguageModel.of({
        canBeAsked: ask !== undefined,
        ask: (question) => {
          const { model } = question
          if (ask !== undefined && model !== "local") return ask(question)
          const message =
            model === "local" ? 'The model "local" is no language model and can\'t be asked.' : `${needsModel(model)}.`
          return Effect.fail(new ModelFailed({ message, fault: "no language model is configured" }))
        },
        next: (talk) => {
          const { model } = talk
          if (model === "local") return locally(talk)
          if (next !== undefined) return next(talk)
          if (Object.hasOwn(defaultAliases, model)) return locally(talk)
          const message = `${needsModel(model)}, or ask for the model "local".`
          return Effect.fail(new ModelFailed({ message, fault: "no language model is configured" }))
        }
      })
    })
  )
