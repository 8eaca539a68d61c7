import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Unreadable } from "#engine/ask.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { type Advance, ReadModels, ReadModelsUnavailable } from "#engine/ports/ReadModels.ts"
import { react } from "#engine/react.ts"
import { Reacting, type ReactionProgress } from "#engine/reacting.ts"
import { passesByItself, reaction } from "#src/reaction.ts"
import { idle, registered, until, used, world } from "./reacting.ts"

describe("reactions", () => {
  it.effect(
    "see what was there and what comes, once and in order; what concerns none moves their checkpoint in time",
    () => {
      const { checkpoints, asked, layer } = world()
      const seen: Array<string> = []
      const mine = reaction({
        name: "mine",
        on: ["KeyUsed"],
        handle: ({ event }) => Effect.sync(() => void seen.push(event.key))
      })
      const others = reaction({
        name: "others",
        on: ["WorkspaceErased"],
        handle: () => Effect.die("none of these came")
      })
      const types: Array<string> = []
      const either = reaction({
        name: "either",
        on: ["WorkspaceErased", "KeyUsed"],
        handle: ({ type }) => Effect.sync(() => void types.push(type))
      })
      return Effect.gen(function* () {
        yield* used("a")
        yield* react([mine, others, either], passesByItself)
        yield* used("b")
        const last = yield* used("c")
        yield* until(() => checkpoints.get("mine") === last)
        assert.deepStrictEqual(seen, ["a", "b", "c"])
        yield* TestClock.adjust("2 seconds")
        const later = yield* used("d")
        yield* idle
        yield* TestClock.adjust("1 second")
        yield* until(() => checkpoints.get("others") === later)
        yield* idle
        assert.deepStrictEqual(seen, ["a", "b", "c", "d"])
        assert.deepStrictEqual(types, ["KeyUsed", "KeyUsed", "KeyUsed", "KeyUsed"])
        // they know where they stand, and what only passed them is stored
        assert.deepStrictEqual(asked.toSorted(), ["either", "mine", "others"])
      }).pipe(Effect.scoped, Effect.provide(layer))
    }
  )

  it.effect("one that stands still says so once, how far it is behind, and once that it goes on", () => {
    const { logged, layer } = world()
    let tried = 0
    let broken = true
    const mine = reaction({
      name: "mine",
      on: ["KeyUsed"],
      handle: () =>
        Effect.suspend(() => {
          tried += 1
          return broken ? Effect.fail(new Unreadable()) : Effect.void
        })
    })
    const reacting = new Map<string, () => ReactionProgress>()
    return Effect.gen(function* () {
      yield* react([mine], passesByItself)
      yield* used("a")
      const said = () => logged.map(([level, message]) => `${level} ${message}`)
      yield* until(() => tried === 1)
      for (let second = 1; second < 90; second++) {
        yield* TestClock.adjust("1 second")
        yield* until(() => tried > second)
      }
      assert.deepStrictEqual(said(), ["Warn reaction mine stands still"])
      assert.deepInclude(reacting.get("mine")!(), { lag: 1 })
      assert.include(reacting.get("mine")!().fault, "Unreadable")
      broken = false
      yield* TestClock.adjust("1 second")
      yield* until(() => reacting.get("mine")!().fault === undefined)
      yield* used("b")
      yield* until(() => tried === 92)
      yield* idle
      assert.deepStrictEqual(said(), ["Warn reaction mine stands still", "Info reaction mine goes on"])
    }).pipe(Effect.provideService(Reacting, reacting), Effect.scoped, Effect.provide(layer))
  })

  it.effect("one that fails tries again from there, and holds up none beside it", () => {
    const { checkpoints, layer } = world()
    const seen: Array<string> = []
    let broken = true
    const failing = reaction({
      name: "failing",
      on: ["KeyUsed"],
      handle: ({ event }) =>
        Effect.suspend(() => {
          if (event.key === "b" && broken) return Effect.fail("not yet")
          return Effect.sync(() => void seen.push(event.key))
        })
    })
    const beside = reaction({ name: "beside", on: ["KeyUsed"], handle: () => Effect.void })
    return Effect.gen(function* () {
      yield* react([failing, beside], passesByItself)
      const first = yield* used("a")
      yield* until(() => checkpoints.get("failing") === first)
      const last = yield* used("b")
      yield* until(() => checkpoints.get("beside") === last)
      yield* idle
      assert.deepStrictEqual([checkpoints.get("failing"), seen], [first, ["a"]])
      broken = false
      yield* TestClock.adjust("1 second")
      yield* until(() => checkpoints.get("failing") === last)
      assert.deepStrictEqual(seen, ["a", "b"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("see all that was there before them, however many pages it has", () => {
    const { checkpoints, layer } = world()
    const seen: Array<string> = []
    const mine = reaction({
      name: "mine",
      on: ["KeyUsed"],
      handle: ({ event }) => Effect.sync(() => void seen.push(event.key))
    })
    const keys = Array.from({ length: 10 }, (_, n) => `key ${n}`)
    return Effect.gen(function* () {
      let last = 0
      for (const key of keys) last = yield* used(key)
      yield* react([mine], passesByItself)
      yield* until(() => checkpoints.get("mine") === last)
      assert.deepStrictEqual(seen, keys)
    }).pipe(Effect.scoped, Effect.provide(layer), Effect.provideService(Bounds, { count: 3, bytes: 1_000 }))
  })

  it.effect("see no text that they don't ask for", () => {
    const { checkpoints, layer } = world()
    const seen: Array<string | undefined> = []
    const [without, withText] = [false, true].map((needsText) =>
      reaction({
        name: `needs text: ${needsText}`,
        on: ["UserRegistered"],
        needsText,
        handle: ({ event: { user, text } }) => Effect.sync(() => void seen.push(`${needsText} ${user} ${text?.email}`))
      })
    )
    return Effect.gen(function* () {
      yield* react([without!, withText!], passesByItself)
      const last = yield* registered("u")
      yield* until(() => [...checkpoints.values()].every((at) => at === last) && seen.length === 2)
      assert.sameMembers(seen, ["false u undefined", "true u a@example.org"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("leave what another process has done, and never take its checkpoint back", () => {
    const { checkpoints, layer } = world()
    const seen: Array<string> = []
    const shared = reaction({
      name: "shared",
      on: ["KeyUsed"],
      handle: ({ event }) => Effect.sync(() => void seen.push(event.key))
    })
    return Effect.gen(function* () {
      yield* used("a")
      const done = yield* used("b")
      checkpoints.set("shared", done)
      yield* react([shared], passesByItself)
      yield* idle
      assert.deepStrictEqual([checkpoints.get("shared"), seen], [done, []])
      const own = yield* used("c")
      yield* until(() => checkpoints.get("shared") === own)
      assert.deepStrictEqual(seen, ["c"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect(
    "ask for nothing that concerns none of them, and store once a second, all at once, how far they have passed it",
    () => {
      const { checkpoints, asked, advances, goes, layer } = world()
      const [mine, other] = ["mine", "other"].map((name) =>
        reaction({ name, on: ["WorkspaceErased"], handle: () => Effect.die("none of these came") })
      )
      return Effect.gen(function* () {
        yield* react([mine!, other!], passesByItself)
        yield* idle
        yield* TestClock.adjust("999 millis")
        yield* used("a")
        yield* used("b")
        yield* idle
        assert.deepStrictEqual(advances, [])
        yield* TestClock.adjust("1 millis")
        yield* idle
        assert.deepStrictEqual(advances, [
          ["mine", 0, 2],
          ["other", 0, 2]
        ])
        // another process moves one of them: it is asked for where it stands
        checkpoints.set("other", 3)
        yield* used("c")
        yield* TestClock.adjust("999 millis")
        yield* used("d")
        yield* idle
        assert.lengthOf(advances, 2)
        yield* TestClock.adjust("1 millis")
        yield* idle
        assert.deepStrictEqual(advances.slice(2), [
          ["mine", 2, 4],
          ["other", 2, 4]
        ])
        assert.deepStrictEqual(asked, ["mine", "other"])
        yield* TestClock.adjust("2 seconds")
        yield* idle
        assert.deepStrictEqual([advances.slice(4), asked.slice(2)], [[["other", 3, 4]], ["other"]])
        // nothing is stored again that is
        yield* TestClock.adjust("10 seconds")
        yield* idle
        assert.deepStrictEqual([goes, asked.length], [[2, 2, 1], 3])
      }).pipe(Effect.scoped, Effect.provide(layer))
    }
  )

  it.effect("say once that it can't be stored, and once that it is again", () => {
    const { checkpoints, logged, layer } = world()
    const mine = reaction({ name: "mine", on: ["WorkspaceErased"], handle: () => Effect.die("none of these came") })
    let tries = 0
    let broken = true
    const failing = Layer.effect(
      ReadModels,
      Effect.map(ReadModels, (models) => ({
        ...models,
        advanceAll: (steps: ReadonlyArray<Advance>) =>
          Effect.suspend(() => {
            tries += 1
            return broken ? Effect.fail(new ReadModelsUnavailable({ message: "away" })) : models.advanceAll(steps)
          })
      }))
    ).pipe(Layer.provideMerge(layer))
    return Effect.gen(function* () {
      yield* react([mine], passesByItself)
      yield* idle
      const last = yield* used("a")
      yield* idle
      for (let second = 0; second < 5; second++) {
        yield* TestClock.adjust("1 second")
        yield* idle
      }
      assert.isAbove(tries, 2)
      assert.deepStrictEqual(
        logged.map(([level, message]) => `${level} ${message}`),
        ["Warn how far reactions have come can't be stored"]
      )
      broken = false
      yield* TestClock.adjust("2 seconds")
      yield* until(() => checkpoints.get("mine") === last)
      yield* idle
      assert.strictEqual(logged.at(-1)![1], "how far reactions have come is stored again")
    }).pipe(Effect.scoped, Effect.provide(failing))
  })

  it.effect("go on from where another process has come meanwhile", () => {
    const { checkpoints, layer } = world()
    const seen: Array<string> = []
    const shared = reaction({
      name: "shared",
      on: ["KeyUsed"],
      handle: ({ event }) =>
        Effect.sync(() => {
          seen.push(event.key)
          // while this one was at the first, the other did three
          if (event.key === "a") checkpoints.set("shared", 3)
        })
    })
    return Effect.gen(function* () {
      for (const key of ["a", "b", "c", "d"]) yield* used(key)
      yield* react([shared], passesByItself)
      yield* until(() => checkpoints.get("shared") === 4)
      yield* idle
      assert.deepStrictEqual(seen, ["a", "d"])
    }).pipe(Effect.scoped, Effect.provide(layer), Effect.provideService(Bounds, { count: 1, bytes: 1_000 }))
  })
})
