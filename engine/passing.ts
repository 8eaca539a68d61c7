import { Effect, Schedule } from "effect"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import type { Position } from "./Position.ts"
import { saying } from "./saying.ts"

/** Milliseconds after which checkpoints are stored, so that a start need not pass the same events again. */
const idle = 1_000
/** How long storing them may take: a connection may be dead without anyone noticing. */
const patience = "10 seconds"

/** A reaction's checkpoint that only passed over events; `done` hears whether it was stored. */
interface Passed {
  readonly from: Position
  readonly to: Position
  readonly done: (stored: boolean) => void
}

/**
 * The checkpoints that are to be stored, by reaction name. All are stored together, within a second, as long as the
 * scope lives. What can't be stored is dropped; the reaction sets it again when it next passes over events.
 */
export const makePassing = Effect.gen(function* () {
  const models = yield* ReadModels
  const passed = new Map<string, Passed>()
  const store = Effect.suspend(() => {
    const some = [...passed]
    passed.clear()
    if (some.length === 0) return Effect.void
    const advances = some.map(([name, { from, to }]) => ({ name, from, to }))
    return Effect.map(models.advanceAll(advances), (moved) => {
      for (const [name, { done }] of some) done(moved.has(name))
    })
  })
  const { say, over } = saying()
  const orSaid = Effect.matchCauseEffect(Effect.timeout(store, patience), {
    onFailure: (cause) => say(cause, Effect.logWarning("how far reactions have come can't be stored", cause)),
    onSuccess: () => over(Effect.logInfo("how far reactions have come is stored again"))
  })
  yield* Effect.forkScoped(Effect.repeat(orSaid, Schedule.spaced(idle)))
  return passed
})

export type Passing = Effect.Success<typeof makePassing>
