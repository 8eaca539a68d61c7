import { Effect, Exit, Layer, Option } from "effect"
import { EventStore, WrongRevision } from "#engine/ports/EventStore.ts"
import { appendSeconds, appendsFailed, events } from "#ports/metrics.ts"

/** Counts and measures what is appended to the log. */
export const layer = Layer.effect(
  EventStore,
  Effect.map(EventStore, (inner) =>
    EventStore.of({
      ...inner,
      append: (append) =>
        Effect.withFiber((fiber) => {
          const { context } = fiber
          const began = performance.now()
          return Effect.onExit(inner.append(append), (exit) =>
            Effect.sync(() => {
              appendSeconds().updateUnsafe((performance.now() - began) / 1000, context)
              if (Exit.isFailure(exit)) {
                const error = Option.getOrUndefined(Exit.findErrorOption(exit))
                appendsFailed(error instanceof WrongRevision ? "conflict" : "unavailable").updateUnsafe(1, context)
              } else if (exit.value.before === undefined)
                for (const command of append.commands)
                  for (const { type } of command.events) events(type).updateUnsafe(1, context)
            })
          )
        })
    })
  )
)
