import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { unlimited } from "#domain/Key.ts"
import type { Holder } from "#domain/Scope.ts"
import { UsageEvent } from "#domain/Usage.ts"
import * as MemoryEventStore from "#engine/memory/EventStore.ts"
import { beginning } from "#engine/Position.ts"
import { type Append, EventStore } from "#engine/ports/EventStore.ts"
import { KeySightings } from "#ports/KeySightings.ts"
import { Notes } from "#src/notes.ts"

const holder: Holder = {
  operates: false,
  key: "key",
  user: "user",
  tenant: "acme",
  organization: "acme",
  tier: "ENTERPRISE",
  role: "member",
  limits: unlimited,
  email: "max@example.org",
  userId: null,
  secret: "secret"
}

describe("a key in constant use", () => {
  it.effect("is seen every half minute, and in the log once an hour", () =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      const sightings = Layer.succeed(KeySightings, {
        note: (keys) => Effect.sync(() => seen.push(...keys.values()))
      })
      yield* Effect.gen(function* () {
        const notes = yield* Notes
        // an hour and ten minutes, in steps of ten seconds
        for (let step = 0; step < 420; step++) {
          yield* notes.used(holder)
          yield* TestClock.adjust("10 seconds")
        }
        assert.strictEqual(seen.length, 140)
        for (const [place, at] of seen.entries()) assert.strictEqual(at, place * 30_000)
        const { events } = yield* (yield* EventStore).readAll(beginning, { types: ["KeyUsed"], limit: 100 })
        assert.strictEqual(events.length, 2)
        // and again after a rest
        yield* TestClock.adjust("10 minutes")
        yield* notes.used(holder)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(seen.at(-1), (4_200 + 600) * 1_000)
      }).pipe(Effect.provide(Layer.provideMerge(Notes.layer, Layer.merge(MemoryEventStore.layer, sightings))))
    })
  )
})

describe("notes", () => {
  /** Appends take so many milliseconds. */
  const slow = (milliseconds: number) =>
    Layer.effect(
      EventStore,
      Effect.map(EventStore, (store) => ({
        ...store,
        append: (append: Append) => Effect.delay(store.append(append), milliseconds)
      }))
    ).pipe(Layer.provide(MemoryEventStore.layer))
  const unseen = Layer.succeed(KeySightings, { note: () => Effect.void })
  const noting = (store: Layer.Layer<EventStore> = MemoryEventStore.layer) =>
    Effect.provide(Layer.provideMerge(Notes.layer, Layer.merge(store, unseen)))
  const add = (count: number) =>
    Effect.flatMap(Notes, (notes) =>
      Effect.forEach(Array(count).fill(undefined), () =>
        notes.add({
          tenant: "acme",
          stream: "usage-key",
          actor: { key: "key", user: "user", organization: "acme" },
          event: UsageEvent.cases.KeyUsed.make({ key: "key" })
        })
      )
    )
  const inLog = Effect.flatMap(EventStore, (store) => store.readAll(beginning, { limit: 1_000 })).pipe(
    Effect.map(({ events }) => events.length)
  )
  const inLogAfter = (milliseconds: number) => Effect.andThen(TestClock.adjust(milliseconds), inLog)

  it.effect("are in the log in a fifth of a second; behind many of them in two fifths, unless very many wait", () =>
    Effect.gen(function* () {
      yield* add(1)
      assert.strictEqual(yield* inLogAfter(0), 1)
      yield* add(1)
      assert.strictEqual(yield* inLogAfter(199), 1)
      assert.strictEqual(yield* inLogAfter(1), 2)
      yield* inLogAfter(200)
      yield* add(8)
      assert.strictEqual(yield* inLogAfter(0), 10)
      yield* add(249)
      assert.strictEqual(yield* inLogAfter(399), 10)
      assert.strictEqual(yield* inLogAfter(1), 259)
      yield* add(250)
      assert.strictEqual(yield* inLogAfter(199), 259)
      assert.strictEqual(yield* inLogAfter(1), 509)
    }).pipe(noting())
  )

  it.effect("are in the log at once where somebody waits for it", () =>
    Effect.gen(function* () {
      yield* add(8)
      yield* inLogAfter(0)
      yield* add(1)
      yield* (yield* Notes).settled
      assert.strictEqual(yield* inLog, 9)
    }).pipe(noting())
  )

  it.effect("that are being appended are waited for", () =>
    Effect.gen(function* () {
      yield* add(1)
      yield* inLogAfter(0)
      const settled = yield* Effect.forkChild((yield* Notes).settled)
      assert.strictEqual(yield* inLogAfter(499), 0)
      assert.isUndefined(settled.pollUnsafe())
      assert.strictEqual(yield* inLogAfter(1), 1)
      yield* Fiber.join(settled)
    }).pipe(noting(slow(500)))
  )

  it.effect("are not lost by who waits for them no longer", () =>
    Effect.gen(function* () {
      yield* add(1)
      yield* inLogAfter(2_000)
      yield* add(1)
      const settled = yield* Effect.forkChild((yield* Notes).settled)
      yield* inLogAfter(1_000)
      yield* Fiber.join(settled)
      assert.strictEqual(yield* inLog, 1)
      assert.strictEqual(yield* inLogAfter(1_000), 2)
    }).pipe(noting(slow(2_000)))
  )
})
