import { Clock, Effect } from "effect"
import { earliest, hasReached, isAfter, latest, type Position } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { ReadModels as Models, type ReadModels } from "#engine/ports/ReadModels.ts"
import { Projector } from "#engine/project.ts"
import type { BadConfig } from "#src/BadConfig.ts"
import { parentGone, tool } from "#src/commandLine.ts"
import { type Config, readConfig } from "#src/config.ts"
import { Failed } from "./failure.ts"
import { Surroundings } from "./surroundings.ts"

export const config: Effect.Effect<Config, BadConfig> = Effect.flatMap(Surroundings, ({ env }) =>
  Effect.try({ try: () => readConfig(env), catch: (error) => error as BadConfig })
)

/** Runs a verb on the log and the read models: those of a running service, else its own for as long as it takes. */
export const onLog = <A, E, R>(verb: Effect.Effect<A, E, R>) =>
  Effect.flatMap(config, (config) =>
    Effect.raceFirst(
      Effect.provide(verb, tool(config)),
      Effect.flatMap(parentGone, () => new Failed({ message: "ended, because what had started it is gone" }))
    )
  )

const patience = 30_000

/** Waits until read models have passed a position; fails when none of them has moved for 30 s. */
export const reach = Effect.fnUntraced(function* (
  projections: ReadonlyArray<Projection>,
  position: Position,
  progress: (reached: Position) => void = () => {}
) {
  const models: ReadModels["Service"] = yield* Models
  const projector = yield* Projector
  let least: Position | undefined
  let since = yield* Clock.currentTimeMillis
  while (true) {
    const builds = yield* Effect.forEach(projections, models.live)
    const now = yield* Clock.currentTimeMillis
    const behind = earliest(position, ...builds.map((build) => build.position))
    progress(behind)
    if (hasReached(behind, position)) return
    if (least === undefined || isAfter(behind, least)) since = now
    least = latest(behind, least ?? behind)
    const [why] = (yield* projector.failures).entries()
    if (why !== undefined) return yield* new Failed({ message: `The read model ${why[0]} can't go on: ${why[1]}` })
    if (now - since > patience) {
      return yield* new Failed({ message: `The read models stand at ${behind} of ${position}: is the service well?` })
    }
    yield* Effect.sleep("10 millis")
  }
})

/** Waits until read models hold everything that is in the log now. */
export const upToDate = (...projections: ReadonlyArray<Projection>) =>
  Effect.flatMap(EventStore, ({ head }) => Effect.flatMap(head, (position) => reach(projections, position)))
