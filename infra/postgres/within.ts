import { type Duration, Effect, Fiber } from "effect"

/**
 * What an effect gives within a time, or how it fails; later, fails with what `late` makes. The effect is then
 * interrupted but not waited for: the driver takes five seconds more to end a statement on a dead connection. `goesOn`
 * is asked each time that the time is over: if it says so, the effect has as much time again.
 */
export const within = <A, E, R, E2>(
  effect: Effect.Effect<A, E, R>,
  time: Duration.Input,
  late: () => E2,
  goesOn: Effect.Effect<boolean> = Effect.succeed(false)
): Effect.Effect<A, E | E2, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(restore(effect)), (asked) => {
      const answer: Effect.Effect<A, E | E2> = Effect.timeoutOrElse(Fiber.join(asked), {
        duration: time,
        orElse: () =>
          // an answer that comes while that is asked is the answer
          Effect.flatMap(Effect.raceFirst(Effect.as(Fiber.await(asked), true), goesOn), (on) =>
            on ? answer : (asked.pollUnsafe() ?? Effect.fail(late()))
          )
      })
      return Effect.ensuring(
        restore(answer),
        Effect.sync(() => asked.interruptUnsafe())
      )
    })
  )
