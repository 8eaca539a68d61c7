import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, PubSub } from "effect"
import { TestClock } from "effect/testing"
import { positionOf } from "#engine/Position.ts"
import type { Projection } from "#engine/Projection.ts"
import { Projector } from "#engine/project.ts"
import { idle, Keys, More, Snippets, until, used, world } from "./projecting.ts"

const projector = (...projections: ReadonlyArray<Projection>) =>
  Effect.asVoid(Layer.build(Projector.layer(projections)))

describe("the projector", () => {
  it.effect("brings read models together, and takes them on together from there", () => {
    const { applied, asked, looks, pages, layer } = world({ at: { keys: 1, more: 3 } })
    return Effect.gen(function* () {
      yield* used("a", "b", "c")
      const { moved } = yield* Effect.map(Layer.build(Projector.layer([Keys, More, Snippets])), (context) =>
        context.mapUnsafe.get(Projector.key)
      )
      assert.includeMembers(asked, ["keys", "more", "snips"])
      const names = yield* PubSub.subscribe(moved as PubSub.PubSub<string>)
      yield* until(() => applied.length === 2)
      assert.deepStrictEqual(
        [...applied].sort((a, b) => a.models.localeCompare(b.models)),
        [
          { models: "keys", keys: ["b", "c"], to: 3 },
          { models: "snips", keys: [], to: 3 }
        ]
      )
      yield* until(() => looks() === 1)
      yield* idle
      yield* PubSub.takeUpTo(names, 10)
      // nothing new: nothing is read
      const read = pages()
      yield* idle
      assert.strictEqual(pages(), read)
      yield* used("d")
      yield* until(() => applied.length === 3)
      yield* idle
      assert.deepStrictEqual(applied.slice(2), [{ models: "keys,more,snips", keys: ["d"], to: 4 }])
      // behind a page that was not full nothing is read
      assert.strictEqual(pages(), read + 1)
      // whoever waits for one of them hears of it, and it was not asked again where they stand
      assert.deepStrictEqual(yield* PubSub.takeUpTo(names, 10), ["keys_v1", "more_v1", "snips_v1"])
      yield* TestClock.adjust("2 seconds")
      yield* used("e")
      yield* until(() => applied.length === 4)
      yield* idle
      assert.strictEqual(looks(), 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("asks a store that is away five times a second", () => {
    const { positions, looks, isDown, layer } = world()
    return Effect.gen(function* () {
      isDown(true)
      yield* used("a")
      yield* projector(Keys)
      for (const times of [1, 2, 3]) {
        yield* until(() => looks() === times)
        yield* TestClock.adjust("199 millis")
        yield* idle
        assert.strictEqual(looks(), times)
        yield* TestClock.adjust("1 millis")
      }
      isDown(false)
      yield* TestClock.adjust("200 millis")
      yield* until(() => positions.get("keys") === 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("takes in nothing that none of them subscribed to, and passes it", () => {
    const { applied, positions, layer } = world()
    return Effect.gen(function* () {
      yield* projector(Snippets)
      yield* idle
      yield* used("a", "b")
      yield* until(() => positions.get("snips") === 2)
      assert.deepStrictEqual(
        applied.flatMap(({ keys }) => keys),
        []
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect(
    "names one that can't go on, takes the others on, and tries that one again every second; says so once",
    () => {
      const { applied, broken, positions, looks, layer } = world()
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${[message].flat()[0]}`))
      return Effect.gen(function* () {
        broken.add("more")
        yield* used("a")
        const context = yield* Layer.build(Projector.layer([Keys, More]))
        const { failures } = context.mapUnsafe.get(Projector.key) as Projector["Service"]
        yield* until(() => positions.get("keys") === 1)
        yield* idle
        const named = yield* failures
        assert.deepStrictEqual([...named.keys()], ["more_v1"])
        assert.include(named.get("more_v1"), "away")
        yield* used("b")
        yield* until(() => positions.get("keys") === 2)
        yield* idle
        assert.strictEqual(looks(), 1)
        yield* TestClock.adjust("999 millis")
        yield* used("c")
        yield* until(() => positions.get("keys") === 3)
        yield* idle
        assert.strictEqual(looks(), 1)
        yield* TestClock.adjust("1 second")
        // without anything that comes
        yield* until(() => looks() === 2)
        yield* used("d")
        yield* until(() => positions.get("keys") === 4)
        yield* idle
        assert.deepStrictEqual(lines, ["Error read model more_v1 can't go on"])
        broken.delete("more")
        yield* TestClock.adjust("1 second")
        yield* until(() => positions.get("more") === 4)
        yield* idle
        assert.deepStrictEqual([...(yield* failures)], [])
        assert.deepStrictEqual(lines.slice(1), ["Info read model more_v1 goes on"])
        assert.deepStrictEqual(
          applied.filter(({ models }) => models === "more").flatMap(({ keys }) => keys),
          ["a", "b", "c", "d"]
        )
        yield* used("e")
        yield* until(() => positions.get("more") === 5)
        assert.strictEqual(applied.at(-1)!.models, "keys,more")
      }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(Logger.layer([logger]), layer)))
    }
  )

  it.effect("tries again by itself when none can go on, and when the store can't be asked", () => {
    const { broken, positions, looks, isDown, layer } = world()
    return Effect.gen(function* () {
      broken.add("keys")
      yield* used("a")
      yield* projector(Keys)
      yield* until(() => looks() === 1)
      yield* idle
      yield* TestClock.adjust("999 millis")
      yield* idle
      assert.strictEqual(looks(), 1)
      isDown(true)
      yield* TestClock.adjust("1 millis")
      yield* until(() => looks() === 2)
      yield* idle
      assert.strictEqual(looks(), 2)
      isDown(false)
      broken.clear()
      yield* TestClock.adjust("2 seconds")
      yield* until(() => positions.get("keys") === 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("leaves what another process has taken in, and goes on behind it", () => {
    const { applied, positions, layer } = world()
    return Effect.gen(function* () {
      yield* projector(Keys, More)
      yield* idle
      positions.set("keys", positionOf(1))
      yield* used("a")
      yield* until(() => positions.get("more") === 1)
      yield* used("b")
      yield* until(() => positions.get("keys") === 2 && positions.get("more") === 2)
      assert.deepStrictEqual(applied, [
        { models: "more", keys: ["a"], to: 1 },
        { models: "keys,more", keys: ["b"], to: 2 }
      ])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("looks again at a read model that another process moves right then, which is no failure", () => {
    const { applied, between, positions, layer } = world()
    return Effect.gen(function* () {
      yield* used("a", "b")
      between.push(() => positions.set("keys", positionOf(1)))
      const context = yield* Layer.build(Projector.layer([Keys]))
      const { failures } = context.mapUnsafe.get(Projector.key) as Projector["Service"]
      yield* until(() => between.length === 0)
      yield* idle
      assert.deepStrictEqual([...(yield* failures)], [])
      yield* TestClock.adjust("5 millis")
      yield* until(() => positions.get("keys") === 2)
      assert.deepStrictEqual(applied, [{ models: "keys", keys: ["b"], to: 2 }])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("keeps the last 64 moves for whoever does not listen, and no more", () => {
    const { positions, layer } = world()
    return Effect.gen(function* () {
      const context = yield* Layer.build(Projector.layer([Keys]))
      const { moved } = context.mapUnsafe.get(Projector.key) as Projector["Service"]
      const names = yield* PubSub.subscribe(moved)
      for (let n = 1; n <= 70; n++) {
        yield* used(`${n}`)
        yield* until(() => positions.get("keys") === n)
        yield* idle
      }
      assert.lengthOf(yield* PubSub.takeUpTo(names, 100), 64)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})
