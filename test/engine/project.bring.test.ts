import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { beginning, positionOf } from "#engine/Position.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { type Build, ReadModels } from "#engine/ports/ReadModels.ts"
import { bring } from "#engine/project.ts"
import { idle, Keys, Snippets, until, used, world } from "./projecting.ts"

describe("bringing a build on", () => {
  const keys = Array.from({ length: 7 }, (_, n) => `key ${n}`)
  const build: Build = { projection: Keys, build: 1, live: true, position: beginning }

  it.effect("takes in each event once up to the position, batch by batch, and tells of each batch", () => {
    const { applied, layer } = world()
    return Effect.gen(function* () {
      yield* used(...keys)
      const told: Array<readonly [number, number]> = []
      const end = yield* bring(build, positionOf(5), ({ position }, events) =>
        Effect.sync(() => void told.push([position, events]))
      )
      assert.deepStrictEqual(applied, [
        { models: "keys", keys: keys.slice(0, 2), to: 2 },
        { models: "keys", keys: keys.slice(2, 4), to: 4 },
        { models: "keys", keys: keys.slice(4, 5), to: 5 }
      ])
      assert.deepStrictEqual(told, [
        [2, 2],
        [4, 2],
        [5, 1]
      ])
      assert.strictEqual(end.position, 5)
    }).pipe(Effect.provide(layer), Effect.provideService(Bounds, { count: 2, bytes: 1_000 }))
  })

  it.effect(
    "goes to the position also where nothing of what it takes in lies before it, and not when it is there",
    () => {
      const { applied, layer } = world()
      return Effect.gen(function* () {
        yield* used(...keys)
        const end = yield* bring({ ...build, projection: Snippets }, positionOf(6))
        assert.deepStrictEqual([end.position, applied], [6, [{ models: "snips", keys: [], to: 6 }]])
        yield* bring(end, positionOf(6))
        assert.lengthOf(applied, 1)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("reads the next batch while one is taken in, and no further", () => {
    const { layer, positions } = world()
    const open = Deferred.makeUnsafe<void>()
    const reads: Array<number> = []
    let held = false
    return Effect.gen(function* () {
      yield* used(...keys)
      const [store, models] = [yield* EventStore, yield* ReadModels]
      const noting: typeof store = {
        ...store,
        readAll: (after, more) =>
          Effect.suspend(() => {
            reads.push(after)
            return store.readAll(after, more)
          })
      }
      const slow: typeof models = {
        ...models,
        apply: (...args) =>
          Effect.andThen(
            Effect.sync(() => void (held = true)),
            Effect.andThen(Deferred.await(open), models.apply(...args))
          )
      }
      const bringing = yield* bring(build, positionOf(7)).pipe(
        Effect.provideService(EventStore, noting),
        Effect.provideService(ReadModels, slow),
        Effect.forkChild
      )
      yield* until(() => held)
      yield* idle
      assert.deepStrictEqual(reads, [0, 2])
      yield* Deferred.succeed(open, undefined)
      yield* until(() => positions.get("keys") === 7)
      yield* idle
      assert.deepStrictEqual(reads, [0, 2, 4, 6])
      assert.isDefined(bringing.pollUnsafe())
    }).pipe(Effect.provide(layer), Effect.provideService(Bounds, { count: 2, bytes: 1_000 }))
  })
})
