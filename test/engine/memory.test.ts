import { Effect, Layer } from "effect"
import * as MemoryEventStore from "#engine/memory/EventStore.ts"
import * as MemoryReadModels from "#engine/memory/ReadModels.ts"
import * as MemoryTexts from "#engine/memory/Texts.ts"
import { Given } from "#engine/Projection.ts"
import { Texts } from "#engine/ports/Texts.ts"
import { bySteps, Erasures } from "#engine/texts.ts"
import { upTo } from "./appends.ts"
import { contract as eventStore } from "./EventStore.contract.ts"
import { forgetting } from "./EventStore.erasure.ts"
import { contract as readModels } from "./ReadModels.contract.ts"

/** Texts that others come between: each call takes a few turns, and an erasure many. */
const slowTexts = Layer.effect(
  Texts,
  Effect.map(Texts, ({ put, get, erase, ...texts }) => {
    const after =
      (turns: number) =>
      <A, E>(call: Effect.Effect<A, E>) =>
        Effect.andThen(
          Effect.forEach(upTo(turns), () => Effect.yieldNow, { discard: true }),
          call
        )
    return Texts.of({
      ...texts,
      put: (some) => after(2)(put(some)),
      get: (ids) => after(2)(get(ids)),
      erase: (tenant, subjects) => after(50)(erase(tenant, subjects))
    })
  })
).pipe(Layer.provide(MemoryTexts.layer))

const erasures = Layer.succeed(Erasures, forgetting)
const slow = bySteps.pipe(Layer.provide(Layer.merge(MemoryEventStore.facts, slowTexts)))

eventStore("memory", Layer.provide(MemoryEventStore.layer, erasures))
eventStore("memory, with room between positions", Layer.provide(MemoryEventStore.spaced, erasures))
eventStore("memory, with slow texts", Layer.provide(slow, erasures))
readModels("memory", MemoryReadModels.layer.pipe(Layer.provide(Layer.succeed(Given, undefined))))
