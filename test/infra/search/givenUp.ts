import { Effect } from "effect"
import { heed } from "#infra/search/givenUp.ts"

/** As the thread's own that was given up. */
export const givenUp = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const said = new SharedArrayBuffer(4)
      heed(said)
      Atomics.store(new Int32Array(said), 0, 1)
    }),
    () => effect,
    () => Effect.sync(() => heed(new SharedArrayBuffer(4)))
  )
