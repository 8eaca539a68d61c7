import { assert, it } from "@effect/vitest"
import { Clock, Effect, Exit, PubSub } from "effect"
import { TestClock } from "effect/testing"
import { beginning, positionOf } from "#engine/Position.ts"
import { type Projection, schemaOf } from "#engine/Projection.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { Projector } from "#engine/project.ts"
import { Consumption } from "#projections/Consumption/tables.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { reach } from "#src/cli/log.ts"

/** Read models that stand where they do so many seconds after a command has begun to wait. */
const models = (at: (projection: Projection, seconds: number) => number) => {
  const standing = (projection: Projection) =>
    Effect.map(Clock.currentTimeMillis, (now) => positionOf(at(projection, now / 1_000)))
  return {
    live: (projection: Projection) =>
      Effect.map(standing(projection), (position) => ({ projection, build: 1, position, live: true })),
    checkpoints: (projections: ReadonlyArray<Projection>) =>
      Effect.map(
        Effect.forEach(projections, (projection) =>
          Effect.map(
            standing(projection),
            (position) => [schemaOf(projection), { position, changed: beginning }] as const
          )
        ),
        (all) => new Map(all)
      )
  } as unknown as ReadModels["Service"]
}

/** How a wait for the consumption's read model ended within so many seconds. */
const waited = Effect.fnUntraced(function* (at: (projection: Projection, seconds: number) => number, seconds: number) {
  const moved = yield* PubSub.sliding<string>(1)
  const fiber = yield* reach([Consumption], positionOf(1_000)).pipe(
    Effect.provideService(ReadModels, models(at)),
    Effect.provideService(Projector, Projector.of({ moved, failures: Effect.succeed(new Map()) })),
    Effect.forkChild
  )
  for (let second = 0; second < seconds; second++) yield* TestClock.adjust("1 second")
  return fiber.pollUnsafe()
})

// a batch takes twenty seconds, and another read model goes first for two minutes
const keysFirst = (there: number) => (projection: Projection, seconds: number) =>
  projection.name === Keys.name ? Math.min(Math.floor(seconds / 20), 6) : seconds < there ? 0 : 1_000

it.effect("a command waits for a read model while others are moved on before it", () =>
  Effect.gen(function* () {
    assert.isTrue(Exit.isSuccess((yield* waited(keysFirst(125), 130))!))
  })
)

it.effect("a command gives a read model up half a minute after any of them has moved on", () =>
  Effect.gen(function* () {
    const ended = yield* waited(keysFirst(Number.POSITIVE_INFINITY), 160)
    assert.include(String(ended), "The read models stand at 0 of 1000")
  })
)
