import { assert, describe, it } from "@effect/vitest"
import { Effect, Scheduler } from "effect"
import { ConnectionError, SqlError, SqlSyntaxError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import { Stale, Unreadable } from "#engine/ask.ts"
import { LeftOut } from "#engine/leftOut.ts"
import { positionOf } from "#engine/Position.ts"
import { react } from "#engine/react.ts"
import { TooMuchWaits } from "#ports/JobFaults.ts"
import { passesByItself, reaction } from "#src/reaction.ts"
import { idle, until, used, world } from "./reacting.ts"

/**
 * A reaction whose events can fail as a test says: each time that one was tried, and those that were done, by their
 * keys.
 */
const failing = () => {
  const tried: Array<string> = []
  const done: Array<string> = []
  const faults = new Map<string, Effect.Effect<never, unknown>>()
  const one = reaction({
    name: "failing",
    on: ["KeyUsed"],
    handle: ({ event: { key } }) =>
      Effect.suspend((): Effect.Effect<unknown, unknown> => {
        tried.push(key)
        return faults.get(key) ?? Effect.sync(() => done.push(key))
      }).pipe(Effect.asVoid)
  })
  const left = Effect.map(LeftOut, (leftOut) => leftOut.get("failing")?.map(({ position }) => position))
  return { tried, done, faults, one, left }
}

const corrupt = Effect.die(new Error("a corrupt repository"))

describe("what a reaction can't do", () => {
  it.effect("what fails again and again is left out with what follows in its stream, and taken up again", () => {
    const { checkpoints, layer } = world()
    const seen: Array<string> = []
    let broken = true
    const poisoned = reaction({
      name: "poisoned",
      on: ["KeyUsed"],
      handle: ({ event }) =>
        Effect.suspend(() => {
          if (event.key === "bad" && broken) return Effect.die(new Error("a corrupt repository"))
          return Effect.sync(() => void seen.push(event.key))
        })
    })
    return Effect.gen(function* () {
      const first = yield* used("a")
      yield* used("bad")
      yield* used("b")
      yield* react([poisoned], passesByItself)
      const leftOut = yield* LeftOut
      yield* until(() => checkpoints.get("poisoned") === first || seen.length > 0)
      yield* idle
      yield* TestClock.adjust("2 seconds")
      yield* until(() => seen.includes("b"))
      yield* used("bad")
      const last = yield* used("c")
      yield* until(() => seen.includes("c"))
      assert.deepStrictEqual(seen, ["a", "b", "c"])
      assert.deepStrictEqual(
        leftOut.get("poisoned")?.map(({ stream }) => stream),
        ["usage-bad", "usage-bad"]
      )
      // a start begins before it
      assert.strictEqual(checkpoints.get("poisoned"), first)
      yield* TestClock.adjust("10 seconds")
      yield* idle
      assert.deepStrictEqual(seen, ["a", "b", "c"])
      broken = false
      yield* TestClock.adjust("10 seconds")
      yield* until(() => checkpoints.get("poisoned") === last)
      assert.deepStrictEqual(seen, ["a", "b", "c", "bad", "bad"])
      assert.isFalse(leftOut.has("poisoned"))
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect(
    "is tried three times, a second apart, is named in the log then, and is tried again every ten seconds",
    () => {
      const { logged, layer } = world()
      const { tried, done, faults, one, left } = failing()
      const passes = Effect.fnUntraced(function* (milliseconds: number) {
        yield* TestClock.adjust(milliseconds)
        yield* idle
        return tried.filter((key) => key === "bad").length
      })
      return Effect.gen(function* () {
        faults.set("bad", corrupt)
        yield* used("a")
        yield* used("bad")
        yield* used("b")
        yield* react([one], passesByItself)
        for (const [milliseconds, times] of [
          [0, 1],
          [999, 1],
          [1, 2],
          [999, 2]
        ] as const) {
          assert.strictEqual(yield* passes(milliseconds), times)
          assert.deepStrictEqual([done, yield* left], [["a"], undefined])
        }
        assert.strictEqual(yield* passes(1), 3)
        assert.deepStrictEqual([done, yield* left], [["a", "b"], [2]])
        assert.deepStrictEqual(
          logged.filter(([level]) => level === "Error"),
          [["Error", logged.find(([level]) => level === "Error")![1], { position: 2, stream: "usage-bad" }]]
        )
        for (const [milliseconds, times] of [
          [9_999, 3],
          [1, 4],
          [9_999, 4],
          [1, 5]
        ] as const) {
          assert.strictEqual(yield* passes(milliseconds), times)
          assert.deepStrictEqual(yield* left, [2])
        }
        // others come meanwhile, and change nothing about when it is tried
        yield* passes(6_000)
        yield* used("c")
        assert.strictEqual(yield* passes(0), 5)
        assert.deepStrictEqual(done, ["a", "b", "c"])
        assert.lengthOf(
          logged.filter(([level]) => level === "Info"),
          0
        )
        faults.clear()
        yield* used("d")
        assert.strictEqual(yield* passes(4_000), 6)
        assert.deepStrictEqual([done, yield* left], [["a", "b", "c", "d", "bad"], undefined])
        assert.lengthOf(
          logged.filter(([level]) => level === "Info"),
          1
        )
      }).pipe(Effect.scoped, Effect.provide(layer))
    }
  )

  it.effect("is left out for what it is: one that fails twice and is done then leaves the next its three times", () => {
    const { checkpoints, layer } = world()
    const { tried, done, faults, one, left } = failing()
    return Effect.gen(function* () {
      for (const key of ["one", "two"]) yield* used(key)
      for (const key of ["one", "two"]) faults.set(key, corrupt)
      yield* react([one], passesByItself)
      yield* idle
      yield* TestClock.adjust("1 second")
      yield* idle
      faults.delete("one")
      yield* TestClock.adjust("1 second")
      yield* until(() => done.includes("one"))
      yield* idle
      yield* TestClock.adjust("1 second")
      yield* idle
      faults.delete("two")
      yield* TestClock.adjust("1 second")
      yield* until(() => checkpoints.get("failing") === 2)
      assert.deepStrictEqual(tried, ["one", "one", "one", "two", "two", "two"])
      assert.isUndefined(yield* left)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("is taken up stream by stream: one that still fails keeps back what follows in its own only", () => {
    const { checkpoints, layer } = world()
    const { tried, done, faults, one, left } = failing()
    return Effect.gen(function* () {
      for (const key of ["a", "first", "second", "first", "second", "b"]) yield* used(key)
      for (const key of ["first", "second"]) faults.set(key, corrupt)
      yield* react([one], passesByItself)
      for (let n = 0; n < 4; n++) {
        yield* idle
        yield* TestClock.adjust("1 second")
      }
      yield* until(() => done.includes("b"))
      yield* idle
      assert.deepStrictEqual([yield* left, checkpoints.get("failing")], [[2, 3, 4, 5], 1])
      // a start would not do again what is done: of the first stream nothing is left
      tried.length = 0
      faults.delete("first")
      yield* TestClock.adjust("10 seconds")
      yield* idle
      assert.deepStrictEqual(tried, ["first", "second", "first"])
      assert.deepStrictEqual([yield* left, checkpoints.get("failing")], [[3, 5], 2])
      faults.delete("second")
      yield* TestClock.adjust("10 seconds")
      yield* until(() => checkpoints.get("failing") === 6)
      assert.deepStrictEqual(done, ["a", "b", "first", "first", "second", "second"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  /**
   * Five seconds of one that fails in one way: what is done and left by then, and what is done once nothing fails any
   * more.
   */
  const fiveSeconds = (fault: Effect.Effect<never, unknown>) => {
    const { layer } = world()
    const { done, faults, one, left } = failing()
    return Effect.gen(function* () {
      faults.set("bad", fault)
      for (const key of ["a", "bad", "b"]) yield* used(key)
      yield* react([one], passesByItself)
      for (let n = 0; n < 5; n++) {
        yield* idle
        yield* TestClock.adjust("1 second")
      }
      yield* idle
      const then = { done: [...done], left: yield* left }
      faults.clear()
      yield* TestClock.adjust("10 seconds")
      yield* until(() => done.length === 3)
      return { then, done }
    }).pipe(Effect.scoped, Effect.provide(layer))
  }
  const away = new SqlError({ reason: new ConnectionError({ cause: null }) })
  const waits = new TooMuchWaits({ job: "tokens" })
  const refused = new SqlError({ reason: new SqlSyntaxError({ cause: null }) })

  const behind = new Stale({
    away: false,
    name: "retrievals",
    standing: { position: positionOf(1), changed: positionOf(1), due: positionOf(2) }
  })

  it.effect("is never left out when the database is away, a read model is behind, or too much waits", () =>
    Effect.gen(function* () {
      const faults = [waits, away, behind, new Unreadable()].flatMap((one) => [Effect.fail(one), Effect.die(one)])
      for (const fault of faults) {
        const { then, done } = yield* fiveSeconds(fault)
        assert.deepStrictEqual(then, { done: ["a"], left: undefined })
        assert.deepStrictEqual(done, ["a", "bad", "b"])
      }
    })
  )

  it.effect("is left out whatever else it fails with", () =>
    Effect.gen(function* () {
      for (const fault of [Effect.die(refused), Effect.fail(refused), Effect.fail("anything"), corrupt]) {
        const { then, done } = yield* fiveSeconds(fault)
        assert.deepStrictEqual(then, { done: ["a", "b"], left: [positionOf(2)] })
        assert.deepStrictEqual(done, ["a", "b", "bad"])
      }
    })
  )

  it.effect("costs nothing between two times, and neither does a log in which nothing happens", () => {
    const { layer } = world()
    const { done, faults, one, left } = failing()
    return Effect.gen(function* () {
      const scheduler = yield* Scheduler.Scheduler
      /** Fibers beside this one that did anything. */
      const atWork = new Set<number>()
      const noting: Scheduler.Scheduler = {
        executionMode: scheduler.executionMode,
        makeDispatcher: () => scheduler.makeDispatcher(),
        shouldYield: (fiber) => {
          atWork.add(fiber.id)
          return scheduler.shouldYield(fiber)
        }
      }
      const resting = Effect.gen(function* () {
        yield* idle
        atWork.clear()
        yield* idle
        return [...atWork]
      })
      yield* Effect.gen(function* () {
        const self = yield* Effect.fiberId
        yield* react([one], passesByItself)
        yield* used("a")
        assert.deepStrictEqual(yield* resting, [self])
        faults.set("bad", corrupt)
        yield* used("bad")
        for (let n = 0; n < 3; n++) {
          yield* idle
          yield* TestClock.adjust("1 second")
        }
        assert.deepStrictEqual(yield* resting, [self])
        assert.deepStrictEqual([done, yield* left], [["a"], [2]])
      }).pipe(Effect.provideService(Scheduler.Scheduler, noting))
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect(
    "is a thousand events at most: with more of them it stands still, and goes on when they can be done",
    () => {
      const { layer } = world()
      const { done, faults, one, left } = failing()
      return Effect.gen(function* () {
        faults.set("bad", corrupt)
        for (let n = 0; n < 1_001; n++) yield* used("bad")
        yield* used("b")
        yield* react([one], passesByItself)
        for (let n = 0; n < 4; n++) {
          yield* idle
          yield* TestClock.adjust("1 second")
        }
        for (let n = 0; n < 20; n++) yield* idle
        assert.strictEqual((yield* left)?.length, 1_000)
        assert.deepStrictEqual(done, [])
        faults.clear()
        yield* TestClock.adjust("10 seconds")
        yield* until(() => done.includes("b"))
        assert.deepStrictEqual([done.length, done.at(-1), yield* left], [1_002, "b", undefined])
      }).pipe(Effect.scoped, Effect.provide(layer))
    }
  )
})
