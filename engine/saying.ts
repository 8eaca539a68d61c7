import { Clock, Effect } from "effect"

/** Milliseconds after which what still holds is said again. */
const again = 60_000

/**
 * Says what goes wrong again and again (each second, say) once, and again when it is another thing or after a minute. `over`: it goes
 * on, so that the next time is said at once.
 */
export const saying = () => {
  let said: string | undefined
  let at = 0
  return {
    say: (what: string, say: Effect.Effect<void>): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (what === said && now - at < again) return Effect.void
        said = what
        at = now
        return say
      }),
    over: (): void => {
      said = undefined
    }
  }
}
