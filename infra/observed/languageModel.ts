import { Effect, Exit, Layer } from "effect"
import { LanguageModel, type ModelFailed, type OnSpent } from "#ports/LanguageModel.ts"
import { modelCost as dollars, modelRequests, modelSeconds, modelTokens } from "#ports/metrics.ts"
import { modelCost } from "#ports/modelCost.ts"

/** Counts, measures and traces what is asked of language models. */
export const layer = Layer.effect(
  LanguageModel,
  Effect.map(LanguageModel, (inner) => {
    const choices = new Map(inner.choices.named.map((choice) => [choice.name, choice]))
    const labelOf = (model: string) => (choices.has(model) ? model : "other")

    const watched = <A>(
      name: string,
      asking: (spent: OnSpent) => Effect.Effect<A, ModelFailed>,
      outcomeOf: (answer: A) => string
    ) =>
      Effect.withFiber<A, ModelFailed>((fiber) => {
        const model = labelOf(name)
        const { context } = fiber
        const began = performance.now()
        const noted: Record<string, unknown> = {}
        const spent: OnSpent = (usage, by) => {
          const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage
          const kinds = {
            input: inputTokens,
            output: outputTokens,
            cache_read: cacheReadTokens,
            cache_write: cacheWriteTokens
          }
          for (const [kind, count] of Object.entries(kinds)) modelTokens(model, kind).updateUnsafe(count, context)
          const prices = choices.get(name)?.prices
          if (prices !== undefined) dollars(model).updateUnsafe(modelCost(usage, prices), context)
          noted["gen_ai.usage.input_tokens"] = inputTokens
          noted["gen_ai.usage.output_tokens"] = outputTokens
          if (by !== null) noted["gen_ai.response.model"] = by
        }
        return asking(spent).pipe(
          Effect.onExit((exit) =>
            Effect.suspend(() => {
              modelSeconds(model).updateUnsafe((performance.now() - began) / 1000, context)
              const outcome = Exit.isSuccess(exit) ? outcomeOf(exit.value) : "failed"
              modelRequests(model, outcome).updateUnsafe(1, context)
              return Effect.annotateCurrentSpan(noted)
            })
          ),
          Effect.withSpan(`chat ${model}`, {
            kind: "client",
            attributes: {
              "gen_ai.operation.name": "chat",
              "gen_ai.provider.name": choices.get(name)?.api ?? "other",
              "gen_ai.request.model": model
            }
          })
        )
      })

    return LanguageModel.of({
      ...inner,
      next: (talk, heard) =>
        watched(
          talk.model,
          (spent) => Effect.tap(inner.next(talk, heard), ({ usage, model }) => Effect.sync(() => spent(usage, model))),
          ({ end }) => end
        ),
      ask: (question, heard) =>
        watched(
          question.model,
          (spent) =>
            inner.ask(question, (usage, model) => {
              spent(usage, model)
              heard?.(usage, model)
            }),
          () => "answered"
        )
    })
  })
)
