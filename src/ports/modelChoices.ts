import type { LanguageModel, ModelChoice } from "./LanguageModel.ts"
import type { ModelSettings } from "./ModelSettings.ts"

/** The models that callers may choose from, by the settings alone; `local` is always one. */
export const choicesOf = ({ models, others }: ModelSettings): LanguageModel["Service"]["choices"] => {
  const named = [...models].map(
    ([name, { model, provider, prices, context }]): ModelChoice => ({ name, model, api: provider.api, prices, context })
  )
  const local: ModelChoice = { name: "local", model: "local", api: "local", prices: undefined, context: undefined }
  return { named: [...named, local], others: others !== undefined }
}
