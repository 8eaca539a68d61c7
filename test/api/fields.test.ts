import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isLongerThan } from "#src/api/fields.ts"

describe("a value whose JSON is longer than it may be", () => {
  it.prop("is told, and no other", [Schema.Json], ([value]) => {
    const { length } = JSON.stringify(value)
    assert.isFalse(isLongerThan(value, length))
    assert.isTrue(isLongerThan(value, length - 1))
  })

  it("is told without a look at all of it", () => {
    let looks = 0
    const value = Object.defineProperty({}, "enum", {
      enumerable: true,
      get: () => {
        looks++
        return "a".repeat(1_000)
      }
    })
    assert.isTrue(isLongerThan(Array(1_000_000).fill(value), 65_536))
    assert.isAtMost(looks, 66)
    assert.isTrue(isLongerThan({ properties: { ["a".repeat(70_000)]: 1 } }, 65_536))
  })
})
