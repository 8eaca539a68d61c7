import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { Permits } from "#infra/git/native/Permits.ts"
import { Reader } from "#infra/git/native/Reader.ts"

describe("permits for clones", () => {
  const asking = (permits: Permits, tenant: string) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const fiber = yield* Effect.forkChild(Scope.provide(permits.take(tenant), scope), { startImmediately: true })
      return { fiber, there: () => fiber.pollUnsafe() !== undefined, close: Scope.close(scope, Exit.void) }
    })

  it.effect("are never all one tenant's, and the next goes to who has the fewest", () =>
    Effect.gen(function* () {
      const permits = new Permits(4, 2)
      const many = yield* Effect.forEach([1, 2, 3, 4], () => asking(permits, "a"))
      assert.deepStrictEqual(
        many.map(({ there }) => there()),
        [true, true, false, false]
      )
      const [b, c] = [yield* asking(permits, "b"), yield* asking(permits, "c")]
      assert.isTrue(b.there() && c.there())
      const d = yield* asking(permits, "d")
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

  it.effect(
    "go to who has had none before they go again to who has just had one, however long the others' next have waited",
    () =>
      Effect.gen(function* () {
        const permits = new Permits(2, 1)
        const first = [yield* asking(permits, "a"), yield* asking(permits, "b")]
        const again = [yield* asking(permits, "a"), yield* asking(permits, "b")]
        const [c, d] = [yield* asking(permits, "c"), yield* asking(permits, "d")]
        const got = Effect.fnUntraced(function* (one: typeof c) {
          for (let turns = 0; turns < 20 && !one.there(); turns++) yield* Effect.yieldNow
          assert.isTrue(one.there())
        })
        yield* first[0]!.close
        yield* got(c)
        yield* first[1]!.close
        yield* got(d)
        assert.deepStrictEqual(
          again.map(({ there }) => there()),
          [false, false]
        )
        yield* d.close
        yield* got(again[0]!)
        // who left, and came again, is as new as anybody
        const back = yield* asking(permits, "d")
        yield* c.close
        yield* got(back)
        yield* again[0]!.close
        yield* got(again[1]!)
      })
  )

  it.effect("are left once, also when the work ended before its scope, and by who gave up waiting", () =>
    Effect.gen(function* () {
      const permits = new Permits(1, 1)
      const one = yield* asking(permits, "a")
      const permit = yield* Fiber.join(one.fiber)
      const gone = yield* asking(permits, "b")
      yield* Fiber.interrupt(gone.fiber)
      const next = yield* asking(permits, "c")
      assert.isFalse(next.there())
      permit.release()
      yield* Fiber.join(next.fiber)
      yield* one.close
      const last = yield* asking(permits, "d")
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
