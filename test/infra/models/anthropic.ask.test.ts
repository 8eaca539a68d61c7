import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { z } from "zod"
import { makeAsk } from "#infra/models/anthropic/ask.ts"
import type { AnthropicSettings } from "#infra/models/anthropic/settings.ts"
import { layer } from "#infra/models/layer.ts"
import { layer as justBash } from "#infra/sandbox/justBash/layer.ts"
import { LanguageModel, type Question } from "#ports/LanguageModel.ts"
import type { ModelSettings } from "#ports/ModelSettings.ts"
import { calls, type MessagesApi, messagesApi, type Reply, says } from "#test/MessagesApi.ts"
import { modelsAt, modelsOf } from "#test/models.ts"

const question: Question = {
  model: "claude-haiku-5-5",
  system: "Judge the weather.",
  prompt: "It rains.",
  form: {
    name: "weather",
    description: "How it is.",
    schema: z.object({ weather: z.enum(["good", "bad"]), why: z.string().max(20) })
  }
}
const good = { weather: "bad", why: "It rains." }
const answer = (input: unknown, name = "weather") => calls({ name, input })

const settingsOf = (api: MessagesApi): AnthropicSettings => ({ apiKey: Redacted.make(api.key), baseURL: api.url })
const ask = (api: MessagesApi, changes: Partial<Question> = {}, settings: Partial<AnthropicSettings> = {}) =>
  Effect.suspend(() => makeAsk({ ...settingsOf(api), ...settings })({ ...question, ...changes }))

describe("asking a model of the Messages API", () => {
  it.effect("forces the one tool, and answers with what it was called with", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi([{ content: [{ type: "text", text: "Well." }, ...answer(good).content] }])
      assert.deepStrictEqual(yield* ask(api), good)
      const [{ body }] = api.requests as [MessagesApi["requests"][number]]
      assert.deepStrictEqual(body["tool_choice"], { type: "tool", name: "weather", disable_parallel_tool_use: true })
      assert.deepStrictEqual([body.model, body.system], ["claude-haiku-5-5", "Judge the weather."])
      assert.deepStrictEqual(body.messages, [{ role: "user", content: "It rains." }])
      assert.notProperty(body, "thinking")
      const [tool, ...others] = body.tools!
      assert.deepStrictEqual(others, [])
      assert.deepInclude(tool!.input_schema, {
        type: "object",
        properties: { weather: { type: "string", enum: ["good", "bad"] }, why: { type: "string", maxLength: 20 } },
        required: ["weather", "why"]
      })
    })
  )

  const said = "text that may be the prompt's"
  const useless: ReadonlyArray<readonly [name: string, reply: Reply]> = [
    ["talk instead of the form", says(`${JSON.stringify(good)} ${said}`)],
    ["a value outside the enum", answer({ weather: said, why: "" })],
    ["a field that is missing", answer({ why: said })],
    ["text where an object is due", answer(said)],
    ["another tool", answer(good, "climate")],
    ["two answers", calls({ name: "weather", input: good }, { name: "weather", input: { ...good, weather: "good" } })],
    ["a refusal, though the form is filled in", { ...answer(good), stopReason: "refusal" }],
    ["an answer that was cut off", { ...answer(good), stopReason: "max_tokens" }]
  ]
  for (const [name, reply] of useless) {
    it.effect(`fails on ${name}, and quotes nothing of it`, () =>
      Effect.gen(function* () {
        const api = yield* messagesApi([reply])
        const failure = yield* Effect.flip(ask(api))
        assert.strictEqual(failure._tag, "ModelFailed")
        assert.notInclude(failure.message, said)
        assert.strictEqual(api.requests.length, 1)
      })
    )
  }

  it.live("says what the API refuses, without the key", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi(() => ({ status: 400, message: "key sk-ant-stand-in is odd" }))
      const failure = yield* Effect.flip(ask(api))
      assert.include(failure.message, "400: key … is odd")
      const wrong = yield* Effect.flip(ask(api, {}, { apiKey: Redacted.make("sk-ant-other") }))
      assert.include(wrong.message, "refused the key")
      assert.notInclude(JSON.stringify([failure, wrong]), "sk-ant")
    })
  )

  it.live("gives up an answer that sends signs of life and never ends", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi(() => ({ drips: true }))
      const failure = yield* Effect.flip(ask(api, {}, { timeout: 300 }))
      assert.include(failure.message, "did not answer in time")
      yield* Effect.promise(() => api.requests.at(-1)!.ended)
    })
  )

  it.live("ends the request when it is interrupted", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi([{ ...answer(good), after: new Promise(() => {}) }])
      const fiber = yield* Effect.forkChild(ask(api))
      yield* Effect.promise(() => api.arrived(1))
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => api.requests[0]!.ended)
      assert.strictEqual(api.requests[0]!.status, 0)
    })
  )
})

describe("whether a model can be asked", () => {
  const models = (settings: ModelSettings) =>
    Effect.provide(LanguageModel, layer(settings).pipe(Layer.provide(justBash)))

  it.effect("no, as long as none is configured", () =>
    Effect.gen(function* () {
      const { canBeAsked, ask } = yield* models(modelsOf())
      assert.isFalse(canBeAsked)
      assert.include((yield* Effect.flip(ask({ ...question, model: "haiku" }))).message, "ANTHROPIC_API_KEY")
    })
  )

  it.effect("yes, but never the one without a language model", () =>
    Effect.gen(function* () {
      const api = yield* messagesApi([answer(good)])
      const { canBeAsked, ask } = yield* models(modelsAt(api))
      assert.isTrue(canBeAsked)
      assert.deepStrictEqual(yield* ask({ ...question, model: "haiku" }), good)
      assert.include((yield* Effect.flip(ask({ ...question, model: "local" }))).message, '"local"')
      assert.strictEqual(api.requests.length, 1)
    })
  )
})
