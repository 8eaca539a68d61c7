import { type Duration, Effect, Fiber } from "effect"

/**
 * What an effect gives within a time, or how it fails; later, fails with what `late` makes. The effect is then
 * interrupted but not waited for: the driver takes five seconds more to end a statement on a dead connection.
 */
export const within = <A, E, R, E2>(
  effect: Effect.Effect<A, E, R>,
  time: Duration.Input,
  late: () => E2
): Effect.Effect<A, E | E2, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(restore(effect)), (asked) =>
      restore(Effect.timeoutOrElse(Fiber.join(asked), { duration: time, orElse: () => Effect.fail(late()) })).pipe(
        Effect.ensuring(Effect.sync(() => asked.interruptUnsafe()))
      )
    )
  )
