import type { LanguageModel, ModelChoice } from "./LanguageModel.ts"
import type { ModelSettings } from "./ModelSettings.ts"

type Choices = LanguageModel["Service"]["choices"]

/** Aliases that callers use when nobody told them of another name. */
const usual = ["sonnet", "opus", "haiku"]

/** The models that callers may choose from, by the settings alone; `local` is always one. */
export const choicesOf = ({ models, others }: ModelSettings): Choices => {
  const named = [...models].map(
    ([name, { model, provider, prices, context }]): ModelChoice => ({ name, model, api: provider.api, prices, context })
  )
  const local: ModelChoice = { name: "local", model: "local", api: "local", prices: undefined, context: undefined }
  const isConfigured = models.size > 0 || others !== undefined
  return { named: [...named, local], others: others !== undefined, locally: isConfigured ? [] : usual }
}

/** Whether a chat may name this model. */
export const isChoice = ({ named, others, locally }: Choices, model: string): boolean =>
  others || named.some(({ name }) => name === model) || locally.includes(model)
