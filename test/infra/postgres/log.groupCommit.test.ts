import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Scope } from "effect"
import { groupCommit } from "#infra/postgres/log/groupCommit.ts"
import { upTo } from "../../engine/appends.ts"

/** Calls that end when they are told to. */
const calls = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const sent: Array<{ readonly units: ReadonlyArray<number>; readonly end: Effect.Effect<boolean> }> = []
  const refused: Array<number> = []
  const offer = yield* groupCommit<number>({
    most: 8 * 1024 * 1024,
    bytes: (unit) => unit,
    send: (units) =>
      Effect.flatMap(Deferred.make<void>(), (ended) => {
        sent.push({ units, end: Deferred.succeed(ended, undefined) })
        return Deferred.await(ended)
      }),
    refuse: (units) => Effect.sync(() => void refused.push(...units))
  }).pipe(Scope.provide(scope))
  /** Until as many calls were made. */
  const made = (count: number) =>
    Effect.gen(function* () {
      while (sent.length < count) yield* Effect.yieldNow
    })
  /** Whatever would run without anybody's doing has run. */
  const idle = Effect.forEach(upTo(50), () => Effect.yieldNow, { discard: true })
  return { scope, sent, refused, offer, made, idle }
})

describe("group commit", () => {
  it.effect("sends together what comes together, in its order, and alone what comes alone", () =>
    Effect.gen(function* () {
      const { sent, offer, made } = yield* calls
      assert.deepStrictEqual(yield* Effect.forEach([1, 2, 3], offer), [true, true, true])
      yield* made(1)
      assert.deepStrictEqual(sent[0]!.units, [1, 2, 3])
      yield* sent[0]!.end
      yield* offer(4)
      yield* made(2)
      assert.deepStrictEqual(sent[1]!.units, [4])
    })
  )

  it.effect("lets one wait for nobody after one that came alone, and for others again once they came", () =>
    Effect.gen(function* () {
      const { sent, offer, made, idle } = yield* calls
      yield* offer(1)
      yield* made(1)
      yield* sent[0]!.end
      yield* idle
      yield* offer(2)
      assert.deepStrictEqual(sent[1]!.units, [2])
      yield* Effect.forEach([3, 4], offer)
      yield* sent[1]!.end
      yield* made(3)
      assert.deepStrictEqual(sent[2]!.units, [3, 4])
      yield* sent[2]!.end
      yield* idle
      yield* Effect.forEach([5, 6], offer)
      yield* made(4)
      assert.deepStrictEqual(sent[3]!.units, [5, 6])
    })
  )

  it.effect("gathers a few while a call is under way, and sends them when it has ended", () =>
    Effect.gen(function* () {
      const { sent, offer, made, idle } = yield* calls
      yield* offer(0)
      yield* made(1)
      yield* Effect.forEach(upTo(63), offer)
      yield* idle
      assert.lengthOf(sent, 1)
      yield* sent[0]!.end
      yield* made(2)
      assert.deepStrictEqual(sent[1]!.units, upTo(63))
    })
  )

  it.effect("sends many beside the call that is under way, and never a third", () =>
    Effect.gen(function* () {
      const { sent, offer, made, idle } = yield* calls
      yield* offer(0)
      yield* made(1)
      yield* Effect.forEach(upTo(64), offer)
      yield* made(2)
      yield* Effect.forEach(upTo(200), offer)
      yield* idle
      assert.lengthOf(sent, 2)
      yield* sent[1]!.end
      yield* made(3)
      assert.deepStrictEqual(sent[2]!.units, upTo(200))
    })
  )

  it.effect("sends no more at once than a call may hold, and a unit that is larger by itself", () =>
    Effect.gen(function* () {
      const { sent, offer, made } = yield* calls
      const half = 4 * 1024 * 1024
      yield* Effect.forEach([half, half, 9 * half, 1], offer)
      yield* made(1)
      assert.deepStrictEqual(sent[0]!.units, [half, half])
      yield* sent[0]!.end
      yield* made(2)
      assert.deepStrictEqual(sent[1]!.units, [9 * half])
      yield* sent[1]!.end
      yield* made(3)
      assert.deepStrictEqual(sent[2]!.units, [1])
    })
  )

  it.effect("fills a call to the byte, and with 1,024 units at most", () =>
    Effect.gen(function* () {
      const most = 8 * 1024 * 1024
      const bytes = yield* calls
      yield* Effect.forEach([most - 1, 1, 2], bytes.offer)
      yield* bytes.made(1)
      assert.deepStrictEqual(bytes.sent[0]!.units, [most - 1, 1])
      const units = yield* calls
      yield* units.offer(0)
      yield* units.made(1)
      yield* Effect.forEach(upTo(64), units.offer)
      yield* units.made(2)
      yield* Effect.forEach(upTo(1_100), units.offer)
      yield* units.idle
      yield* units.sent[0]!.end
      yield* units.made(3)
      assert.deepStrictEqual(units.sent[2]!.units, upTo(1_024))
      yield* units.sent[1]!.end
      yield* units.made(4)
      assert.deepStrictEqual(units.sent[3]!.units, upTo(1_100).slice(1_024))
    })
  )

  it.effect("sends as two calls beside each other what is twice as much as is worth a second one", () =>
    Effect.gen(function* () {
      for (const [count, first] of [
        [127, 127],
        [128, 64],
        [257, 129]
      ] as const) {
        const { sent, offer, made, idle } = yield* calls
        yield* Effect.forEach(upTo(count), offer)
        yield* made(first === count ? 1 : 2)
        yield* idle
        assert.deepStrictEqual(
          sent.map(({ units }) => units),
          [upTo(first), upTo(count).slice(first)].filter(({ length }) => length > 0)
        )
      }
    })
  )

  it.effect("refuses, when it is closed, what waits, what is under way and what comes", () =>
    Effect.gen(function* () {
      const { scope, refused, offer, made } = yield* calls
      yield* offer(1)
      yield* made(1)
      yield* offer(2)
      yield* Scope.close(scope, Exit.void)
      assert.sameMembers(refused, [1, 2])
      assert.isFalse(yield* offer(3))
    })
  )
})
