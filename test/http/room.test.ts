import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeRoom } from "#src/http/room.ts"

const room = () => makeRoom({ all: 100, each: 60, keyless: 10 })

/** Holds so many bytes until it is told to go. */
const holding = Effect.fnUntraced(function* (space: ReturnType<typeof room>, owner: string | undefined, bytes: number) {
  const leave = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkChild(space.within(owner, bytes, Deferred.await(leave)), { startImmediately: true })
  return { fiber, leave: Effect.andThen(Deferred.succeed(leave, undefined), Fiber.await(fiber)) }
})

describe("room for bytes", () => {
  it.effect("is bounded in sum and for each key; whoever waits goes on when there is room", () =>
    Effect.gen(function* () {
      const space = room()
      const one = yield* holding(space, "a", 60)
      const two = yield* holding(space, "a", 1)
      const three = yield* holding(space, "b", 40)
      const four = yield* holding(space, "c", 1)
      assert.deepStrictEqual([space.held(), space.waiting()], [100, 2])
      yield* three.leave
      assert.deepStrictEqual([space.held(), space.waiting()], [61, 1])
      yield* one.leave
      assert.deepStrictEqual([space.held(), space.waiting()], [2, 0])
      yield* two.leave
      yield* four.leave
      assert.strictEqual(space.held(), 0)
    })
  )

  it.effect("is little for all together who have no key", () =>
    Effect.gen(function* () {
      const space = room()
      yield* holding(space, undefined, 10)
      yield* holding(space, undefined, 1)
      assert.deepStrictEqual([space.held(), space.waiting()], [10, 1])
    })
  )

  it.effect("is waited for ten seconds, and then the caller is told when to come again", () =>
    Effect.gen(function* () {
      const space = room()
      yield* holding(space, "a", 60)
      const late = yield* Effect.forkChild(space.within("a", 1, Effect.void), { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      const exit = yield* Fiber.await(late)
      assert.isTrue(Exit.isFailure(exit))
      const problem = yield* Effect.flip(Fiber.join(late))
      assert.deepStrictEqual([problem.code, problem.retryAfter], ["unavailable/busy", 5])
      assert.deepStrictEqual([space.held(), space.waiting()], [60, 0])
    })
  )

  it.effect("is given back by whoever fails or is interrupted, also while it waits", () =>
    Effect.gen(function* () {
      const space = room()
      const one = yield* holding(space, "a", 60)
      const two = yield* holding(space, "a", 60)
      yield* Fiber.interrupt(two.fiber)
      assert.deepStrictEqual([space.held(), space.waiting()], [60, 0])
      yield* Fiber.interrupt(one.fiber)
      assert.strictEqual(space.held(), 0)
      yield* Effect.exit(space.within("a", 60, Effect.die("x")))
      assert.strictEqual(space.held(), 0)
    })
  )

  it.effect("is not waited for by more than 256: the next one is told at once", () =>
    Effect.gen(function* () {
      const space = room()
      yield* holding(space, "a", 60)
      for (let n = 0; n < 256; n++) yield* holding(space, "a", 1)
      const { code } = yield* Effect.flip(space.within("a", 1, Effect.void))
      assert.deepStrictEqual([code, space.waiting()], ["unavailable/busy", 256])
      // what has begun can't be told any more
      yield* Effect.forkChild(space.stay("a", 1).enter(true), { startImmediately: true })
      assert.strictEqual(space.waiting(), 257)
    })
  )

  it.effect("may be passed by what is in hand already, which keeps others waiting", () =>
    Effect.gen(function* () {
      const space = room()
      const stay = space.stay("a", 0)
      stay.hold(150)
      const other = yield* holding(space, "b", 10)
      assert.deepStrictEqual([space.held(), space.waiting()], [150, 1])
      stay.hold(20)
      assert.deepStrictEqual([space.held(), space.waiting()], [30, 0])
      stay.leave()
      stay.leave()
      stay.hold(50)
      assert.strictEqual(space.held(), 10)
      yield* other.leave
    })
  )

  it.effect("gives all that a key has to who asks for more", () =>
    Effect.gen(function* () {
      const space = room()
      yield* holding(space, "a", 1_000)
      assert.strictEqual(space.held(), 60)
    })
  )

  it.effect("says who keeps others out: whose key waits, and all when what waits fits beside nobody", () =>
    Effect.gen(function* () {
      const space = room()
      const keepOut = () => [space.keepsOut("a"), space.keepsOut("b"), space.keepsOut(undefined)]
      yield* holding(space, "a", 60)
      assert.deepStrictEqual(keepOut(), [false, false, false])
      const own = yield* holding(space, "a", 40)
      assert.deepStrictEqual([space.waiting(), keepOut()], [1, [true, false, false]])
      const other = yield* holding(space, "b", 40)
      assert.deepStrictEqual(keepOut(), [true, true, true])
      yield* Fiber.interrupt(own.fiber)
      // full, and nobody waits
      assert.deepStrictEqual([space.held(), keepOut()], [100, [false, false, false]])
      const third = yield* holding(space, "c", 1)
      assert.deepStrictEqual(keepOut(), [true, true, true])
      yield* Fiber.interrupt(third.fiber)
      yield* other.leave
      const stay = space.stay("b", 0)
      stay.hold(40)
      assert.deepStrictEqual(keepOut(), [false, false, false])
      stay.hold(41)
      assert.deepStrictEqual(keepOut(), [true, true, true])
    })
  )

  it.effect("goes to what fits, though larger ones have waited longer, and to these when it is enough", () =>
    Effect.gen(function* () {
      const space = room()
      const first = yield* holding(space, "a", 60)
      const second = yield* holding(space, "b", 40)
      const large = yield* holding(space, "c", 50)
      yield* holding(space, "d", 30)
      yield* holding(space, "e", 20)
      assert.deepStrictEqual([space.held(), space.waiting()], [100, 3])
      yield* second.leave
      // 60, and the 30 that fit; 20 do not any more
      assert.deepStrictEqual([space.held(), space.waiting()], [90, 2])
      yield* first.leave
      assert.deepStrictEqual([space.held(), space.waiting()], [100, 0])
      yield* large.leave
      assert.strictEqual(space.held(), 50)
    })
  )
})
