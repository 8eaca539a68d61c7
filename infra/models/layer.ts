import { Effect, Layer } from "effect"
import { LanguageModel, ModelFailed } from "#ports/LanguageModel.ts"
import type { ModelSettings, NamedModel, Provider } from "#ports/ModelSettings.ts"
import { choicesOf } from "#ports/modelChoices.ts"
import { Sandbox } from "#ports/Sandbox.ts"
import { nextLocally } from "./local.ts"

type Adapter = Pick<LanguageModel["Service"], "next" | "ask">

interface Library {
  readonly make: (provider: Provider) => Adapter
}

/**
 * An SDK takes longer to load than most of the service. So only those of configured APIs are loaded, and before the
 * first question.
 */
const libraries: { readonly [api in Provider["api"]]: () => Promise<Library> } = {
  anthropic: () => import("./anthropic/adapter.ts"),
  openai: () => import("./openai/adapter.ts")
}

const unknown = (name: string, known: Iterable<string>) =>
  new ModelFailed({
    message: `The model ${JSON.stringify(name)} is none of those that this service has: ${[...known].join(", ")}.`,
    fault: "the model is none of CAIRN_MODELS"
  })

const needsModel = (model: string) =>
  `The model ${JSON.stringify(model)} needs a language model's API: set ANTHROPIC_API_KEY, OPENAI_API_KEY or CAIRN_MODELS`

/**
 * Every model that a caller may name. `local` is always the one without a language model; it also answers for the
 * aliases while no API is configured. Every other model is its provider's. A name that is not listed counts as a full
 * id, if `others` is there to be asked.
 */
export const layer = ({ models, others }: ModelSettings) =>
  Layer.effect(
    LanguageModel,
    Effect.gen(function* () {
      const { languages } = yield* Sandbox
      const choices = choicesOf({ models, others })
      const configured = choices.locally.length === 0
      const locally = nextLocally({ languages, configured })
      const providers = new Set([...models.values()].map(({ provider }) => provider))
      if (others !== undefined) providers.add(others)
      const adapters = new Map<Provider, Adapter>()
      for (const provider of providers) {
        adapters.set(provider, (yield* Effect.promise(libraries[provider.api])).make(provider))
      }
      const adapter = (provider: Provider): Adapter => adapters.get(provider)!
      const find = (name: string): NamedModel | undefined =>
        models.get(name) ??
        (others === undefined ? undefined : { provider: others, model: name, prices: undefined, context: undefined })
      const names = choices.named.map(({ name }) => name)
      return LanguageModel.of({
        choices,
        canBeAsked: find("haiku") !== undefined,
        ask: (question, spent) => {
          const { model: name } = question
          const found = name === "local" ? undefined : find(name)
          if (found !== undefined) return adapter(found.provider).ask({ ...question, model: found.model }, spent)
          const message =
            name === "local" ? 'The model "local" is no language model and can\'t be asked.' : `${needsModel(name)}.`
          return Effect.fail(new ModelFailed({ message, fault: "no language model is configured" }))
        },
        next: (talk, heard) => {
          const { model: name } = talk
          if (name === "local") return locally(talk)
          const found = find(name)
          if (found !== undefined) return adapter(found.provider).next({ ...talk, model: found.model }, heard)
          if (configured) return Effect.fail(unknown(name, names))
          if (choices.locally.includes(name)) return locally(talk)
          const message = `${needsModel(name)}, or ask for the model "local".`
          return Effect.fail(new ModelFailed({ message, fault: "no language model is configured" }))
        }
      })
    })
  )
