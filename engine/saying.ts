import { Cause, Effect, Predicate } from "effect"

/** What went wrong by its kind. Its words may differ each time: they name a moment or a place. */
const kindOf = (cause: Cause.Cause<unknown>): string => {
  const fault = Cause.squash(cause)
  if (Predicate.hasProperty(fault, "_tag")) {
    const reason = Predicate.hasProperty(fault, "reason") ? fault.reason : undefined
    return `${fault._tag} ${Predicate.hasProperty(reason, "_tag") ? reason._tag : ""}`
  }
  return fault instanceof Error ? fault.name : typeof fault
}

/**
 * Says what goes wrong again and again (each second, say) once, when it begins, and another kind of it once, too.
 * `over` says that it goes on, where anything was said: then the next time is said again.
 */
export const saying = () => {
  const said = new Set<string>()
  return {
    say: (cause: Cause.Cause<unknown>, say: Effect.Effect<void>): Effect.Effect<void> =>
      Effect.suspend(() => {
        const kind = kindOf(cause)
        if (said.has(kind)) return Effect.void
        said.add(kind)
        return say
      }),
    over: (say: Effect.Effect<void>): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (said.size === 0) return Effect.void
        said.clear()
        return say
      })
  }
}
