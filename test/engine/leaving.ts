import { Effect, Fiber } from "effect"
import { MaxOpsBeforeYield } from "effect/Scheduler"

/** Steps between which a fiber gives way: with fewer it comes nowhere, as to give way is one too. */
const fewest = 3
/** More steps than anything here has. */
export const mostSteps = 200

/** Rounds in which what was begun comes to its end. */
const idle = Effect.forEach(Array.from({ length: 200 }), () => Effect.yieldNow, { discard: true })

/**
 * Begins an effect and leaves it after so many of its steps, as a client may at each of them: fibers give way, and are
 * interrupted, between any two steps, but seldom at a given one. Here they do at all of them. Tells whether it had come
 * to its end by itself.
 */
export const leftAfter = <A, E, R>(steps: number, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.provideService(effect, MaxOpsBeforeYield, fewest))
    for (let step = 0; step < steps; step++) yield* Effect.yieldNow
    const ended = fiber.pollUnsafe() !== undefined
    yield* Effect.forkChild(Fiber.interrupt(fiber))
    yield* idle
    return ended
  })
