import type { LanguageModel } from "#ports/LanguageModel.ts"
import { makeAsk } from "./ask.ts"
import { makeNext } from "./next.ts"
import type { OpenAiSettings } from "./settings.ts"

/** Models of the Chat Completions API, by their full ids. */
export const make = (settings: OpenAiSettings): Pick<LanguageModel["Service"], "next" | "ask"> => ({
  next: makeNext(settings),
  ask: makeAsk(settings)
})
