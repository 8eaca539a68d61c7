import { Clock, Effect } from "effect"
import { beginning, earliest, hasReached, type Position } from "#engine/Position.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { ReadModels as Models, type ReadModels } from "#engine/ports/ReadModels.ts"
import { Projector } from "#engine/project.ts"
import { standstill } from "#engine/standstill.ts"
import { type Beginning, parentGone, tool } from "#src/commandLine.ts"
import type { BadConfig } from "#src/config/BadConfig.ts"
import { type Config, readConfig } from "#src/config/config.ts"
import { projections as all } from "#src/readModels.ts"
import { Failed } from "./failure.ts"
import { Surroundings } from "./surroundings.ts"

export const config: Effect.Effect<Config, BadConfig> = Effect.flatMap(Surroundings, ({ env }) =>
  Effect.try({ try: () => readConfig(env), catch: (error) => error as BadConfig })
)

/** Runs a verb on the log and the read models: those of a running service, or its own for as long as it takes. */
export const onLog = <A, E, R>(verb: Effect.Effect<A, E, R>, beginning?: Beginning) =>
  Effect.flatMap(config, (config) =>
    Effect.raceFirst(
      Effect.provide(verb, tool(config, beginning)),
      Effect.flatMap(parentGone, () => new Failed({ message: "ended, because what had started it is gone" }))
    )
  )

const patience = 30_000

/** Waits until read models have passed a position; fails if no read model at all has moved towards it for 30 s. */
export const reach = Effect.fnUntraced(function* (
  projections: ReadonlyArray<Projection>,
  position: Position,
  progress: (reached: Position) => void = () => {}
) {
  const models: ReadModels["Service"] = yield* Models
  const projector = yield* Projector
  const stillFor = standstill(yield* Clock.currentTimeMillis)
  // `live` makes read models that are not there yet
  yield* Effect.forEach(projections, models.live, { discard: true })
  while (true) {
    // a few move on at a time, and other read models may come before these: any that moves is a sign of life
    const checkpoints = yield* models.checkpoints(all)
    const behind = earliest(
      position,
      ...projections.map((projection) => checkpoints.get(schemaOf(projection))?.position ?? beginning)
    )
    progress(behind)
    if (hasReached(behind, position)) return
    const still = stillFor(yield* Clock.currentTimeMillis, position, checkpoints)
    const [why] = (yield* projector.failures).entries()
    if (why !== undefined) return yield* new Failed({ message: `The read model ${why[0]} can't go on: ${why[1]}` })
    if (still > patience) {
      return yield* new Failed({ message: `The read models stand at ${behind} of ${position}: is the service well?` })
    }
    yield* Effect.sleep("10 millis")
  }
})

/** Waits until read models hold everything that is in the log now. */
export const upToDate = (...projections: ReadonlyArray<Projection>) =>
  Effect.flatMap(EventStore, ({ head }) => Effect.flatMap(head, (position) => reach(projections, position)))
