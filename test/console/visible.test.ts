import { assert, describe, it } from "vitest"
import { piecesOf, plain } from "#src/console/visible.ts"

describe("a text of somebody's", () => {
  it("stays as it is where all of it can be seen", () => {
    for (const text of [
      "",
      "def f():\n\treturn 1",
      "naïve — 漢字, עברית, العربية",
      "a\u00a0b",
      "👩‍💻 and 👍🏽 and ✔️",
      "<script>alert(1)</script>"
    ])
      assert.deepStrictEqual(piecesOf(text), text === "" ? [] : [text], JSON.stringify(text))
  })

  it("shows what turns it around, joins it or hides in it", () => {
    assert.strictEqual(
      plain("if access\u202e\u2066 // only admins\u2069"),
      "if access[U+202E][U+2066] // only admins[U+2069]"
    )
    assert.strictEqual(plain("pay\u200bpal\ufeff"), "pay[U+200B]pal[U+FEFF]")
    assert.strictEqual(plain("a\u00adb\u3164c\u2028d"), "a[U+00AD]b[U+3164]c[U+2028]d")
    assert.strictEqual(plain("x\u{e0041}\u{e0100}"), "x[U+E0041][U+E0100]")
    assert.strictEqual(plain("half \ud800."), "half [U+D800].")
  })

  it("shows what would move a terminal's cursor", () => {
    assert.strictEqual(plain("\u001b[2Jgone\u0007\u007f\u009b"), "[␛][2Jgone[␇][␡][U+009B]")
    assert.strictEqual(plain("shown\rhidden"), "shown[␍]hidden")
    assert.strictEqual(plain("one\r\ntwo\r\n"), "one\ntwo\n")
  })

  it("says what it is that would not be seen", () => {
    assert.deepStrictEqual(piecesOf("\u202e"), [{ shown: "U+202E", name: "U+202E, right-to-left override" }])
    assert.deepStrictEqual(piecesOf("\u0001"), [{ shown: "␁", name: "U+0001, control character" }])
  })

  it("joins emoji, and nothing else", () => {
    assert.deepStrictEqual(piecesOf("👩\u200d💻"), ["👩\u200d💻"])
    assert.strictEqual(plain("a\u200db"), "a[U+200D]b")
    assert.strictEqual(plain("👩\u200da"), "👩[U+200D]a")
  })

  it("is split in a time that grows with its length", () => {
    const text = "\u200d\u202e".repeat(50_000)
    assert.strictEqual(plain(text).length, 100_000 + 7 * 1_000)
  })

  it("says what is unseen however many lines there are before it", () => {
    const lines = "line\r\n".repeat(5_000)
    assert.strictEqual(plain(`${lines}pay\u200bpal`), `${"line\n".repeat(5_000)}pay[U+200B]pal`)
  })
})
