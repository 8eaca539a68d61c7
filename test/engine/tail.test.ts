import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger, PubSub } from "effect"
import { TestClock } from "effect/testing"
import { Codec } from "#engine/codec.ts"
import { LeftOut } from "#engine/leftOut.ts"
import * as Memory from "#engine/memory/EventStore.ts"
import * as MemoryReadModels from "#engine/memory/ReadModels.ts"
import { beginning, type Position, positionOf } from "#engine/Position.ts"
import { Given } from "#engine/Projection.ts"
import {
  type EventKind,
  EventStore,
  type ReadAll,
  type StoredEvent,
  StoreUnavailable
} from "#engine/ports/EventStore.ts"
import { react } from "#engine/react.ts"
import { Tail } from "#engine/tail.ts"
import { command, noted as event, fresh, to, upTo } from "./appends.ts"
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

const noted = (tenant: string, type: string) =>
  Effect.flatMap(EventStore, ({ append }) =>
    append(to(fresh(), "any", [command({ events: [event({ type })] })], tenant))
  )

const idle = Effect.forEach(upTo(50), () => Effect.yieldNow, { discard: true })

type Store = typeof EventStore.Service

/** A tail over a log in memory that does some of it in its own way. */
const tailOver = (otherwise: (store: Store) => Partial<Store>) =>
  Tail.layer.pipe(
    Layer.provideMerge(
      Layer.effect(
        EventStore,
        Effect.map(EventStore, (store) => ({ ...store, ...otherwise(store) }))
      ).pipe(Layer.provide(Memory.layer))
    )
  )

/** A tail over such a log, where something comes before each read of a page. */
const tailReading = (before: Effect.Effect<unknown, StoreUnavailable>) =>
  tailOver(({ readAll }) => ({ readAll: (...asked) => Effect.andThen(before, readAll(...asked)) }))

it.effect("those who follow are told whether something of theirs came, by its type and by whose it is", () =>
  Effect.gen(function* () {
    yield* noted("one", "A")
    const { join, concerns, reached } = yield* Tail
    yield* join
    const start = reached()
    // of what came before the first look nothing is known
    assert.isTrue(concerns(beginning, { types: ["D"] }))
    assert.isFalse(concerns(start, {}))
    yield* noted("one", "A")
    yield* noted("two", "B")
    yield* idle
    assert.strictEqual(reached(), yield* (yield* EventStore).head)
    const asked = [
      {},
      { types: ["A"] },
      { types: ["C"] },
      { types: ["C", "B"] },
      { tenant: "one" },
      { tenant: "three" }
    ]
    assert.deepStrictEqual(
      asked.map((filters) => concerns(start, filters)),
      [true, true, false, true, true, false]
    )
    assert.isFalse(concerns(start, { tenant: "one", types: ["B"] }))
    assert.isTrue(concerns(start, { tenant: "two", types: ["B"] }))
    assert.isFalse(concerns(reached(), {}))
  }).pipe(Effect.scoped, Effect.provide(Tail.layer.pipe(Layer.provideMerge(Memory.layer))))
)

it.effect("what is known of tenants is bounded: who is behind reads once more, and misses nothing", () => {
  let kinds: ReadonlyArray<EventKind> = []
  let head = positionOf(1)
  const store = Layer.effect(
    EventStore,
    Effect.map(EventStore, (store) => ({ ...store, since: () => Effect.sync(() => ({ head, kinds })) }))
  ).pipe(Layer.provide(Memory.layer))
  return Effect.gen(function* () {
    const { join, concerns, reached } = yield* Tail
    yield* join
    const start = reached()
    const come = (tenants: number, at: number) => {
      head = positionOf(at)
      kinds = upTo(tenants).map((n) => ({ tenant: `${at}-${n}`, type: "A", last: head }))
      return Effect.andThen(noted("any", "A"), idle)
    }
    yield* come(10_000, 10)
    assert.isFalse(concerns(start, { tenant: "nobody" }))
    assert.isTrue(concerns(start, { tenant: "10-0" }))
    yield* come(1, 20)
    for (const filters of [{ tenant: "10-0" }, { tenant: "nobody" }, { types: ["B"] }])
      assert.isTrue(concerns(positionOf(15), filters))
    assert.isFalse(concerns(positionOf(20), { tenant: "10-0" }))
    yield* come(1, 30)
    assert.isFalse(concerns(positionOf(20), { tenant: "10-0" }))
    assert.isTrue(concerns(positionOf(20), { types: ["A"] }))
  }).pipe(Effect.scoped, Effect.provide(Tail.layer.pipe(Layer.provideMerge(store))))
})

