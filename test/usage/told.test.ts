import { assert, describe, it } from "vitest"
import { told } from "#src/usage/bounds.ts"

describe("what a refusal by a bound of costs says", () => {
  const said = (limit: number, used: number) =>
    told({ _tag: "BoundReached", bound: "cost_per_month", of: "tenant", limit, used, resetsAt: 0 } as never)

  it("has cents, and as many digits as tell the amounts of less apart", () => {
    assert.include(said(1_000, 1_000.5), "may cost $1000.00 a month (cost_per_month): $1000.50 used")
    assert.include(said(0.5, 0), "may cost $0.50 a month (cost_per_month): $0.00 used")
    assert.include(said(0.005, 0.0061234), "may cost $0.005 a month (cost_per_month): $0.00612 used")
    assert.include(said(0.0000004, 0), "may cost $0.0000004 a month")
  })
})
