import { Cause, Data, Effect, Exit } from "effect"
import { type ReplayOutcome, type ReplayProgress, ReplayRecords } from "#ports/ReplayRecords.ts"

/** Milliseconds between two beats, which say that work goes on; it ends at the first one after a request to end. */
const beatEvery = 500

/** Somebody has requested that the work ends. */
export class Cancelled extends Data.TaggedError("Cancelled") {}

/** What a reader of the record is told of a failure; an error that is not in our own words is in the service's log. */
const faultOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause) as { readonly _tag?: string; readonly message?: string }
  if (error._tag === "StandsStill") return error.message ?? ""
  if (error._tag === "BuildMoved") return "Another replay of the same read model has begun in its place."
  return "It can't be done at the moment: the service's log says why."
}

/** How the work has ended. */
export interface CarriedOut extends ReplayProgress {
  readonly outcome: ReplayOutcome
  /** Why it failed. */
  readonly fault: string | null
}

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): ReplayOutcome => {
  if (Exit.isSuccess(exit)) return "done"
  const isCancelled = Cause.squash(exit.cause) instanceof Cancelled || Cause.hasInterruptsOnly(exit.cause)
  return isCancelled ? "cancelled" : "failed"
}

/**
 * Does the work whose record was begun under an id: beats while it goes on, with its progress, ends if somebody
 * requests that, and tells `ended` how it ended.
 */
export const carried = <A, E, R, R2>(
  id: string,
  what: string,
  first: ReplayProgress,
  working: (tell: (progress: ReplayProgress) => void) => Effect.Effect<A, E, R>,
  ended: (exit: Exit.Exit<A, E | Cancelled>, out: CarriedOut) => Effect.Effect<void, never, R2>
) =>
  Effect.flatMap(ReplayRecords, (records) => {
    let progress = first
    const beat = Effect.gen(function* () {
      yield* Effect.sleep(beatEvery)
      // the work goes on while the database is away
      const goesOn = yield* Effect.orElseSucceed(records.beat(id, progress), () => true)
      if (!goesOn) return yield* new Cancelled()
    })
    const work = working((now) => {
      progress = now
    })
    return Effect.onExit(Effect.raceFirst(work, Effect.forever(beat)), (exit) =>
      Effect.gen(function* () {
        const outcome = outcomeOf(exit)
        const fault = Exit.isFailure(exit) && outcome === "failed" ? faultOf(exit.cause) : null
        if (Exit.isFailure(exit) && fault !== null) yield* Effect.logError(`${what} failed`, exit.cause)
        yield* ended(exit, { ...progress, outcome, fault })
      })
    )
  })
