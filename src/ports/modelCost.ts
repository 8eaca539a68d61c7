import type { Usage } from "./LanguageModel.ts"
import type { Prices } from "./ModelSettings.ts"

/** US dollars. What is read from and written to a cache counts as input, too, and has a price of its own. */
export const modelCost = (
  { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage,
  prices: Prices
): number =>
  (Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens) * prices.input +
    outputTokens * prices.output +
    cacheReadTokens * prices.cacheRead +
    cacheWriteTokens * prices.cacheWrite) /
  1_000_000
