import { Effect, Layer } from "effect"
import { commandSeconds, commands } from "#ports/metrics.ts"
import { Sandbox } from "#ports/Sandbox.ts"

const outcomes: { readonly [exit: number]: string } = { 0: "ok", 124: "timed_out", 137: "killed" }

/** Counts and measures shell commands. */
export const layer = Layer.effect(
  Sandbox,
  Effect.map(Sandbox, (inner) =>
    Sandbox.of({
      ...inner,
      open: (overlay) =>
        Effect.map(inner.open(overlay), (shell) => ({
          exec: (command, limits) =>
            Effect.withFiber((fiber) => {
              const { context } = fiber
              const began = performance.now()
              return Effect.tap(shell.exec(command, limits), ({ exit }) =>
                Effect.sync(() => {
                  commandSeconds().updateUnsafe((performance.now() - began) / 1000, context)
                  commands(outcomes[exit] ?? "failed").updateUnsafe(1, context)
                })
              )
            })
        }))
    })
  )
)
