import type { Usage } from "./LanguageModel.ts"
import type { Prices } from "./ModelSettings.ts"

/** A cost in US dollars. Tokens read from and written to a cache count as input too, and have prices of their own. */
export const modelCost = (
  { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage,
  prices: Prices
): number =>
  (Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens) * prices.input +
    outputTokens * prices.output +
    cacheReadTokens * prices.cacheRead +
    cacheWriteTokens * prices.cacheWrite) /
  1_000_000
