import * as MemoryEventStore from "#engine/memory/EventStore.ts"
import { contract } from "../infra/EventStore.contract.ts"

contract("memory", MemoryEventStore.layer)
