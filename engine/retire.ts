import { Cause, Clock, Effect, Layer, Option, Schedule } from "effect"
import { Claims, whileMine } from "#engine/ports/Claims.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { type Other, ReadModels } from "#engine/ports/ReadModels.ts"
import { isAfter, type Position } from "./Position.ts"
import { type Projection, schemaOf } from "./Projection.ts"
import { claimOf } from "./project.ts"
import { saying } from "./saying.ts"

const projectionOf = ({ name, version }: Other): Projection => ({ name, version, tables: {} })
const nameOf = (other: Other) => schemaOf(projectionOf(other))

/** Milliseconds for which a build that is not live may stand still while somebody makes it. */
const still = 5 * 60_000
/**
 * Milliseconds that count from one look to the next at most: a machine that slept for longer has kept everybody from
 * moving anything.
 */
const step = 20_000

/** How long a look waits for a claim: one that nobody has is granted within it, or at the next look. */
const patience = "1 second"

/**
 * Makes a look that finds read models that no process moves on any more, as an upgrade leaves them behind. Each run
 * removes those that are behind the log, have not moved since the last run, and are claimed by nobody: a process that
 * stands still keeps its claims. It also removes builds that stand still for five minutes and are not read, as a replay
 * or the making of an as-of state leaves them when it is killed. Left alone, both would keep copies of erased texts.
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
    /** Where each unfinished build stood at the last look, and for how long it has. */
    let stood: ReadonlyMap<string, { readonly position: Position; readonly long: number }> = new Map()
    let looked: number | undefined
    const dropLeft = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const passed = Math.min(now - (looked ?? now), step)
      looked = now
      const stands = new Map<string, { readonly position: Position; readonly long: number }>()
      for (const build of yield* models.unfinished) {
        const name = `${schemaOf(build.projection)}_b${build.build}`
        const last = stood.get(name)
        const long = last?.position === build.position ? last.long + passed : 0
        stands.set(name, { position: build.position, long })
        if (long < still) continue
        // one that is read, as by a comparison, is in use, and looked at again
        const dropped = yield* Effect.isSuccess(models.drop(build))
        if (dropped) yield* Effect.logInfo(`${name} was left unfinished: removed`)
      }
      stood = stands
    })
    return Effect.gen(function* () {
      const head = yield* store.head
      const behind = (yield* models.others(projections)).filter(({ position }) => isAfter(head, position))
      for (const other of behind) {
        if (before.get(nameOf(other)) !== other.position) continue
        if (yield* removed(other)) yield* Effect.logInfo(`the read model ${nameOf(other)} is nobody's: removed`)
      }
      before = new Map(behind.map((other) => [nameOf(other), other.position]))
      yield* dropLeft
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
