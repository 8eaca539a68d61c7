import { Cause, Effect, Predicate } from "effect"

/** The kind of a fault. Its message may differ each time, because it names a time or a place. */
const kindOf = (cause: Cause.Cause<unknown>): string => {
  const fault = Cause.squash(cause)
  if (Predicate.hasProperty(fault, "_tag")) {
    const reason = Predicate.hasProperty(fault, "reason") ? fault.reason : undefined
    return `${fault._tag} ${Predicate.hasProperty(reason, "_tag") ? reason._tag : ""}`
  }
  return fault instanceof Error ? fault.name : typeof fault
}

/**
 * `say` reports a recurring fault once, when it begins, and each other kind of fault once, too. `over` says that things
 * go on, if a fault was reported; after that, faults are reported again.
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
