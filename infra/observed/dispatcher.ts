import { Effect, Layer } from "effect"
import { Dispatcher } from "#engine/dispatch.ts"

/** Notes a command's correlation in the span that it was given in: by that, the events it led to are found. */
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
