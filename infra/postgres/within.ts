import { type Duration, Effect, Fiber } from "effect"

/**
 * What an effect gives in a time, or how it fails; `late` makes the failure when nothing has come by then. It is given
 * up then and not waited for: a statement on a connection that is dead takes the driver five seconds more to end.
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
