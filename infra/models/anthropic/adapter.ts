import type { LanguageModel } from "#ports/LanguageModel.ts"
import { makeAsk } from "./ask.ts"
import { makeNext } from "./next.ts"
import type { AnthropicSettings } from "./settings.ts"

/** Models of the Messages API, by their full ids. */
export const make = (settings: AnthropicSettings): Pick<LanguageModel["Service"], "next" | "ask"> => ({
  next: makeNext(settings),
  ask: makeAsk(settings)
})
