import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "#engine/memory/EventStore.ts"
import { beginning } from "#engine/Position.ts"
import { Tail } from "#engine/tail.ts"
import { leftAfter, mostSteps } from "./leaving.ts"

it.effect("whoever leaves while beginning to read a page keeps no other reader of it waiting", () =>
  Effect.gen(function* () {
    let ended = false
    for (let steps = 0; !ended && steps < mostSteps; steps++) {
      yield* Effect.gen(function* () {
        const { page } = yield* Tail
        const read = page(beginning, {}, {})
        ended = yield* leftAfter(steps, read)
        const other = yield* Effect.forkChild(read)
        for (let round = 0; round < 200; round++) yield* Effect.yieldNow
        assert.isDefined(other.pollUnsafe(), `left after ${steps} steps`)
      }).pipe(Effect.provide(Tail.layer.pipe(Layer.provide(Memory.layer))))
    }
    assert.isTrue(ended)
  })
)
