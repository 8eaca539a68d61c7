import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { parseJson } from "#engine/parseJson.ts"

/** Names of these few characters often begin alike, before their escapes are read and after. */
const characters = ["\\", '"', "\n", "\u0000", "\ud800", "/", "n", "u", "a", ":", " "]
const name = (number: number): string =>
  number < characters.length
    ? characters[number]!
    : characters[number % characters.length]! + name(Math.floor(number / characters.length) - 1)

describe("JSON of strangers", () => {
  it("has the names that were written, whatever was read before", () => {
    for (let number = 0; number < 600; number++) {
      const one = JSON.stringify(name(number))
      for (const blanks of ["", " ", "\r\n\t"]) {
        const json = `{"#":0,${blanks}${one}${blanks}:${blanks}[{"#":0,${one}:0}]}`
        assert.strictEqual(JSON.stringify(parseJson(json)), `{"#":0,${one}:[{"#":0,${one}:0}]}`)
      }
    }
  })

  it.prop("is what was written", [Schema.Json], ([value]) => {
    const json = JSON.stringify(value)
    assert.strictEqual(JSON.stringify(parseJson(json)), json)
  })

  it("may have names that are numbers, the same twice, or that of what is inherited from", () => {
    const json = String.raw`{"\n":1,"b":2,"\u0031":3,"\u000a":4,"\u005f_proto__":{"\\":5},"\"":6}`
    assert.strictEqual(JSON.stringify(parseJson(json)), String.raw`{"1":3,"\n":4,"b":2,"__proto__":{"\\":5},"\"":6}`)
    assert.strictEqual(Object.getPrototypeOf(parseJson(json)), Object.prototype)
  })

  it("may nest deeper than a stack of calls", () => {
    const json = `${'[{"\\n":'.repeat(50_000)}1${"}]".repeat(50_000)}`
    let depth = 0
    for (let value = parseJson(json) as [{ "\n": never }] | 1; value !== 1; value = value[0]["\n"]) depth += 1
    assert.strictEqual(depth, 50_000)
  })

  it("that is none is refused", () => {
    for (const json of [
      '{"a":',
      '{"\\n":',
      '{"\\x":1}',
      '{"\\n":1,"',
      '{"\\n":1,"\\',
      '{"\\n":1}"a":',
      '"\\n":1',
      '{"\\\n":1}'
    ])
      assert.throws(() => parseJson(json), Error, /syntax|JSON/)
  })
})
