import { Layer } from "effect"
import * as MemoryEventStore from "#engine/memory/EventStore.ts"
import * as MemoryReadModels from "#engine/memory/ReadModels.ts"
import { Given } from "#engine/Projection.ts"
import { contract as eventStore } from "./EventStore.contract.ts"
import { contract as readModels } from "./ReadModels.contract.ts"

eventStore("memory", MemoryEventStore.layer)
eventStore("memory, with room between positions", MemoryEventStore.spaced)
readModels("memory", MemoryReadModels.layer.pipe(Layer.provide(Layer.succeed(Given, undefined))))