it.effect("of a type the newest of all tenants' events counts, in whatever order a look tells of them", () => {
  const [newer, older] = [
    { tenant: "one", type: "A", last: positionOf(10) },
    { tenant: "two", type: "A", last: positionOf(5) }
  ]
  return Effect.forEach(
    [
      [newer, older],
      [older, newer]
    ],
    (kinds) =>
      Effect.gen(function* () {
        const { join, concerns, reached } = yield* Tail
        yield* join
        yield* noted("any", "A")
        yield* idle
        assert.strictEqual(reached(), 10)
        for (const filters of [{ types: ["A"] }, {}]) {
          assert.isTrue(concerns(positionOf(7), filters))
          assert.isFalse(concerns(positionOf(10), filters))
        }
        assert.isFalse(concerns(positionOf(7), { tenant: "two" }))
      }).pipe(
        Effect.scoped,
        Effect.provide(tailOver(() => ({ since: () => Effect.succeed({ head: positionOf(10), kinds }) })))
      ),
    { discard: true }
  )
})

it.effect("who follows hears each second; the log is looked at when something came, and again when that failed", () => {
  let looks = 0
  let isAway = false
  const store = Layer.effect(
    EventStore,
    Effect.map(EventStore, (store) => ({
      ...store,
      since: (after: Position) =>
        Effect.suspend(() => {
          looks += 1
          return isAway ? Effect.fail(new StoreUnavailable({ message: "away" })) : store.since(after)
        })
    }))
  ).pipe(Layer.provide(Memory.layer))
  return Effect.gen(function* () {
    const { join, reached } = yield* Tail
    const messages = yield* join
    yield* idle
    const looked = Effect.fnUntraced(function* (seconds: number) {
      const before = looks
      let heard = 0
      for (let second = 0; second < seconds; second++) {
        yield* TestClock.adjust("1 second")
        yield* idle
        heard += (yield* PubSub.takeUpTo(messages, 10)).length
      }
      return { looks: looks - before, heard }
    })
    assert.deepStrictEqual(yield* looked(5), { looks: 0, heard: 5 })
    isAway = true
    yield* noted("one", "A")
    yield* idle
    yield* PubSub.takeUpTo(messages, 10)
    assert.deepStrictEqual(yield* looked(2), { looks: 2, heard: 2 })
    isAway = false
    assert.deepStrictEqual(yield* looked(3), { looks: 1, heard: 3 })
    assert.strictEqual(reached(), yield* (yield* EventStore).head)
    assert.deepStrictEqual(yield* looked(28), { looks: 3, heard: 28 })
  }).pipe(Effect.scoped, Effect.provide(Tail.layer.pipe(Layer.provideMerge(store))))
})

it.effect("what comes while the first who follows begins is looked at", () => {
  const answer = Deferred.makeUnsafe<void>()
  return Effect.gen(function* () {
    yield* noted("one", "A")
    const { join, concerns, reached } = yield* Tail
    const joining = yield* Effect.forkScoped(join)
    yield* idle
    yield* noted("one", "B")
    yield* idle
    yield* Deferred.succeed(answer, undefined)
    yield* Fiber.join(joining)
    const start = reached()
    assert.strictEqual(start, 1)
    yield* TestClock.adjust("1 second")
    yield* idle
    assert.deepStrictEqual([reached(), concerns(start, { types: ["B"] })], [2, true])
  }).pipe(
    Effect.scoped,
    Effect.provide(tailOver(({ head }) => ({ head: Effect.tap(head, () => Deferred.await(answer)) })))
  )
})

it.effect("a log whose hints are lost is looked at after ten seconds", () =>
  Effect.gen(function* () {
    const { join, reached } = yield* Tail
    yield* join
    yield* noted("one", "A")
    for (const expected of [...upTo(9).map(() => 0), 1]) {
      yield* TestClock.adjust("1 second")
      yield* idle
      assert.strictEqual(reached(), expected)
    }
  }).pipe(
    Effect.scoped,
    Effect.provide(tailOver(() => ({ hints: Effect.flatMap(PubSub.sliding<void>(1), PubSub.subscribe) })))
  )
)

for (const [how, end] of [
  ["by a defect", Effect.die("broken")],
  ["by another's leaving", Effect.interrupt]
] as const) {
  it.effect(`a look that ends ${how} is made again, and who follows hears on`, () => {
    let isBroken = true
    return Effect.gen(function* () {
      const { join, reached } = yield* Tail
      const messages = yield* join
      yield* noted("one", "A")
      yield* idle
      assert.deepStrictEqual([reached(), (yield* PubSub.takeUpTo(messages, 10)).length], [0, 1])
      isBroken = false
      yield* TestClock.adjust("1 second")
      yield* idle
      assert.deepStrictEqual([reached(), (yield* PubSub.takeUpTo(messages, 10)).length], [1, 1])
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Layer.mergeAll(
          tailOver(({ since }) => ({ since: (after) => Effect.suspend(() => (isBroken ? end : since(after))) })),
          Logger.layer([])
        )
      )
    )
  })
}

