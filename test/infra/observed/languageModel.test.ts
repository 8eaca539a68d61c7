import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric, Tracer } from "effect"
import { z } from "zod"
import { layer } from "#infra/models/layer.ts"
import { layer as observed } from "#infra/observed/languageModel.ts"
import { layer as justBash } from "#infra/sandbox/justBash/layer.ts"
import { LanguageModel, type Usage } from "#ports/LanguageModel.ts"
import { modelCost, modelRequests, modelTokens } from "#ports/metrics.ts"
import { chatCompletionsApi } from "#test/ChatCompletionsApi.ts"
import { calls, messagesApi } from "#test/MessagesApi.ts"
import { modelsOf } from "#test/models.ts"

const form = { name: "weather", description: "How it is.", schema: z.object({ good: z.boolean() }) }
const question = { model: "judge", system: "Judge.", prompt: "It rains.", form }
const prices = { input: 3, output: 15, cache_read: 1 }

const anthropic = (input: unknown) =>
  Effect.map(
    messagesApi(() => calls({ name: "weather", input })),
    ({ key, url }) => ({
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: url,
      CAIRN_MODELS: JSON.stringify({ judge: { provider: "anthropic", model: "claude-x", prices } })
    })
  )
const openai = (input: unknown) =>
  Effect.map(
    chatCompletionsApi(() => ({ calls: [{ name: "weather", arguments: JSON.stringify(input) }] })),
    ({ key, url }) => ({
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: url,
      CAIRN_MODELS: JSON.stringify({ judge: { provider: "openai", model: "gpt-x", prices } })
    })
  )

/** By the two stand-ins' own counts: 10 and 5 tokens, 4 of them cached where it says so. */
const apis = [
  { name: "the Messages API", api: anthropic, cached: 0 },
  { name: "Chat Completions", api: openai, cached: 4 }
]

describe.each(apis)("a question to a model of $name", ({ api, cached }) => {
  it.effect.each([
    { name: "that is answered", input: { good: true }, outcome: "answered" },
    { name: "whose answer is no use", input: { good: "maybe" }, outcome: "failed" }
  ])("$name is counted with its tokens and its cost, and its span says them", ({ input, outcome }) =>
    Effect.gen(function* () {
      const spans: Array<Tracer.Span> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = Tracer.nativeTracer.span(options)
          spans.push(span)
          return span
        }
      })
      const heard: Array<Usage> = []
      const models = Layer.provide(observed, layer(modelsOf(yield* api(input)))).pipe(Layer.provide(justBash))
      yield* Effect.gen(function* () {
        const { ask } = yield* LanguageModel
        yield* Effect.exit(ask(question, (usage) => heard.push(usage)))
        const counted = (metric: Metric.Counter<number>) => Effect.map(Metric.value(metric), ({ count }) => count)
        assert.strictEqual(yield* counted(modelRequests("judge", outcome)), 1)
        assert.strictEqual(yield* counted(modelTokens("judge", "input")), 10)
        assert.strictEqual(yield* counted(modelTokens("judge", "output")), 5)
        assert.strictEqual(yield* counted(modelTokens("judge", "cache_read")), cached)
        const cost = ((10 - cached) * 3 + 5 * 15 + cached * 1) / 1_000_000
        assert.closeTo(yield* counted(modelCost("judge")), cost, 1e-12)
      }).pipe(
        Effect.provide(models),
        Effect.provideService(Tracer.Tracer, tracer),
        Effect.provideService(Metric.MetricRegistry, new Map())
      )
      assert.deepInclude(heard[0], { inputTokens: 10, outputTokens: 5, cacheReadTokens: cached })
      const [span] = spans.filter(({ name }) => name === "chat judge")
      assert.deepInclude(Object.fromEntries(span!.attributes), {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "judge",
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 5
      })
    })
  )
})
