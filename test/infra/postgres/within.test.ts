import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { within } from "#infra/postgres/within.ts"

const late = () => "late" as const

it.effect("what comes in time is given, and how it failed", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* within(Effect.succeed(1), "2 seconds", late), 1)
    assert.strictEqual(yield* Effect.flip(within(Effect.fail("away"), "2 seconds", late)), "away")
  })
)

it.effect("what comes late is given up, and nobody waits until it has ended", () =>
  Effect.gen(function* () {
    const givenUp = yield* Deferred.make<void>()
    const ending = Effect.andThen(Deferred.succeed(givenUp, undefined), Effect.never)
    const asked = yield* Effect.forkChild(
      within(
        Effect.onInterrupt(Effect.never, () => ending),
        "2 seconds",
        late
      )
    )
    yield* TestClock.adjust("1999 millis")
    assert.isUndefined(asked.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    assert.isDefined(asked.pollUnsafe())
    assert.strictEqual(yield* Effect.flip(Fiber.join(asked)), "late")
    yield* Deferred.await(givenUp)
  })
)

it.effect("is given up when nobody wants it any more", () =>
  Effect.gen(function* () {
    const givenUp = yield* Deferred.make<void>()
    const asked = yield* Effect.forkChild(
      within(
        Effect.onInterrupt(Effect.never, () => Deferred.succeed(givenUp, undefined)),
        "2 seconds",
        late
      )
    )
    yield* TestClock.adjust(0)
    yield* Fiber.interrupt(asked)
    yield* Deferred.await(givenUp)
  })
)
