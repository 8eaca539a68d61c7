import { assert, describe, it } from "vitest"
import { pauseIn, whenAgain, withoutLongPauses } from "#infra/models/pause.ts"

const now = Date.parse("2026-11-26T12:00:00Z")

describe("the pause that a model's server asks for", () => {
  it.each([
    [{}, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "90" }, 90_000],
    [{ "retry-after": "Thu, 26 Nov 2026 12:02:00 GMT" }, 120_000],
    // to the millisecond where it says that, too, as the SDKs read it
    [{ "retry-after-ms": "1500", "retry-after": "90" }, 1_500],
    [{ "retry-after-ms": "a while", "retry-after": "90" }, 90_000]
  ])("of %j is %j ms", (head, expected) => {
    assert.strictEqual(pauseIn(new Headers(head as Record<string, string>), now), expected)
  })

  it("of a minute is waited for, and of a longer one the SDKs and people are told", () => {
    const minute = new Headers({ "retry-after": "60" })
    assert.strictEqual(withoutLongPauses(minute), minute)
    assert.deepStrictEqual([whenAgain(minute), whenAgain(new Headers()), whenAgain(undefined)], Array(3).fill("later"))
    const longer = withoutLongPauses(new Headers({ "retry-after": "61", "request-id": "r" }))
    assert.deepStrictEqual(
      ["x-should-retry", "retry-after", "request-id"].map((name) => longer.get(name)),
      ["false", "61", "r"]
    )
    assert.strictEqual(whenAgain(longer), "in 2 minutes")
  })
})
