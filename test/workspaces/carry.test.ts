import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { positionOf } from "#engine/Position.ts"
import { WorkspacesUnavailable } from "#ports/WorkspaceStore.ts"
import { untilDone, untilItGoes, waitingFor } from "#src/workspaces/carry.ts"

const idle = Effect.forEach(Array.from({ length: 200 }), () => Effect.yieldNow, { discard: true })
const away = Effect.exit(new WorkspacesUnavailable({ code: "ENOENT", message: "away" }))

it.effect("who asks while a try is at work is told of none of what it meets: that may be mended by now", () =>
  Effect.gen(function* () {
    const one = yield* waitingFor({ run: "one", workspace: "w", position: positionOf(1) })
    /** How the try that is at work ends. */
    let ends = Deferred.makeUnsafe<Exit.Exit<void, WorkspacesUnavailable>>()
    let begun = 0
    const step = Effect.suspend(() => {
      begun++
      ends = Deferred.makeUnsafe()
      return Effect.flatten(Deferred.await(ends))
    })
    const next = Effect.gen(function* () {
      const before = begun
      while (begun === before) {
        yield* TestClock.adjust("100 millis")
        yield* idle
      }
    })
    const fails = Effect.gen(function* () {
      yield* Deferred.succeed(ends, yield* away)
      yield* idle
    })
    yield* Effect.forkChild(
      Effect.andThen(
        untilItGoes(step, () => [one]),
        Deferred.succeed(one.done, undefined)
      )
    )
    const first = yield* Effect.forkChild(Effect.exit(untilDone(one)))
    yield* idle
    for (const _ of [1, 2, 3]) {
      yield* fails
      assert.isUndefined(first.pollUnsafe())
      yield* next
    }
    const meanwhile = yield* Effect.forkChild(Effect.exit(untilDone(one)))
    yield* idle
    yield* fails
    assert.deepStrictEqual(yield* Fiber.join(first), yield* away)
    assert.isUndefined(meanwhile.pollUnsafe())
    yield* next
    // the one before has met it, and this one has yet to
    const after = yield* Effect.forkChild(Effect.exit(untilDone(one)))
    yield* idle
    yield* fails
    assert.deepStrictEqual(yield* Fiber.join(meanwhile), yield* away)
    assert.isUndefined(after.pollUnsafe())
    yield* next
    yield* Deferred.succeed(ends, Exit.void)
    assert.deepStrictEqual(yield* Fiber.join(after), Exit.void)
  })
)
