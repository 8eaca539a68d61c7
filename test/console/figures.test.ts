import { assert, describe, it } from "vitest"
import { costIn, lasted } from "#src/console/chat/figures.ts"

describe("figures of a run", () => {
  it("are whole minutes and seconds", () => {
    const after = (milliseconds: number) => lasted(new Date(0).toISOString(), new Date(milliseconds).toISOString())
    assert.deepStrictEqual([999, 1_000, 89_900, 119_700, 3_600_000].map(after), [
      "999 ms",
      "1.0 s",
      "89.9 s",
      "2 min 0 s",
      "60 min 0 s"
    ])
  })

  it("are dollars with cents, and with more where it is less than one", () => {
    assert.deepStrictEqual([0, 0.5, 0.1, 0.0000123, 1.239, null].map(costIn), [
      "$0.00",
      "$0.50",
      "$0.10",
      "$0.0000123",
      "$1.24",
      "cost not known"
    ])
  })
})
