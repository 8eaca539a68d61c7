import { randomUUID } from "node:crypto"
import { Context, Effect, Exit, Layer } from "effect"
import type { Codec } from "#engine/codec.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import type { EventStore } from "#engine/ports/EventStore.ts"
import type { Difference, ReadModels } from "#engine/ports/ReadModels.ts"
import { type ReplayRecord, ReplayRecords, type TableDifference } from "#ports/ReplayRecords.ts"
import { positionIn } from "./asOf.ts"
import { carried } from "./carried.ts"
import { replay } from "./replay.ts"

const countedBy = (differences: ReadonlyArray<Difference>): ReadonlyArray<TableDifference> =>
  [...new Set(differences.map(({ table }) => table))].map((table) => ({
    table,
    rows: differences.filter((one) => one.table === table).length
  }))

/**
 * Runs replays when a service is asked for them: in the background, one at a time among all processes on a database.
 * The result of the last replay of each read model is kept.
 */
export class Replays extends Context.Service<
  Replays,
  {
    readonly all: Effect.Effect<ReadonlyArray<ReplayRecord>, unknown>
    /** Begins one for a key; with `promote` the new build replaces the live one. `false`: one is already under way. */
    readonly begin: (projection: Projection, promote: boolean, key: string) => Effect.Effect<boolean, unknown>
    /** Ends one within a second, and leaves the live build as it is. `false`: there is none to end. */
    readonly cancel: (projection: Projection) => Effect.Effect<boolean, unknown>
  }
>()("cairn/Replays") {
  static readonly layer = Layer.effect(
    Replays,
    Effect.gen(function* () {
      const records = yield* ReplayRecords
      const scope = yield* Effect.scope
      const context = yield* Effect.context<EventStore | ReadModels | Codec | ReplayRecords>()

      const work = (id: string, projection: Projection, promote: boolean) =>
        carried(
          id,
          `the replay of ${schemaOf(projection)}`,
          { position: null, goal: null, events: 0 },
          (tell) =>
            replay(projection, { promote, progress: (position, goal, events) => tell({ position, goal, events }) }),
          (exit, out) => {
            const differences = Exit.isSuccess(exit) ? countedBy(exit.value.differences) : []
            return Effect.ignore(records.end(id, { ...out, differences }))
          }
        )

      return Replays.of({
        all: Effect.map(records.all, (all) => all.filter(({ name }) => positionIn(name) === undefined)),
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
