import { Effect } from "effect"
import { LogIntake, type LogSource } from "#ports/LogCopy.ts"
import { type Also, bring } from "#src/audit/copy/bring.ts"
import type { ProgressBar } from "../progress.ts"

/** Brings the events that the copy lacks; answers how many they were. */
export const bringAll = Effect.fnUntraced(function* (from: LogSource["Service"], bar: ProgressBar, also?: Also) {
  const { events } = yield* bring(
    from,
    yield* LogIntake,
    (at, of, events) => bar.at(at, of, `copied ${events} events`),
    also
  )
  bar.clear()
  return events
})
