import { assert, describe, it } from "vitest"
import { keysOf } from "#src/config/models.ts"
import { secretsIn } from "#src/config/secrets.ts"
import { modelsOf } from "../models.ts"

const models = (value: unknown) => ({ CAIRN_MODELS: typeof value === "string" ? value : JSON.stringify(value) })
const openai = { provider: "openai", model: "gpt-x" }

describe("CAIRN_MODELS", () => {
  const wrong: ReadonlyArray<readonly [name: string, value: unknown, says: RegExp]> = [
    ["what is no JSON", "{", /^CAIRN_MODELS is wrong: expected a JSON object like /],
    ["a list", [], /^CAIRN_MODELS is wrong: expected a JSON object like /],
    ["an unknown provider", { a1: { ...openai, provider: "other" } }, /expected a JSON object like /],
    ["a misspelt field", { a1: { ...openai, baseurl: "https://x" } }, /expected a JSON object like /],
    ["a name that no chat can ask for", { "A b": openai }, /expected a JSON object like /],
    ["a price below nothing", { a1: { ...openai, prices: { input: -1, output: 1 } } }, /expected a JSON object like /],
    ["a provider without its key", { a1: openai }, /expected OPENAI_API_KEY, for a1$/],
    ["a context of no tokens", { a1: { ...openai, context: 0 } }, /expected a JSON object like /],
    ["a key that is not there", { a1: { ...openai, key: "SOME_KEY" } }, /expected SOME_KEY to have a key, for a1$/],
    ["a URL that is none", { a1: { ...openai, base_url: "ftp://x" } }, /expected a base_url that begins with http/],
    ["the name local", { local: { ...openai, base_url: "https://x" } }, /expected another name than local/]
  ]
  it.each(wrong)("is refused for %s", (_, value, says) => {
    assert.throws(() => modelsOf(models(value)), says)
  })

  it("may name variables that have keys: they are secrets as any other", () => {
    const given = models({ a1: { ...openai, key: "HOUSE_KEY" } })
    assert.deepStrictEqual(keysOf(given.CAIRN_MODELS), ["HOUSE_KEY"])
    assert.include(secretsIn(given), "HOUSE_KEY")
    assert.notInclude(JSON.stringify(modelsOf({ ...given, HOUSE_KEY: "hunter2" }).models.get("a1")), "hunter2")
  })

  it("stands beside the aliases, which it may change", () => {
    const environment = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "https://proxy.example" }
    const given = modelsOf({ ...environment, ...models({ haiku: { provider: "anthropic", model: "claude-tiny" } }) })
    assert.deepStrictEqual(
      [...given.models].map(([name, { model }]) => [name, model]),
      [
        ["sonnet", "claude-sonnet-5-5"],
        ["opus", "claude-opus-5-5"],
        ["haiku", "claude-tiny"]
      ]
    )
  })
})
