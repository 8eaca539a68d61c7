import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { unlimited } from "#domain/Key.ts"
import type { Holder } from "#domain/Scope.ts"
import * as MemoryEventStore from "#engine/memory/EventStore.ts"
import { beginning } from "#engine/Position.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
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
