import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { saying } from "#engine/saying.ts"

describe("what goes wrong again and again", () => {
  it.effect("is said once, again when it is another thing, after a minute, and after it had gone well", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const { say, over } = saying()
      const wrong = (what: string) =>
        say(
          what,
          Effect.sync(() => void said.push(what))
        )
      for (let second = 0; second < 59; second++) {
        yield* wrong("a")
        yield* TestClock.adjust("1 second")
      }
      assert.deepStrictEqual(said, ["a"])
      yield* TestClock.adjust("1 second")
      yield* wrong("a")
      assert.deepStrictEqual(said, ["a", "a"])
      yield* wrong("b")
      yield* wrong("b")
      assert.deepStrictEqual(said, ["a", "a", "b"])
      over()
      yield* wrong("b")
      assert.deepStrictEqual(said, ["a", "a", "b", "b"])
    })
  )
})
