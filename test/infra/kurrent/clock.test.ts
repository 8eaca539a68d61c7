import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, PubSub } from "effect"
import { TestClock } from "effect/testing"
import { beginning } from "#engine/Position.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { fresh, to } from "../../engine/appends.ts"
import { startedDouble, storeAt } from "../../kurrent/stores.ts"
import { freshClient } from "../stores.ts"

/** Two processes on one server, by a clock that stands still. */
const processes = Effect.gen(function* () {
  const { url } = yield* startedDouble
  const store = Effect.map(Layer.build(Layer.fresh(storeAt(url))), (built) => Context.get(built, EventStore))
  return { mine: yield* store, other: yield* store }
})

describe("a log in KurrentDB, by the clock", () => {
  // what is told each second is told to nobody
  it.effect("hints come of what another process has appended", () =>
    Effect.gen(function* () {
      const { mine, other } = yield* processes
      const hinted = yield* mine.hints
      const { positions } = yield* other.append(to(fresh()))
      yield* PubSub.take(hinted)
      assert.strictEqual((yield* mine.since(beginning)).head, positions[0])
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(freshClient, Logger.layer([]))))
  )

  it.effect("time does not go back for who writes, though clocks do, by what it saw of others", () =>
    Effect.gen(function* () {
      const { mine, other } = yield* processes
      const hinted = yield* mine.hints
      yield* TestClock.setTime(20_000)
      yield* other.append(to(fresh()))
      yield* PubSub.take(hinted)
      yield* TestClock.setTime(10_000)
      assert.strictEqual((yield* mine.append(to(fresh()))).recordedAt, 20_000)
      yield* TestClock.setTime(21_000)
      assert.strictEqual((yield* mine.append(to(fresh()))).recordedAt, 21_000)
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(freshClient, Logger.layer([]))))
  )
})
