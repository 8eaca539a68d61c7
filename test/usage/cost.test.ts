import { assert, describe, it } from "@effect/vitest"
import type { ModelChoice } from "#ports/LanguageModel.ts"
import { costOf, pricesOf, totalOf } from "#src/usage/cost.ts"

const local: ModelChoice = { name: "local", model: "local", api: "local", prices: undefined, context: undefined }
const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
const sonnet: ModelChoice = { name: "sonnet", model: "claude", api: "anthropic", prices, context: undefined }
const house: ModelChoice = { name: "house", model: "qwen", api: "openai", prices: undefined, context: undefined }
const choices = { named: [sonnet, house, local], others: false, locally: [] }

const spent = (model: string) => ({
  group: "g",
  model,
  chats: 1,
  turns: 2,
  input: 1_000_000,
  output: 100_000,
  cacheRead: 600_000,
  cacheWrite: 200_000
})

describe("what a model costs", () => {
  it("has the cache's tokens at their own prices, and no others twice", () =>
    // 200,000 at 3, 100,000 at 15, 600,000 at 0.3 and 200,000 at 3.75 for a million
    assert.closeTo(costOf(choices, spent("sonnet"))!, 0.6 + 1.5 + 0.18 + 0.75, 1e-9))

  it("is nothing for what is no language model, and unknown where nobody has said", () => {
    assert.strictEqual(costOf(choices, spent("local")), 0)
    assert.isUndefined(pricesOf(choices, "house"))
    assert.isUndefined(pricesOf(choices, "other"))
    assert.isUndefined(pricesOf({ named: [local], others: true, locally: [] }, "other"))
    assert.strictEqual(costOf({ named: [local], others: false, locally: [] }, spent("sonnet")), 0)
  })

  it("is unknown of all together where it is of one that took tokens", () => {
    assert.include(totalOf(choices, [spent("sonnet"), spent("house")]), { tokens: 2_200_000, priced: false })
    const asked = { ...spent("house"), input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    assert.include(totalOf(choices, [spent("sonnet"), asked]), { priced: true, chats: 2 })
  })
})
