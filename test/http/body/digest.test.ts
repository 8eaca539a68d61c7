import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { valueDigest } from "#src/http/middleware/body/digest.ts"

const digest = (value: unknown) => valueDigest("secret", value)

describe("the digest of a value", () => {
  it.effect("is the same whatever the order of fields, and whether what is absent is null", () =>
    Effect.gen(function* () {
      const one = yield* digest({ a: 1, b: { c: [1, null, "x"], d: null }, e: undefined })
      assert.strictEqual(yield* digest({ b: { c: [1, null, "x"] }, a: 1 }), one)
      assert.match(one, /^[0-9a-f]{64}$/)
    })
  )

  it.effect("is another one for every other value and every other secret", () =>
    Effect.gen(function* () {
      const long = "x".repeat(65_535)
      const values = [
        ...[undefined, null, 0, -1, 1.5, "1", 1, true, "true", "", "a", [], [[]], {}, { a: [] }, { a: {} }, [{}]],
        ...[["a", "b"], ["ab"], ["a,b"], { a: "b", c: "d" }, { a: 'b"1:c"1:d' }, [1, 2], [12], [null, 1], [1, null]],
        ...[`${long}😀`, `${long}😁`, `${long}😀x`, `${long}x`, `x${long}😀`]
      ]
      const digests = new Set<string>()
      for (const value of values) digests.add(yield* digest(value))
      digests.add(yield* valueDigest("another", 1))
      assert.strictEqual(digests.size, values.length + 1)
    })
  )

  it.effect("stays what it is, also of what is deep: a write that is sent again must be known", () =>
    Effect.gen(function* () {
      const deep = (depth: number): unknown => {
        if (depth === 0) return { b: null, a: [1, "x", { c: [] }], d: {} }
        return depth % 2 ? [deep(depth - 1), depth] : { [`n${depth}`]: deep(depth - 1), a: true }
      }
      const z = Array.from({ length: 300 }, () => deep(150))
      assert.strictEqual(
        yield* digest({ z, y: "\n".repeat(100_000), x: null, w: [null, false, 1.5] }),
        "64bcc687c50360291daf7be0535d6824d72cef5a55e55dc866198c02ab7f6414"
      )
    })
  )
})
