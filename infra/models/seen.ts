import { Clock, Context, Effect, Exit, Layer, Option } from "effect"
import { LanguageModel, type ModelFailed } from "#ports/LanguageModel.ts"
import { ModelsSeen, type SeenModel } from "#ports/ModelsSeen.ts"

const nothing: SeenModel = { answeredAt: null, failedAt: null, fault: null }

/** Keeps, for each model that callers may name, when it last answered, and when and why it last failed. */
export const layer = Layer.effectContext(
  Effect.map(LanguageModel, (inner) => {
    const names = new Set(inner.choices.named.map(({ name }) => name))
    const seen = new Map<string, SeenModel>()

    const watched = <A>(name: string, asking: Effect.Effect<A, ModelFailed>) =>
      Effect.onExit(asking, (exit) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const before = seen.get(name) ?? nothing
          // an interrupted caller has seen nothing of the model
          const failed = Exit.isFailure(exit) ? Option.getOrUndefined(Exit.findErrorOption(exit)) : undefined
          if (!names.has(name)) return
          if (Exit.isSuccess(exit)) seen.set(name, { ...before, answeredAt: now })
          else if (failed !== undefined) seen.set(name, { ...before, failedAt: now, fault: failed.fault })
        })
      )

    const model = LanguageModel.of({
      ...inner,
      next: (talk, heard) => watched(talk.model, inner.next(talk, heard)),
      ask: (question, heard) => watched(question.model, inner.ask(question, heard))
    })
    return Context.make(LanguageModel, model).pipe(
      Context.add(ModelsSeen, ModelsSeen.of({ seen: Effect.sync(() => new Map(seen)) }))
    )
  })
)
