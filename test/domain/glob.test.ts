import { assert, it } from "@effect/vitest"
import { choicesOf } from "#domain/glob.ts"

it("the choices of a pattern's braces are counted", () => {
  const expected = {
    "a*b": 1,
    "{a}": 1,
    "{a,b}": 2,
    "a,b": 1,
    "{a,b}{c,d,e}": 6,
    "{a,{b,c}d}": 3,
    "{a,{b,c}{d,e}}": 5,
    "\\{a,b}": 1,
    "{a\\,b}": 1,
    "{a,b": 2,
    "}": 1
  }
  assert.deepStrictEqual(
    Object.fromEntries(Object.keys(expected).map((pattern) => [pattern, choicesOf(pattern)])),
    expected
  )
  assert.isAbove(choicesOf("{a,b}".repeat(400)), 1e100)
})
