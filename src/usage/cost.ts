import type { LanguageModel, Usage } from "#ports/LanguageModel.ts"
import type { Prices } from "#ports/ModelSettings.ts"
import { modelCost } from "#ports/modelCost.ts"
import type { Spent } from "#projections/Consumption/spent.ts"

type Choices = LanguageModel["Service"]["choices"]

const nothing: Prices = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/**
 * What a model costs, by the name that chats ask for; `undefined`: nobody has said. The answers of `local`, which
 * stands in for a language model, cost nothing; without any other model, it answers for every name.
 */
export const pricesOf = ({ named, others }: Choices, model: string): Prices | undefined => {
  const found = named.find(({ name }) => name === model)
  if (found !== undefined) return found.api === "local" ? nothing : found.prices
  return !others && named.every(({ api }) => api === "local") ? nothing : undefined
}

/** US dollars that tokens of a model cost by today's prices; `undefined`: nobody has set any. */
export const costOfUsage = (choices: Choices, model: string, usage: Usage): number | undefined => {
  const prices = pricesOf(choices, model)
  return prices === undefined ? undefined : modelCost(usage, prices)
}

/** US dollars that were spent, by today's prices; `undefined`: nobody has set any. */
export const costOf = (choices: Choices, { model, input, output, cacheRead, cacheWrite }: Spent) =>
  costOfUsage(choices, model, {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite
  })

/** Sums of what was spent: tokens, and the dollars of models whose prices are known. */
export const totalOf = (choices: Choices, spent: ReadonlyArray<Spent>) => {
  const sum = (count: (one: Spent) => number) => spent.reduce((total, one) => total + count(one), 0)
  return {
    chats: sum(({ chats }) => chats),
    turns: sum(({ turns }) => turns),
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    cacheRead: sum(({ cacheRead }) => cacheRead),
    cacheWrite: sum(({ cacheWrite }) => cacheWrite),
    tokens: sum(({ input, output }) => input + output),
    cost: sum((one) => costOf(choices, one) ?? 0),
    /** Whether all of it has a price. */
    priced: spent.every((one) => one.input + one.output === 0 || costOf(choices, one) !== undefined)
  }
}
