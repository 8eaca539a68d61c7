import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { codeLasts, SignInCodes, wrongCodes } from "#src/keys/SignInCodes.ts"

describe("the code of the sign-in link", () => {
  it.effect("is taken once, however many ask at the same time", () =>
    Effect.gen(function* () {
      const { issue, take } = yield* SignInCodes
      assert.isFalse(yield* take(""), "before there is one")
      const code = yield* issue
      assert.match(code, /^[\w-]{43}$/)
      const all = yield* Effect.all([take(code), take(code), take(code)], { concurrency: "unbounded" })
      assert.deepStrictEqual([...all].sort(), [false, false, true])
      assert.isFalse(yield* take(code))
    }).pipe(Effect.provide(SignInCodes.layer))
  )

  it.effect("is one for a minute", () =>
    Effect.gen(function* () {
      const { issue, take } = yield* SignInCodes
      const [first] = [yield* issue, yield* TestClock.adjust(codeLasts)]
      assert.isFalse(yield* take(first))
      const second = yield* issue
      yield* TestClock.adjust(codeLasts - 1)
      assert.isTrue(yield* take(second))
    }).pipe(Effect.provide(SignInCodes.layer))
  )

  it.effect("is the last one that was made", () =>
    Effect.gen(function* () {
      const { issue, take } = yield* SignInCodes
      const [first, second] = [yield* issue, yield* issue]
      assert.isFalse(yield* take(first))
      assert.isTrue(yield* take(second))
    }).pipe(Effect.provide(SignInCodes.layer))
  )

  it.effect("is none any more after five that were wrong", () =>
    Effect.gen(function* () {
      const { issue, take } = yield* SignInCodes
      const [spared] = [yield* issue]
      for (let tries = 1; tries < wrongCodes; tries++) yield* take(`${spared}x`)
      assert.isTrue(yield* take(spared))
      const [lost] = [yield* issue]
      for (let tries = 1; tries <= wrongCodes; tries++) assert.isFalse(yield* take(`${lost}x`))
      assert.isFalse(yield* take(lost))
    }).pipe(Effect.provide(SignInCodes.layer))
  )
})
