import { assert, describe, it } from "vitest"
import { JsonFault, JsonReader } from "#engine/json.ts"

const bounds = { depth: 200, values: 20_000 }

/** Reads bytes in pieces of so many. */
const read = (bytes: Uint8Array, size: number, within = bounds): unknown => {
  const reader = new JsonReader(within)
  for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size))
  return reader.end()
}

const thrown = (run: () => unknown): JsonFault | undefined => {
  try {
    run()
  } catch (error) {
    if (error instanceof JsonFault) return error
    throw error
  }
  return undefined
}
const faultOf = (run: () => unknown): string => thrown(run)?.fault ?? "none"

const utf8 = (text: string) => new TextEncoder().encode(text)

const good = [
  ...['{"a":1}', " [ ] ", "{}", '""', "0", "-0", "1.5e-7", "1e999", "true", "false", "null", "\t\r\n 7 \n"],
  ...['{"__proto__":{"x":1},"constructor":2}', '{"a":1,"b":2,"a":3}', '{"":[[],{},[{}]]}', '{"10":1,"9":2}'],
  ...['"\\u00e9\\ud83d\\ude00\\\\\\"\\/\\b\\f\\n\\r\\t"', '"\\\\"', '["\\\\","\\"",":"]', '"é€😀"', "\u{feff}[1]"],
  JSON.stringify({ text: 'line\n"quoted" \\ \u0001 \u2028 😀'.repeat(20), more: [null, { deep: [[["x"]]] }] })
]

const bad = [
  ...[
    "{",
    "}",
    "[1,]",
    "[,1]",
    '{"a":1,}',
    '{"a"}',
    '{"a" 1}',
    "{a:1}",
    "{'a':1}",
    "[1 2]",
    "1 2",
    "[1]]",
    "[1}",
    "nul"
  ],
  ...[
    "01",
    "1.",
    ".5",
    "+1",
    "-",
    "0x1",
    "NaN",
    "Infinity",
    "undefined",
    '"',
    '"\\',
    '"\\x"',
    '"\\u12"',
    '"\n"',
    '"a" "b"'
  ],
  ...["[", '["a', "tru e", "truefalse", ",", ":", '{"a":}', '{"a"::1}', '{,"a":1}', "/**/1", " ", "\n"],
  `-${"1".repeat(1_000)}`
]

describe("JSON that is read as it comes", () => {
  it.each(good)("is what JSON.parse reads: %s", (text) => {
    const expected = JSON.parse(text.replace(/^\u{feff}/u, ""))
    for (const size of [1, 2, 3, 5, 7, 64, 1_000_000]) {
      const value = read(utf8(text), size)
      assert.deepStrictEqual(value, expected)
      assert.strictEqual(JSON.stringify(value), JSON.stringify(expected))
    }
    assert.strictEqual(({} as { x?: number }).x, undefined)
  })

  it.each(bad)("is refused where JSON.parse refuses it: %s", (text) => {
    for (const size of [1, 2, 3, 1_000_000])
      assert.strictEqual(
        faultOf(() => read(utf8(text), size)),
        "syntax",
        text
      )
  })

  it("agrees with JSON.parse on whatever a byte more or less makes of it", () => {
    const whole = '{"a":[1,-2.5e3,{"b":"x\\n\\u00e9\\\\"}],"c":null,"d":true,"":"é"}'
    for (let at = 0; at < whole.length; at++) {
      for (const put of ["", '"', "\\", "{", "}", "[", "]", ",", ":", "0", "-", "e", " ", "\n", "u"]) {
        const text = whole.slice(0, at) + put + whole.slice(at + 1)
        let expected: unknown
        let fails = false
        try {
          expected = JSON.parse(text)
        } catch {
          fails = true
        }
        if (fails)
          assert.strictEqual(
            faultOf(() => read(utf8(text), 4)),
            "syntax",
            text
          )
        else assert.deepStrictEqual(read(utf8(text), 4), expected, text)
      }
    }
  })

  it("is refused where a text is none, with its place", () => {
    const wrong: ReadonlyArray<readonly [string, string]> = [
      ['"\\ud800"', ""],
      ['{"a":{"b":["x","a\\u0000"]}}', "a.b.1"],
      ['{"a":"\\ude00\\ud83d"}', "a"],
      ['{"a":"x\\ud83d"}', "a"],
      ['{"a":[1,{"b\\u0000":1}]}', "a.1"],
      ['{"a":1,"\\ude00":1}', ""]
    ]
    for (const [text, place] of wrong) {
      for (const size of [1, 3, 100]) {
        const fault = thrown(() => read(utf8(text), size))
        assert.deepStrictEqual([fault?.fault, fault?.path.join(".")], ["text", place], `${text} by ${size}`)
      }
    }
  })

  it("is nothing when nothing came", () => {
    assert.strictEqual(read(utf8(""), 1), undefined)
  })

  it("is refused when it is not UTF-8, also where that shows at its end only", () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc3, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x31, 0xc3]
    ]) {
      for (const size of [1, 10])
        assert.strictEqual(
          faultOf(() => read(Uint8Array.from(bytes), size)),
          "encoding"
        )
    }
  })

  it("is refused as soon as it is too deep or has too many values, whatever else would come", () => {
    const deep = (levels: number) => utf8("[".repeat(levels) + "]".repeat(levels))
    assert.strictEqual(
      faultOf(() => read(deep(200), 7)),
      "none"
    )
    assert.strictEqual(
      faultOf(() => read(deep(201), 7)),
      "depth"
    )
    const many = (values: number) => utf8(JSON.stringify(Array.from({ length: values - 1 }, () => 0)))
    assert.strictEqual(
      faultOf(() => read(many(20_000), 999)),
      "none"
    )
    assert.strictEqual(
      faultOf(() => read(many(20_001), 999)),
      "values"
    )
    const reader = new JsonReader({ depth: 200, values: 3 })
    reader.write(utf8('{"a":1,"b":2,'))
    assert.strictEqual(
      faultOf(() => reader.write(utf8('"c":3' + ","))),
      "values"
    )
  })
})
