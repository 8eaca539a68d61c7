import { Cause, Effect, Layer, Option, Schedule } from "effect"
import { Claims, whileMine } from "#engine/ports/Claims.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { type Other, ReadModels } from "#engine/ports/ReadModels.ts"
import { isAfter, type Position } from "./Position.ts"
import { type Projection, schemaOf } from "./Projection.ts"
import { claimOf } from "./project.ts"
import { saying } from "./saying.ts"

const projectionOf = ({ name, version }: Other): Projection => ({ name, version, tables: {} })
const nameOf = (other: Other) => schemaOf(projectionOf(other))

/** How long a look waits for a claim: one that nobody has is granted within it, or at the next look. */
const patience = "1 second"

/**
 * Makes a look that finds read models that no process moves on any more, as an upgrade leaves them behind. Each run
 * removes those that are behind the log, have not moved since the last run, and are claimed by nobody: a process that
 * stands still keeps its claims. Left alone, they would keep copies of erased texts.
 */
export const makeRetire = (projections: ReadonlyArray<Projection>) =>
  Effect.gen(function* () {
    const models = yield* ReadModels
    const store = yield* EventStore
    const { claim } = yield* Claims
    const removed = (other: Other) =>
      claim(claimOf(projectionOf(other))).pipe(
        Effect.timeoutOption(patience),
        Effect.flatMap((mine) => (Option.isSome(mine) ? models.retire(other) : Effect.succeed(false))),
        Effect.scoped
      )
    let before: ReadonlyMap<string, Position> = new Map()
    return Effect.gen(function* () {
      const head = yield* store.head
      const behind = (yield* models.others(projections)).filter(({ position }) => isAfter(head, position))
      for (const other of behind) {
        if (before.get(nameOf(other)) !== other.position) continue
        if (yield* removed(other)) yield* Effect.logInfo(`the read model ${nameOf(other)} is nobody's: removed`)
      }
      before = new Map(behind.map((other) => [nameOf(other), other.position]))
    })
  })

/** Looks every 10 s for as long as the scope lives. A look that keeps failing is logged once. */
export const layer = (projections: ReadonlyArray<Projection>) =>
  Layer.effectDiscard(
    Effect.flatMap(makeRetire(projections), (look) => {
      const { say, over } = saying()
      return look.pipe(
        Effect.andThen(over(Effect.logInfo("read models of other versions can be looked at again"))),
        Effect.catch((error) =>
          say(Cause.fail(error), Effect.logWarning("read models of other versions can't be looked at", error))
        ),
        Effect.repeat(Schedule.spaced("10 seconds")),
        (work) => whileMine("retire", () => Effect.asVoid(work)),
        Effect.forkScoped
      )
    })
  )
