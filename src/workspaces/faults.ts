import { Cause, Effect } from "effect"

/** The kind of a defect of this service, without its message, which may quote what someone wrote. */
const faultOf = (cause: Cause.Cause<unknown>): string => {
  const defect = Cause.squash(cause)
  return defect instanceof Error ? defect.name : typeof defect
}

/** The lines of code that a defect came through, the first 8. */
const placesOf = (cause: Cause.Cause<unknown>): ReadonlyArray<string> => {
  const defect = Cause.squash(cause)
  const lines = defect instanceof Error ? (defect.stack ?? "").split("\n") : []
  return lines.filter((line) => /^ +at /.test(line)).slice(0, 8)
}

/**
 * Makes attempts until one answers `true`. A defect may have been chance, so it is tried again. The same defect twice
 * at the same step would come at each start of the service: the next attempt is told of it, to end the run with it.
 */
export const untilEnded = Effect.fnUntraced(function* <E, R, E2, R2>(
  attempt: (fault: string | undefined) => Effect.Effect<boolean, E, R>,
  step: Effect.Effect<number, E2, R2>
) {
  let before: { readonly step: number; readonly fault: string } | undefined
  let fault: string | undefined
  const failed = Effect.fnUntraced(function* (cause: Cause.Cause<E>) {
    // with `fault` set, what failed is the writing of the run's end, which is no fault of the step
    if (!Cause.hasDies(cause) || Cause.hasInterrupts(cause) || fault !== undefined)
      return yield* Effect.failCause(cause)
    const now = { step: yield* step, fault: faultOf(cause) }
    yield* Effect.logError("a step of a run failed", [now.fault, ...placesOf(cause)].join("\n"))
    if (before?.step === now.step && before.fault === now.fault) fault = now.fault
    before = now
    return yield* Effect.as(Effect.sleep("50 millis"), false)
  })
  for (;;) {
    if (yield* Effect.catchCause(attempt(fault), failed)) return
  }
})
