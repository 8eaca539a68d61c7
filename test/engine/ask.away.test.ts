import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, PubSub } from "effect"
import { TestClock } from "effect/testing"
import { Asker, fresh, Stale, Unreadable } from "#engine/ask.ts"
import { beginning, positionOf } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { EventStore, StoreUnavailable } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { Projector } from "#engine/project.ts"

const model: Projection = {
  name: "a",
  version: 1,
  tables: { rows: { columns: { id: "text" }, on: { a: { rows: () => [], to: () => undefined } } } }
}

const world = () => {
  const log = { away: false }
  const look = <A>(answer: A) =>
    Effect.suspend(() => (log.away ? Effect.fail(new StoreUnavailable({ message: "away" })) : Effect.succeed(answer)))
  const store = { head: look(positionOf(7)), since: () => look({ head: positionOf(7), kinds: [] }) }
  const standing = { position: positionOf(7), changed: beginning }
  const services = Context.empty().pipe(
    Context.add(ReadModels, { checkpoints: () => Effect.succeed(new Map([["a_v1", standing]])) } as never),
    Context.add(EventStore, store as never),
    Context.add(Projector, {
      moved: Effect.runSync(PubSub.sliding<string>(8)),
      failures: Effect.succeed(new Map())
    })
  )
  return { log, standing, layer: Asker.layer([model]).pipe(Layer.provide(Layer.succeedContext(services))) }
}

it.effect(
  "a log that has been away for a second is done without, and the answer is told so; until then nothing is answered",
  () => {
    const { log, standing, layer } = world()
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* fresh(model), { ...standing, due: positionOf(7) })
      log.away = true
      assert.instanceOf(yield* Effect.flip(fresh(model)), Unreadable)
      yield* TestClock.adjust("999 millis")
      assert.instanceOf(yield* Effect.flip(fresh(model)), Unreadable)
      yield* TestClock.adjust("1 millis")
      const stale = yield* Effect.flip(fresh(model))
      assert.deepStrictEqual(
        { ...stale },
        { ...new Stale({ name: "a_v1", standing: { ...standing, due: positionOf(7) }, away: true }) }
      )
      log.away = false
      assert.deepStrictEqual(yield* fresh(model), { ...standing, due: positionOf(7) })
      // it is counted anew
      log.away = true
      assert.instanceOf(yield* Effect.flip(fresh(model)), Unreadable)
    }).pipe(Effect.provide(layer))
  }
)

it.effect("a log that was never seen is not done without", () => {
  const { log, layer } = world()
  log.away = true
  return Effect.gen(function* () {
    yield* Effect.flip(fresh(model))
    yield* TestClock.adjust("10 seconds")
    assert.instanceOf(yield* Effect.flip(fresh(model)), Unreadable)
  }).pipe(Effect.provide(layer))
})
