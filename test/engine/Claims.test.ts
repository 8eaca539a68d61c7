import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeProcesses } from "#engine/memory/Claims.ts"
import { Claims } from "#engine/ports/Claims.ts"
import { claims } from "./Claims.contract.ts"

claims(
  "in memory",
  Effect.sync(() => {
    const next = makeProcesses()
    return [next(), next(), next()] as const
  })
)

it.effect("a process that is alone has all that it claims", () =>
  Effect.gen(function* () {
    const { shared, claim } = yield* Claims
    assert.isFalse(shared)
    yield* claim("a")
    yield* claim("a")
  })
)
