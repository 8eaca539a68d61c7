import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer } from "#infra/models/layer.ts"
import { layer as justBash } from "#infra/sandbox/justBash/layer.ts"
import { LanguageModel } from "#ports/LanguageModel.ts"
import { isChoice } from "#ports/modelChoices.ts"
import { chatCompletionsApi } from "#test/ChatCompletionsApi.ts"
import { messagesApi, says } from "#test/MessagesApi.ts"
import { modelsAt, modelsOf } from "#test/models.ts"
import { talk } from "./asking.ts"

const modelWith = (settings: ReturnType<typeof modelsOf>) =>
  Effect.provide(LanguageModel, Layer.provide(layer(settings), justBash))

describe("the models that callers may name", () => {
  it.effect("are the aliases and any full id, where there is one API", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi(() => says("Hi."))
      const environment = { ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url, CAIRN_MODEL_OPUS: "my-opus" }
      const model = yield* modelWith(modelsOf(environment))
      for (const name of ["sonnet", "opus", "haiku", "claude-x-1"]) yield* model.next(talk({ model: name }))
      assert.deepStrictEqual(
        api.requests.map(({ body }) => body.model),
        ["claude-sonnet-5-5", "my-opus", "claude-haiku-5-5", "claude-x-1"]
      )
      assert.isTrue(model.choices.others)
    })
  )

  it.effect("are those of CAIRN_MODELS, each asked at its own server with its own key", () =>
    Effect.gen(function* () {
      const anthropic = yield* messagesApi(() => says("From Anthropic."))
      const openai = yield* chatCompletionsApi(() => ({ content: "From OpenAI." }))
      const house = yield* chatCompletionsApi(() => ({ content: "From the house." }))
      const model = yield* modelWith(
        modelsOf({
          ANTHROPIC_API_KEY: anthropic.key,
          ANTHROPIC_BASE_URL: anthropic.url,
          OPENAI_API_KEY: openai.key,
          OPENAI_BASE_URL: openai.url,
          HOUSE_KEY: house.key,
          CAIRN_MODELS: JSON.stringify({
            fast: { provider: "openai", model: "gpt-mini", prices: { input: 1, output: 4, cache_read: 0.1 } },
            house: { provider: "openai", base_url: house.url, key: "HOUSE_KEY", model: "Qwen/qwen3" },
            // no key of ours goes to a server that it is not for
            free: { provider: "openai", base_url: openai.url, model: "gpt-mini" }
          })
        })
      )
      const said = yield* Effect.forEach(["sonnet", "fast", "house"], (name) => model.next(talk({ model: name })))
      assert.deepStrictEqual(
        said.map(({ says: [one] }) => one?._tag === "Text" && one.text),
        ["From Anthropic.", "From OpenAI.", "From the house."]
      )
      assert.deepStrictEqual(
        [openai, house].map(({ requests }) => requests.map(({ body }) => body.model)),
        [["gpt-mini"], ["Qwen/qwen3"]]
      )
      const refused = yield* Effect.flip(model.next(talk({ model: "free" })))
      assert.include(refused.message, "refused the key (key of free in CAIRN_MODELS)")
      const unknown = yield* Effect.flip(model.next(talk({ model: "claude-x-1" })))
      assert.include(unknown.message, 'The model "claude-x-1" is none of those that this service has: sonnet,')
      assert.isFalse(model.choices.others)
      assert.deepStrictEqual(model.choices.named.find(({ name }) => name === "fast")?.prices, {
        input: 1,
        output: 4,
        cacheRead: 0.1,
        cacheWrite: 1
      })
      assert.isTrue(model.canBeAsked)
    })
  )

  it.effect("are local alone without any API, and judgements can be asked of nobody", () =>
    Effect.gen(function* () {
      const none = yield* modelWith(modelsOf())
      assert.deepStrictEqual(
        none.choices.named.map(({ name }) => name),
        ["local"]
      )
      assert.isFalse(none.canBeAsked)
      // that are its own, or that it answers for
      const asked = ["local", "sonnet", "opus", "haiku", "claude-x-1", "sonett"]
      const taken = (given: typeof none.choices) => asked.filter((name) => isChoice(given, name))
      assert.deepStrictEqual(taken(none.choices), ["local", "sonnet", "opus", "haiku"])
      const api = yield* messagesApi([])
      const some = yield* modelWith(modelsAt(api))
      assert.isTrue(some.canBeAsked)
      assert.deepStrictEqual(taken(some.choices), asked)
      const house = { provider: "openai", model: "m", base_url: api.url }
      const named = yield* modelWith(modelsOf({ CAIRN_MODELS: JSON.stringify({ house }) }))
      assert.isEmpty(taken(named.choices).filter((name) => name !== "local"))
    })
  )
})
