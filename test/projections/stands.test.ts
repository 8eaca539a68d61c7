import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { haveMoved } from "#projections/stands.ts"

it.effect("read models have moved when they stand elsewhere than when it was asked before", () =>
  Effect.gen(function* () {
    let stands: Effect.Effect<string, never> = Effect.succeed("1 3")
    const moved = haveMoved(Effect.suspend(() => stands))
    assert.isTrue(yield* moved)
    assert.isFalse(yield* moved)
    stands = Effect.die(new Error("away"))
    assert.isTrue((yield* Effect.exit(moved))._tag === "Failure")
    stands = Effect.succeed("1 3")
    assert.isFalse(yield* moved)
    stands = Effect.succeed("1 4")
    assert.isTrue(yield* moved)
    assert.isFalse(yield* moved)
    // others who ask have not been told
    assert.isTrue(yield* haveMoved(stands))
  })
)
