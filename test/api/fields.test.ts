import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isSurelyLonger } from "#src/api/fields.ts"

describe("a value whose JSON is longer than it may be", () => {
  it.prop("is never told of one that is not", [Schema.Json], ([value]) => {
    assert.isFalse(isSurelyLonger(value, JSON.stringify(value).length))
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
    assert.isTrue(isSurelyLonger(Array(1_000_000).fill(value), 65_536))
    assert.isAtMost(looks, 66)
    assert.isTrue(isSurelyLonger({ properties: { ["a".repeat(70_000)]: 1 } }, 65_536))
  })
})
