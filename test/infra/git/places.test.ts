import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { Places } from "#infra/git/native/Places.ts"
import { Reader } from "#infra/git/native/Reader.ts"

describe("places for clones", () => {
  const asking = (places: Places, tenant: string) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const fiber = yield* Effect.forkChild(Scope.provide(places.take(tenant), scope), { startImmediately: true })
      return { fiber, there: () => fiber.pollUnsafe() !== undefined, close: Scope.close(scope, Exit.void) }
    })

  it.effect("are never all one tenant's, and the next goes to who has the fewest", () =>
    Effect.gen(function* () {
      const places = new Places(4, 2)
      const many = yield* Effect.forEach([1, 2, 3, 4], () => asking(places, "a"))
      assert.deepStrictEqual(
        many.map(({ there }) => there()),
        [true, true, false, false]
      )
      const [b, c] = [yield* asking(places, "b"), yield* asking(places, "c")]
      assert.isTrue(b.there() && c.there())
      const d = yield* asking(places, "d")
      assert.isFalse(d.there())
      yield* many[0]!.close
      // "a" asked first, and has one still
      yield* Fiber.await(d.fiber)
      assert.deepStrictEqual(
        many.map(({ there }) => there()),
        [true, true, false, false]
      )
      yield* b.close
      yield* Fiber.await(many[2]!.fiber)
    })
  )

  it.effect("are left once, also when the work ended before its scope, and by who gave up waiting", () =>
    Effect.gen(function* () {
      const places = new Places(1, 1)
      const one = yield* asking(places, "a")
      const place = yield* Fiber.join(one.fiber)
      const gone = yield* asking(places, "b")
      yield* Fiber.interrupt(gone.fiber)
      const next = yield* asking(places, "c")
      assert.isFalse(next.there())
      place.leave()
      yield* Fiber.join(next.fiber)
      yield* one.close
      const last = yield* asking(places, "d")
      assert.isFalse(last.there())
      yield* next.close
      yield* Fiber.join(last.fiber)
    })
  )
})

it("a reader is too slow by what it lets wait, not by what git takes to think", () => {
  const reader = new Reader(10)
  reader.asked(0)
  assert.isFalse(reader.tooSlow(1_000_000))
  reader.given(16_000, 1_000_000)
  assert.isFalse(reader.tooSlow(1_010_900))
  assert.isTrue(reader.tooSlow(1_011_100))
  reader.asked(1_010_000)
  reader.given(16_000, 2_000_000)
  assert.isFalse(reader.tooSlow(2_001_900))
  assert.isTrue(reader.tooSlow(2_002_100))
})
