import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Scope } from "effect"
import { begun } from "#src/early.ts"

describe("what is begun before it is waited for", () => {
  it.effect("is ended, when all ends, before what it has opened is closed", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const opened = yield* Deferred.make<void>()
      const work = Effect.gen(function* () {
        // as a start does that others get a turn beside
        yield* Effect.yieldNow
        yield* Effect.acquireRelease(Effect.void, () => Effect.sync(() => said.push("closed")))
        yield* Deferred.succeed(opened, undefined)
        return yield* Effect.never
      }).pipe(Effect.onInterrupt(() => Effect.sync(() => said.push("ended"))))
      const scope = yield* Scope.make()
      const wait = yield* Scope.provide(begun(work), scope)
      yield* Deferred.await(opened)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(said, ["ended", "closed"])
      assert.isTrue(Exit.isFailure(yield* Effect.exit(wait)))
    })
  )

  it.effect("gives what it comes to, and fails as it does", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* yield* begun(Effect.succeed(1)), 1)
      assert.strictEqual(yield* Effect.flip(yield* begun(Effect.fail("not there"))), "not there")
    }).pipe(Effect.scoped)
  )
})
