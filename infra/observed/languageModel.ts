import { Effect, Exit, Layer } from "effect"
import { LanguageModel, type ModelFailed, type ModelTurn, type Usage } from "#ports/LanguageModel.ts"
import type { Prices } from "#ports/ModelSettings.ts"
import { modelCost, modelRequests, modelSeconds, modelTokens } from "#ports/metrics.ts"

/** US dollars. What is read from and written to a cache counts as input, too, and has a price of its own. */
export const costOf = (
  { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage,
  prices: Prices
): number =>
  (Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens) * prices.input +
    outputTokens * prices.output +
    cacheReadTokens * prices.cacheRead +
    cacheWriteTokens * prices.cacheWrite) /
  1_000_000

/** Counts, measures and traces what is asked of language models. */
export const layer = Layer.effect(
  LanguageModel,
  Effect.map(LanguageModel, (inner) => {
    const choices = new Map(inner.choices.named.map((choice) => [choice.name, choice]))
    const labelOf = (model: string) => (choices.has(model) ? model : "other")

    const watched = <A>(
      name: string,
      operation: string,
      asking: Effect.Effect<A, ModelFailed>,
      ended: (answer: A) => { readonly outcome: string; readonly usage?: Usage; readonly by?: string | null }
    ) =>
      Effect.withFiber<A, ModelFailed>((fiber) => {
        const model = labelOf(name)
        const { context } = fiber
        const began = performance.now()
        return asking.pipe(
          Effect.onExit((exit) =>
            Effect.suspend(() => {
              modelSeconds(model).updateUnsafe((performance.now() - began) / 1000, context)
              const { outcome, usage, by } = Exit.isSuccess(exit) ? ended(exit.value) : { outcome: "failed" }
              modelRequests(model, outcome).updateUnsafe(1, context)
              if (usage === undefined) return Effect.void
              const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage
              const kinds = {
                input: inputTokens,
                output: outputTokens,
                cache_read: cacheReadTokens,
                cache_write: cacheWriteTokens
              }
              for (const [kind, count] of Object.entries(kinds)) modelTokens(model, kind).updateUnsafe(count, context)
              const prices = choices.get(name)?.prices
              if (prices !== undefined) modelCost(model).updateUnsafe(costOf(usage, prices), context)
              return Effect.annotateCurrentSpan({
                "gen_ai.usage.input_tokens": inputTokens,
                "gen_ai.usage.output_tokens": outputTokens,
                ...(by == null ? {} : { "gen_ai.response.model": by })
              })
            })
          ),
          Effect.withSpan(`${operation} ${model}`, {
            kind: "client",
            attributes: {
              "gen_ai.operation.name": operation,
              "gen_ai.provider.name": choices.get(name)?.api ?? "other",
              "gen_ai.request.model": model
            }
          })
        )
      })

    return LanguageModel.of({
      ...inner,
      next: (talk) =>
        watched(talk.model, "chat", inner.next(talk), ({ end, usage, model }: ModelTurn) => ({
          outcome: end,
          usage,
          by: model
        })),
      ask: (question) =>
        watched(question.model, "generate_content", inner.ask(question), () => ({ outcome: "answered" }))
    })
  })
)
