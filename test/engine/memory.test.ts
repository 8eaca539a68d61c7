import * as MemoryEventStore from "#engine/memory/EventStore.ts"
import { contract } from "./EventStore.contract.ts"

contract("memory", MemoryEventStore.layer)
contract("memory, with room between positions", MemoryEventStore.spaced)
