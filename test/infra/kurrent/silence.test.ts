import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { beginning } from "#engine/Position.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Kurrent } from "#infra/kurrent/client.ts"
import { command, fresh, noted, to, upTo } from "../../engine/appends.ts"
import { Double, doubleAndDatabase, startedDouble, storeAt } from "../../kurrent/stores.ts"

const quiet = Logger.layer([])

/** The client hands so many events over at once, or fewer at the end of a read. */
const handed = 64

/** A store on a server that takes longer to look through a thousand events than anybody waits. */
const scene = Effect.gen(function* () {
  const double = yield* Double
  const store = Context.get(yield* Layer.build(Layer.fresh(storeAt(double.url))), EventStore)
  const rare = Effect.map(
    Effect.suspend(() => store.append(to(fresh(), "none", [command({ events: [noted({ type: "Rare" })] })]))),
    ({ positions: [position] }) => position!
  )
  const others = (type: string) =>
    double.foreign(
      "theirs",
      upTo(2_000).map(() => ({ type }))
    )
  double.slow.looks = 1_000
  return { double, store, rare, others }
})

const types = ["Rare"]

describe("a KurrentDB that says nothing while it looks for an event", () => {
  it.live("is read on all the same: what is there is looked at here, piece by piece", () =>
    Effect.gen(function* () {
      const { store, rare, others } = yield* scene
      others("Foreign")
      const first = yield* rare
      others("Foreign")
      const second = yield* rare
      const found = (after = beginning) =>
        Effect.map(store.readAll(after, { types, limit: 1 }), ({ events }) => events.map(({ position }) => position))
      assert.deepStrictEqual(yield* found(), [first])
      assert.deepStrictEqual(yield* found(first), [second])
      assert.deepStrictEqual(yield* found(second), [])
      others("Foreign")
      assert.deepStrictEqual(yield* store.newest({ types, limit: 2 }), [second, first])
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(doubleAndDatabase, quiet)))
  )

  it.live("gives what it has found before, and is read on behind it", () =>
    Effect.gen(function* () {
      const { double, store, rare, others } = yield* scene
      for (const _ of upTo(handed + 1)) yield* rare
      others("Foreign")
      const last = yield* rare
      const asked = double.calls.length
      const page = yield* store.readAll(beginning, { types })
      assert.deepStrictEqual([page.events.length, page.more], [handed, true])
      assert.strictEqual(double.calls.length, asked + 1)
      const next = yield* store.readAll(page.events.at(-1)!.position, { types })
      assert.deepStrictEqual([next.events.length, next.events.at(-1)!.position, next.more], [2, last, false])
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(doubleAndDatabase, quiet)))
  )

  it.live("tells where the log ends, and is begun on, behind many events of its own", () =>
    Effect.gen(function* () {
      const { double, store, rare, others } = yield* scene
      const last = yield* rare
      others("$>")
      assert.strictEqual(yield* store.head, last)
      const another = Context.get(yield* Layer.build(Layer.fresh(storeAt(double.url))), EventStore)
      assert.strictEqual(yield* another.head, last)
      assert.deepStrictEqual((yield* another.readAll(last)).events, [])
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(doubleAndDatabase, quiet)))
  )
})

describe("a KurrentDB that sends slowly", () => {
  it.effect("is heard out as long as something comes", () =>
    Effect.gen(function* () {
      const double = yield* startedDouble
      double.foreign(
        "theirs",
        upTo(4 * handed).map(() => ({}))
      )
      const { readAll, readStream } = Context.get(yield* Layer.build(Kurrent.layer(Redacted.make(double.url))), Kurrent)
      let [sent, allowed] = [0, 0]
      double.slow.before = async () => {
        sent += 1
        while (sent > allowed) await new Promise(setImmediate)
      }
      const until = (holds: () => boolean) =>
        Effect.promise(async () => {
          while (!holds()) await new Promise(setImmediate)
        })
      let heard = 0
      const enough = () => {
        heard += 1
        return false
      }
      const reads = [
        readAll({ from: "start", count: 4 * handed, types: "^[^$]", enough }),
        readStream("theirs", { from: 0, count: 4 * handed, enough })
      ]
      for (const read of reads) {
        ;[heard, sent, allowed] = [0, 0, 0]
        const calls = double.calls.length
        const reading = yield* Effect.forkChild(read)
        yield* until(() => double.calls.length > calls)
        for (const n of upTo(4)) {
          yield* TestClock.adjust("3 seconds")
          allowed += handed
          yield* until(() => heard === (n + 1) * handed)
        }
        assert.lengthOf(yield* Fiber.join(reading), 4 * handed)
      }
      // and not for ever
      ;[heard, sent, allowed] = [0, 0, handed]
      const reading = yield* Effect.forkChild(Effect.flip(reads[0]!))
      yield* until(() => heard === handed)
      yield* TestClock.adjust("8 seconds")
      assert.strictEqual((yield* Fiber.join(reading)).message, "no answer within 4000 ms")
    }).pipe(Effect.scoped)
  )
})
