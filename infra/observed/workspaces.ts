import { Effect, Exit, Layer } from "effect"
import { packSeconds, packs } from "#ports/metrics.ts"
import { WorkspaceStore } from "#ports/WorkspaceStore.ts"

/** Counts and measures the packing of repositories. */
export const layer = Layer.effect(
  WorkspaceStore,
  Effect.map(WorkspaceStore, (inner) =>
    WorkspaceStore.of({
      ...inner,
      pack: (...given) =>
        Effect.withFiber((fiber) => {
          const { context } = fiber
          const began = performance.now()
          return Effect.onExit(inner.pack(...given), (exit) =>
            Effect.sync(() => {
              packSeconds().updateUnsafe((performance.now() - began) / 1000, context)
              packs(Exit.isSuccess(exit) ? "ok" : "failed").updateUnsafe(1, context)
            })
          )
        })
    })
  )
)
