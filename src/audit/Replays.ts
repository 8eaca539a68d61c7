import { randomUUID } from "node:crypto"
import { Cause, Context, Data, Effect, Exit, Layer } from "effect"
import type { Codec } from "#engine/codec.ts"
import type { Projection } from "#engine/Projection.ts"
import type { EventStore } from "#engine/ports/EventStore.ts"
import type { Difference, ReadModels } from "#engine/ports/ReadModels.ts"
import {
  type ReplayOutcome,
  type ReplayProgress,
  type ReplayRecord,
  ReplayRecords,
  type TableDifference
} from "#ports/ReplayRecords.ts"
import { type Replayed, replay } from "./replay.ts"

/** Milliseconds from one word that a replay goes on to the next; as long may it go on when it is to end. */
const beatEvery = 500

/** The replay was told to end. */
class Cancelled extends Data.TaggedError("Cancelled") {}

const countedBy = (differences: ReadonlyArray<Difference>): ReadonlyArray<TableDifference> =>
  [...new Set(differences.map(({ table }) => table))].map((table) => ({
    table,
    rows: differences.filter((one) => one.table === table).length
  }))

/** What its reader is told of a failure; what is no words of ours is in the log. */
const faultOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause) as { readonly _tag?: string; readonly message?: string }
  if (error._tag === "StandsStill") return error.message ?? ""
  if (error._tag === "BuildMoved") return "Another replay of the same read model has begun in its place."
  return "It can't be done at the moment: the service's log says why."
}

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): ReplayOutcome => {
  if (Exit.isSuccess(exit)) return "done"
  const isCancelled = Cause.squash(exit.cause) instanceof Cancelled || Cause.hasInterruptsOnly(exit.cause)
  return isCancelled ? "cancelled" : "failed"
}

/**
 * Replays that a service is asked for: in the background, one at a time, of all processes on a database. What came of
 * the last one of each read model is kept.
 */
export class Replays extends Context.Service<
  Replays,
  {
    readonly all: Effect.Effect<ReadonlyArray<ReplayRecord>, unknown>
    /** Begins one at a key's word; with `promote` the new build takes the live one's place. `false`: one goes on. */
    readonly begin: (projection: Projection, promote: boolean, key: string) => Effect.Effect<boolean, unknown>
    /** `false`: there is none to end. It ends within a second, and leaves the live build as it is. */
    readonly cancel: (projection: Projection) => Effect.Effect<boolean, unknown>
  }
>()("cairn/Replays") {
  static readonly layer = Layer.effect(
    Replays,
    Effect.gen(function* () {
      const records = yield* ReplayRecords
      const scope = yield* Effect.scope
      const context = yield* Effect.context<EventStore | ReadModels | Codec>()

      const work = Effect.fnUntraced(function* (id: string, projection: Projection, promote: boolean) {
        let progress: ReplayProgress = { position: null, goal: null, events: 0 }
        const beat = Effect.gen(function* () {
          yield* Effect.sleep(beatEvery)
          // that the database is away for a moment ends nothing
          const goesOn = yield* Effect.orElseSucceed(records.beat(id, progress), () => true)
          if (!goesOn) return yield* new Cancelled()
        })
        const working = replay(projection, {
          promote,
          progress: (position, goal, events) => {
            progress = { position, goal, events }
          }
        })
        const ended = Effect.fnUntraced(function* (exit: Exit.Exit<Replayed, unknown>) {
          const outcome = outcomeOf(exit)
          const fault = Exit.isFailure(exit) && outcome === "failed" ? faultOf(exit.cause) : null
          if (Exit.isFailure(exit) && fault !== null) yield* Effect.logError("a replay failed", exit.cause)
          const differences = Exit.isSuccess(exit) ? countedBy(exit.value.differences) : []
          yield* Effect.ignore(records.end(id, { ...progress, differences, fault, outcome }))
        })
        yield* Effect.onExit(Effect.raceFirst(working, Effect.forever(beat)), ended)
      })

      return Replays.of({
        all: records.all,
        begin: Effect.fnUntraced(function* (projection, promote, key) {
          const id = randomUUID()
          const begun = yield* records.begin({ id, name: projection.name, promote, key })
          if (begun)
            yield* Effect.forkIn(Effect.provideContext(Effect.ignore(work(id, projection, promote)), context), scope)
          return begun
        }),
        cancel: ({ name }) => records.cancel(name)
      })
    })
  )
}
