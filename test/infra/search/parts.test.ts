import { assert, describe, it } from "vitest"
import { Parts } from "#infra/search/memory/Parts.ts"

const many = 40_000
const names: { readonly [kind: string]: (at: number) => string } = {
  "ids that differ at their end": (at) => `018f0000-4000-8000-${at.toString(16).padStart(12, "0")}`,
  "ids that differ at their beginning": (at) => `${at.toString(16).padStart(8, "0")}-4000-8000-0123456789ab`,
  words: (at) => `w${at.toString(36)}`
}

/** How many entries a map has at the most to which another one is added meanwhile. */
const largestOf = (work: () => void): number => {
  const { set } = Map.prototype
  let largest = 0
  Map.prototype.set = function (this: Map<unknown, unknown>, key, value) {
    largest = Math.max(largest, this.size)
    return set.call(this, key, value) as never
  }
  try {
    work()
  } finally {
    Map.prototype.set = set
  }
  return largest
}

describe.each(Object.entries(names))("a map in parts, of %s", (_, nameOf) => {
  it("has what a map has", () => {
    const parts = new Parts<number>()
    const expected = new Map<string, number>()
    for (let at = 0; at < many; at++) {
      for (const one of [parts, expected]) {
        one.set(nameOf(at), at)
        if (at % 3 === 0) one.delete(nameOf(at))
        if (at % 5 === 0) one.set(nameOf(at >> 1), -at)
      }
    }
    for (let at = 0; at < many; at++)
      if (parts.get(nameOf(at)) !== expected.get(nameOf(at))) assert.fail(`${nameOf(at)} is another's`)
  })

  it("grows by a small part at a time", () => {
    const parts = new Parts<number>()
    assert.isAtMost(
      largestOf(() => {
        for (let at = 0; at < many; at++) parts.set(nameOf(at), at)
      }),
      16_384
    )
  })
})
