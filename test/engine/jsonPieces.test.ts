import { assert, describe, it } from "vitest"
import { hasText, jsonPieces } from "#engine/jsonPieces.ts"

const values: ReadonlyArray<unknown> = [
  ...[null, true, 0, -0, 1e21, Number.NaN, "", "a", [], {}, [[]], [{}], { a: undefined }, [undefined]],
  ...[
    "\n".repeat(300_000),
    "\u0001".repeat(70_000),
    "字😀".repeat(70_000),
    `${"a".repeat(65_535)}😀${"b".repeat(70_000)}`
  ],
  ...["\ud83d".repeat(70_000), `${"a".repeat(65_535)}\ud83d`, `x${"\ude00".repeat(70_000)}`],
  Array.from({ length: 5_000 }, (_, n) => n),
  Array.from({ length: 2_500 }, (_, n) => (n % 1_100 === 0 ? { n, text: "t".repeat(20_000) } : "short")),
  Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k"${n}`, n % 3 === 0 ? undefined : [n, { a: null }]])),
  { at: new Date(0), a: [[[[[[[[[["deep", "d".repeat(40_000)]]]]]]]]]], "\ud800": 1, "é\n": "x".repeat(20_000) }
]

describe("JSON in pieces", () => {
  it("is the JSON of the whole", () => {
    for (const value of values) assert.strictEqual([...jsonPieces(value)].join(""), JSON.stringify(value))
  })

  it("has no piece that is much longer than 64 Ki characters", () => {
    const value = { matches: Array.from({ length: 20 }, () => ({ source: "\n".repeat(1_048_576), tags: ["a"] })) }
    const lengths = [...jsonPieces(value)].map(({ length }) => length)
    assert.isAtMost(Math.max(...lengths), 3 * 65_536)
    assert.isAtLeast(lengths.length, (20 * 2 * 16) / 3)
  })

  it("has none either of a value of many parts that have no text", () => {
    const many = [Array.from({ length: 200_000 }, () => ({})), Array.from({ length: 200_000 }, () => [null])]
    for (const value of many) {
      const pieces = [...jsonPieces(value)]
      assert.isAtMost(Math.max(...pieces.map(({ length }) => length)), 2 * 65_536)
      assert.strictEqual(pieces.join(""), JSON.stringify(value))
    }
  })

  it("is made of as many levels as JSON.stringify goes down", () => {
    let value: unknown = 1
    for (let level = 0; level < 1_500; level++) value = level % 2 === 0 ? [value] : { a: value }
    assert.strictEqual([...jsonPieces(value)].join(""), JSON.stringify(value))
  })

  it("of a small value is one piece", () => {
    assert.strictEqual([...jsonPieces({ a: ["b", { c: 1 }] })].length, 1)
  })
})

describe("a value has much text", () => {
  it("by its texts, its names and its numbers", () => {
    for (const value of ["a".repeat(100), ["a".repeat(50), { b: "c".repeat(50) }], { ["n".repeat(100)]: 1 }])
      assert.deepStrictEqual([hasText(value, 100), hasText(value, 105)], [true, false])
    assert.isTrue(
      hasText(
        Array.from({ length: 1_000 }, () => 0),
        1_000
      )
    )
    assert.isFalse(hasText(null, 100))
  })

  it("is not looked at any further once that is known", () => {
    const value = {
      a: "x".repeat(100),
      b: {
        get c(): never {
          throw new Error("looked at")
        }
      }
    }
    assert.isTrue(hasText(value, 100))
  })
})
