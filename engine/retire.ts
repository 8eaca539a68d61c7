import { Effect, Layer, Schedule } from "effect"
import { whileMine } from "#engine/ports/Claims.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { type Other, ReadModels } from "#engine/ports/ReadModels.ts"
import { isAfter, type Position } from "./Position.ts"
import { type Projection, schemaOf } from "./Projection.ts"

const nameOf = ({ name, version }: Other) => schemaOf({ name, version, tables: {} })

/**
 * Makes a look: each time it is run, it looks for read models that no process moves on any more, as an upgrade leaves
 * them behind, and removes those that were at the same position at the last look and have missed something since. They would
 * keep copies of texts that are erased.
 */
export const makeRetire = (projections: ReadonlyArray<Projection>) =>
  Effect.gen(function* () {
    const models = yield* ReadModels
    const store = yield* EventStore
    let before: ReadonlyMap<string, Position> = new Map()
    return Effect.gen(function* () {
      const head = yield* store.head
      const behind = (yield* models.others(projections)).filter(({ position }) => isAfter(head, position))
      for (const other of behind) {
        if (before.get(nameOf(other)) !== other.position) continue
        if (yield* models.retire(other)) yield* Effect.logInfo(`the read model ${nameOf(other)} is nobody's: removed`)
      }
      before = new Map(behind.map((other) => [nameOf(other), other.position]))
    })
  })

/** Looks every 10 s for as long as the scope lives. A look that fails is logged. */
export const layer = (projections: ReadonlyArray<Projection>) =>
  Layer.effectDiscard(
    Effect.flatMap(makeRetire(projections), (look) =>
      look.pipe(
        Effect.catch((error) => Effect.logWarning("read models of other versions can't be looked at", error)),
        Effect.repeat(Schedule.spaced("10 seconds")),
        (work) => whileMine("retire", () => Effect.asVoid(work)),
        Effect.forkScoped
      )
    )
  )
