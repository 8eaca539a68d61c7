import { assert, describe, it } from "vitest"
import { keptTask } from "#domain/keptTask.ts"

describe("a task as it is kept", () => {
  it("is whole up to 10,000 characters", () => {
    for (const task of ["", "t", "日本語".repeat(3_000), "x".repeat(10_000)]) assert.strictEqual(keptTask(task), task)
  })

  it("is its beginning and its end when it is longer, and says how long it was", () => {
    const kept = keptTask(`begin${"x".repeat(3_000_000)}end`)
    assert.match(kept, /^beginx+\n\[… of 3000008 characters the first 7400 and the last 2500 are kept …\]\nx+end$/)
    assert.isAtMost(kept.length, 10_000)
    assert.strictEqual(keptTask(kept), kept)
  })

  it("is well-formed wherever it is cut", () => {
    for (const shift of ["", "x"]) {
      const kept = keptTask(`${shift}${"\u{1f41f}".repeat(9_000)}${shift}`)
      assert.isTrue(kept.isWellFormed())
      assert.isAtMost(kept.length, 10_000)
    }
  })
})
