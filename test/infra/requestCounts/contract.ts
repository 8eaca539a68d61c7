import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { RequestCounts } from "#ports/RequestCounts.ts"

/** What every adapter keeps to; `passing` lets so many seconds go by. */
export const contract = <R>(
  it: Vitest.MethodsNonLive<RequestCounts | R>,
  passing: (seconds: number) => Effect.Effect<void, never, R>
) => {
  it.effect("counts up to a limit, each name for itself, and says when one more may come", () =>
    Effect.gen(function* () {
      const { count } = yield* RequestCounts
      for (const _ of [1, 2, 3]) assert.strictEqual(yield* count("one", 3), 0)
      const wait = yield* count("one", 3)
      assert.isTrue(wait > 0 && wait <= 61_000, String(wait))
      assert.strictEqual(yield* count("another", 3), 0)
      // a refused one counts for nothing, also with another limit
      assert.isAbove(yield* count("one", 2), 0)
      assert.strictEqual(yield* count("one", 4), 0)
      assert.isAbove(yield* count("one", 4), 0)
    })
  )

  it.effect("counts one for sixty seconds, and for hardly more", () =>
    Effect.gen(function* () {
      const { count } = yield* RequestCounts
      assert.strictEqual(yield* count("minute", 2), 0)
      yield* passing(30)
      assert.strictEqual(yield* count("minute", 2), 0)
      const wait = yield* count("minute", 2)
      assert.isTrue(wait > 28_000 && wait <= 31_000, String(wait))
      yield* passing(29)
      assert.isAbove(yield* count("minute", 2), 0)
      yield* passing(2)
      assert.strictEqual(yield* count("minute", 2), 0)
      assert.isAbove(yield* count("minute", 2), 0)
      yield* passing(600)
      for (const _ of [1, 2]) assert.strictEqual(yield* count("minute", 2), 0)
      assert.isAbove(yield* count("minute", 2), 0)
    })
  )

  it.effect("lets in as many as fit of many at once, of every name", () =>
    Effect.gen(function* () {
      const { count } = yield* RequestCounts
      const names = ["a", "b", "c", "d"]
      const asked = Array.from({ length: 200 }, (_, n) => `many ${names[n % 4]}`)
      const waits = yield* Effect.forEach(asked, (name) => count(name, 30), { concurrency: "unbounded" })
      for (const name of names) {
        const fitted = waits.filter((wait, n) => wait === 0 && asked[n] === `many ${name}`)
        assert.lengthOf(fitted, 30, name)
      }
    })
  )
}