it.effect("a page that could not be read is read anew by whoever asks next, and the one in its place stays", () => {
  const reads: Array<Deferred.Deferred<void, StoreUnavailable>> = []
  return Effect.gen(function* () {
    const { join, page } = yield* Tail
    yield* join
    const ask = Effect.tap(Effect.forkScoped(Effect.exit(page(beginning, {}, {}))), () => idle)
    const fail = (read: number) => Deferred.fail(reads[read]!, new StoreUnavailable({ message: "away" }))
    const first = yield* ask
    yield* fail(0)
    assert.strictEqual((yield* Fiber.join(first))._tag, "Failure")
    const second = yield* ask
    assert.lengthOf(reads, 2)
    // what was read before something came is kept for nobody
    yield* noted("one", "A")
    yield* idle
    const third = yield* ask
    yield* fail(1)
    assert.strictEqual((yield* Fiber.join(second))._tag, "Failure")
    const fourth = yield* ask
    assert.lengthOf(reads, 3)
    yield* Deferred.succeed(reads[2]!, undefined)
    for (const asked of [third, fourth]) assert.strictEqual((yield* Fiber.join(asked))._tag, "Success")
  }).pipe(
    Effect.scoped,
    Effect.provide(
      tailReading(
        Effect.suspend(() => {
          const read = Deferred.makeUnsafe<void, StoreUnavailable>()
          reads.push(read)
          return Deferred.await(read)
        })
      )
    )
  )
})

it.effect("readers share a page only if they ask for the same of it", () => {
  let reads = 0
  const looks: ReadonlyArray<ReadAll> = [
    {},
    { limit: 3 },
    { bytes: 10_000 },
    { withoutLong: true },
    { factsOnly: true },
    { requested: true },
    { types: ["A"] },
    { tenant: "one" },
    { stream: "one" },
    { actor: "one" },
    { correlation: "one" }
  ]
  return Effect.gen(function* () {
    const { join, page } = yield* Tail
    yield* join
    for (const look of looks) {
      const { limit, bytes, withoutLong, ...filters } = look
      const size = { ...(limit && { limit }), ...(bytes && { bytes }), ...(withoutLong && { withoutLong }) }
      for (let reader = 0; reader < 2; reader++) yield* page(beginning, filters, size)
    }
    yield* page(positionOf(1), {}, {})
    assert.strictEqual(reads, looks.length + 1)
  }).pipe(Effect.scoped, Effect.provide(tailReading(Effect.sync(() => reads++))))
})

it.effect("no more than 64 pages are kept for others: what is asked for besides is read each time", () => {
  let reads = 0
  return Effect.gen(function* () {
    const { join, page } = yield* Tail
    yield* join
    const readsOf = (pages: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        const before = reads
        const asked = pages.map((limit) => page(beginning, {}, { limit }))
        yield* Effect.all(asked, { concurrency: "unbounded" })
        return reads - before
      })
    const all = upTo(65).map((n) => n + 1)
    assert.strictEqual(yield* readsOf(all), 65)
    assert.deepStrictEqual([yield* readsOf([65]), yield* readsOf([65])], [1, 1])
    assert.strictEqual(yield* readsOf(all.slice(0, 64)), 0)
    // after a look there is room again
    yield* noted("any", "A")
    yield* idle
    assert.deepStrictEqual([yield* readsOf([65]), yield* readsOf([65])], [1, 0])
  }).pipe(Effect.scoped, Effect.provide(tailReading(Effect.sync(() => reads++))))
})

it.effect("reactions and readers share one look", () => {
  let looks = 0
  const store = Layer.effect(
    EventStore,
    Effect.map(EventStore, (store) => ({
      ...store,
      since: (after: Position) =>
        Effect.andThen(
          Effect.sync(() => void (looks += 1)),
          store.since(after)
        )
    }))
  ).pipe(Layer.provide(Memory.layer))
  const models = MemoryReadModels.layer.pipe(Layer.provide(Layer.succeed(Given, undefined)))
  const handled: Array<string> = []
  const reactions = ["A", "B", "C"].map((type) => ({
    name: type,
    on: [type],
    handle: ({ type }: { readonly type: string }) => Effect.sync(() => void handled.push(type))
  }))
  const plain = Layer.succeed(Codec, {
    decoding: function* (stored: StoredEvent) {
      return { ...stored, event: {} }
    }
  } as never)
  return Effect.gen(function* () {
    const { join } = yield* Tail
    yield* join
    yield* react(reactions, () => false)
    yield* idle
    looks = 0
    for (const type of ["B", "C", "A"]) {
      yield* noted("one", type)
      yield* idle
    }
    assert.deepStrictEqual([handled, looks], [["B", "C", "A"], 3])
  }).pipe(
    Effect.scoped,
    Effect.provide(Layer.mergeAll(Tail.layer, models, LeftOut.layer, plain).pipe(Layer.provideMerge(store)))
  )
})
