import { assert, it } from "@effect/vitest"
import { Effect, Fiber, PubSub } from "effect"
import { TestClock } from "effect/testing"
import { beginning } from "#engine/Position.ts"
import { EventStore, StoreUnavailable } from "#engine/ports/EventStore.ts"
import { freshDatabase } from "#test/postgres.ts"
import { fresh, to } from "../../engine/appends.ts"
import { storeOn } from "../stores.ts"
import { stillLine } from "./stillLine.ts"

it.effect("what is new in the log is asked again elsewhere when a connection is dead for ten seconds", () =>
  Effect.gen(function* () {
    const line = yield* stillLine(yield* freshDatabase)
    yield* Effect.gen(function* () {
      const { append, since } = yield* EventStore
      const { positions } = yield* append(to(fresh()))
      line.dieAt("max(position) AS last")
      const asked = yield* Effect.forkChild(since(beginning))
      yield* line.said
      let seconds = 0
      for (; asked.pollUnsafe() === undefined && seconds < 60; seconds++) {
        yield* TestClock.adjust("1 seconds")
        // for the server's answers
        yield* TestClock.withLive(Effect.sleep("100 millis"))
      }
      // not when the driver has given its connection up: that takes it seconds more
      assert.approximately(seconds, 10, 2)
      assert.instanceOf(yield* Effect.flip(Fiber.join(asked)), StoreUnavailable)
      assert.strictEqual((yield* since(beginning)).head, positions[0])
      // whose end waits for the driver otherwise
      line.cut()
    }).pipe(Effect.provide(storeOn(line.url)))
  }).pipe(Effect.scoped)
)

it.effect(
  "whoever follows the log is told to look when the store's own look at its end is not answered in two seconds",
  () =>
    Effect.gen(function* () {
      const line = yield* stillLine(yield* freshDatabase)
      // the first one, which is made when the store begins
      line.dieAt("AS head")
      yield* Effect.gen(function* () {
        const { hints } = yield* EventStore
        yield* line.said
        const hint = yield* Effect.forkChild(PubSub.take(yield* hints))
        yield* TestClock.adjust("1999 millis")
        assert.isUndefined(hint.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        assert.isDefined(hint.pollUnsafe())
        // and it looks again, elsewhere: where the log ends is new to it
        const next = yield* Effect.forkChild(PubSub.take(yield* hints))
        yield* TestClock.adjust("1 seconds")
        yield* Fiber.join(next)
        // whose end waits for the driver otherwise
        line.cut()
      }).pipe(Effect.scoped, Effect.provide(storeOn(line.url)))
    }).pipe(Effect.scoped)
)
