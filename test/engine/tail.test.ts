import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Codec } from "#engine/codec.ts"
import { LeftOut } from "#engine/leftOut.ts"
import * as Memory from "#engine/memory/EventStore.ts"
import * as MemoryReadModels from "#engine/memory/ReadModels.ts"
import { beginning, type Position, positionOf } from "#engine/Position.ts"
import { Given } from "#engine/Projection.ts"
import { EventStore, type Kind, type StoredEvent } from "#engine/ports/EventStore.ts"
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
  let kinds: ReadonlyArray<Kind> = []
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
