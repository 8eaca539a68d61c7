import { Clock, Effect } from "effect"

/** By a clock that is so many milliseconds later at each look. */
export const hurried = <A, E, R>(effect: Effect.Effect<A, E, R>, later: number) =>
  Effect.flatMap(Clock.Clock, (clock) => {
    let now = 0
    const looks = { currentTimeMillis: Effect.sync(() => (now += later)) }
    return Effect.provideService(effect, Clock.Clock, Object.assign(Object.create(clock) as typeof clock, looks))
  })
