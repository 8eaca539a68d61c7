import { Effect, Exit, Layer } from "effect"
import { searches, searchSeconds } from "#ports/metrics.ts"
import { Search } from "./search.ts"

/** Counts and measures searches. */
export const layer = Layer.effect(
  Search,
  Effect.map(Search, (inner) =>
    Search.of({
      ...inner,
      search: (...given) =>
        Effect.withFiber((fiber) => {
          const { context } = fiber
          const began = performance.now()
          return Effect.onExit(inner.search(...given), (exit) =>
            Effect.sync(() => {
              searchSeconds().updateUnsafe((performance.now() - began) / 1000, context)
              const answer = Exit.isFailure(exit)
                ? "failed"
                : exit.value.cacheHit
                  ? "memory"
                  : exit.value.stale
                    ? "index_behind"
                    : exit.value.fallback !== undefined
                      ? "fallback"
                      : "index"
              searches(answer).updateUnsafe(1, context)
            })
          )
        })
    })
  )
)
