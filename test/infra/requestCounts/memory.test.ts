import { layer } from "@effect/vitest"
import { TestClock } from "effect/testing"
import * as MemoryRequestCounts from "#infra/requestCounts/layer.ts"
import { contract } from "./contract.ts"

layer(MemoryRequestCounts.layer)("request counts in memory", (it) => {
  contract(it, (seconds) => TestClock.adjust(seconds * 1000))
})
