import * as MemoryEventStore from "#infra/MemoryEventStore.ts"
import { contract } from "./EventStore.contract.ts"

contract("memory", MemoryEventStore.layer)
