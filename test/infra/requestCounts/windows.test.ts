import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeWindows } from "#infra/requestCounts/layer.ts"
import { RequestCounts } from "#ports/RequestCounts.ts"
import { counting } from "#src/http/middleware/counting.ts"

const counted = (windows?: Map<string, Array<number>>) =>
  Effect.provideService(counting, RequestCounts, { count: makeWindows(windows) })

it.effect("a request counts for sixty seconds, a refused one not at all, and each name for itself", () =>
  Effect.gen(function* () {
    const count = yield* counted()
    const refusal = Effect.fnUntraced(function* (limit: number, name = "key other") {
      const { code, retryAfter } = yield* Effect.flip(count(name, limit))
      assert.strictEqual(code, "rate_limit/exceeded")
      return retryAfter
    })
    yield* TestClock.adjust("1 hour")
    yield* count("key other", 2)
    yield* TestClock.adjust("20 seconds")
    yield* count("key other", 2)
    assert.strictEqual(yield* refusal(2), 40)
    yield* count("another other", 2)
    // with a lower limit it is the later one that has to be over
    assert.strictEqual(yield* refusal(1), 60)
    // seconds are whole ones, and never too few
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* refusal(2), 40)
    yield* TestClock.adjust("39998 millis")
    assert.strictEqual(yield* refusal(2), 1)
    yield* TestClock.adjust("1 millis")
    yield* count("key other", 2)
    assert.strictEqual(yield* refusal(2), 20)
    yield* TestClock.adjust("59999 millis")
    yield* count("key other", 2)
    assert.strictEqual(yield* refusal(2), 1)
    // long after, nothing of it counts, and what nobody uses is forgotten
    yield* TestClock.adjust("10 minutes")
    for (const _ of [1, 2, 3]) yield* count("key other", 3)
    for (const _ of [1, 2, 3]) yield* count("key other", Number.POSITIVE_INFINITY)
    yield* refusal(3)
  })
)

it.effect("a name that nobody has used for sixty seconds is forgotten, and no other", () =>
  Effect.gen(function* () {
    const windows = new Map<string, Array<number>>()
    const count = yield* counted(windows)
    yield* TestClock.adjust("1 hour")
    yield* count("first", 9)
    yield* TestClock.adjust("1 millis")
    yield* count("second", 9)
    yield* TestClock.adjust("59998 millis")
    yield* count("third", 9)
    assert.deepStrictEqual([...windows.keys()], ["first", "second", "third"])
    yield* TestClock.adjust("1 millis")
    yield* count("third", 9)
    assert.deepStrictEqual([...windows.keys()], ["second", "third"])
    assert.lengthOf(windows.get("third")!, 2)
    // one that was used again in time stays with what still counts of it
    yield* TestClock.adjust("59999 millis")
    yield* count("fourth", 9)
    yield* TestClock.adjust("1 millis")
    yield* count("fourth", 9)
    assert.deepStrictEqual([...windows.keys()], ["fourth"])
  })
)

it.effect("what nobody uses is looked for once a minute, and what has no limit is not written down", () =>
  Effect.gen(function* () {
    let looks = 0
    class Looked extends Map<string, Array<number>> {
      override [Symbol.iterator]() {
        looks += 1
        return super[Symbol.iterator]()
      }
    }
    const windows = new Looked()
    const count = yield* counted(windows)
    yield* TestClock.adjust("1 hour")
    for (const _ of [1, 2, 3]) yield* count("key other", Number.POSITIVE_INFINITY)
    assert.deepStrictEqual([windows.size, looks], [0, 0])
    for (const [milliseconds, expected] of [
      [0, 1],
      [30_000, 1],
      [29_999, 1],
      [1, 2],
      [59_999, 2],
      [1, 3]
    ] as const) {
      yield* TestClock.adjust(milliseconds)
      yield* count("key other", 9)
      assert.strictEqual(looks, expected)
    }
  })
)
