import { assert, describe, it } from "@effect/vitest"
import { Tracer } from "effect"
import { sampling } from "#infra/telemetry/sampling.ts"

const caller = (sampled: boolean) => Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16), sampled })
const kept = (byParent: boolean, ratio: number, by?: Tracer.ExternalSpan) =>
  sampling({ byParent, ratio }, () => 0.5)(by)

describe("a trace", () => {
  it("that begins here is kept by its share", () => {
    assert.isTrue(kept(true, 0.6))
    assert.isFalse(kept(true, 0.4))
  })

  it("of a caller is kept as the caller says, unless that is not to count", () => {
    assert.isTrue(kept(true, 0, caller(true)))
    assert.isFalse(kept(true, 1, caller(false)))
    assert.isFalse(kept(false, 0, caller(true)))
    assert.isTrue(kept(false, 1, caller(false)))
  })
})
