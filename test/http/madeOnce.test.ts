import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { madeOnce } from "#src/http/madeOnce.ts"

it.effect("what is made once is made for all who ask, and again behind a failure", () =>
  Effect.gen(function* () {
    let made = 0
    let isBroken = true
    const asked = madeOnce(async () => {
      made += 1
      await Promise.resolve()
      if (isBroken) throw new Error("no file can be opened")
      return made
    })
    const all = yield* Effect.all([Effect.exit(asked()), Effect.exit(asked())], { concurrency: 2 })
    assert.isTrue(all.every(Exit.isFailure))
    assert.strictEqual(made, 1)
    isBroken = false
    assert.deepStrictEqual(yield* Effect.all([asked(), asked()], { concurrency: 2 }), [2, 2])
    assert.strictEqual(yield* asked(), 2)
  })
)
