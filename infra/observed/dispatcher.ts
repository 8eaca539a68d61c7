import { Effect, Layer } from "effect"
import { Dispatcher } from "#engine/dispatch.ts"

/** Says in the span that a command was given in which events it led to: those of its correlation. */
export const layer = Layer.effect(
  Dispatcher,
  Effect.map(Dispatcher, (inner) =>
    Dispatcher.of({
      ...inner,
      dispatch: (decider, envelope) =>
        Effect.tap(inner.dispatch(decider, envelope), () =>
          Effect.annotateCurrentSpan("cairn.correlation.id", envelope.correlationId)
        )
    })
  )
)
