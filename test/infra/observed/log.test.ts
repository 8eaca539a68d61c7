import { assert, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import * as MemoryEventStore from "#engine/memory/EventStore.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { layer as observed } from "#infra/observed/log.ts"
import { appendSeconds, appendsFailed, events } from "#ports/metrics.ts"
import { command, noted, to } from "../../engine/appends.ts"

it.effect("what was appended is counted once, however often its command comes, and what was refused by why", () => {
  const once = to("a", "none", [command({ events: [noted(), noted()] })])
  const { type } = once.commands[0]!.events[0]!
  return Effect.gen(function* () {
    const { append } = yield* EventStore
    yield* append(once)
    const again = yield* append(once)
    assert.isDefined(again.before)
    const other = to("a", "none", [command({ events: [noted()] })])
    assert.strictEqual((yield* Effect.flip(append(other)))._tag, "WrongRevision")
    assert.strictEqual((yield* Metric.value(events(type))).count, 2)
    assert.strictEqual((yield* Metric.value(appendsFailed("conflict"))).count, 1)
    assert.strictEqual((yield* Metric.value(appendSeconds())).count, 3)
  }).pipe(
    Effect.provide(Layer.provide(observed, MemoryEventStore.layer)),
    Effect.provideService(Metric.MetricRegistry, new Map())
  )
})
