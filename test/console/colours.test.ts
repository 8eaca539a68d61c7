import { assert, describe, it } from "vitest"
import { coloured, linesOf, portionsOf, uncoloured } from "#src/console/code/colours.ts"
import { bearable, piecesOf } from "#src/console/visible.ts"

describe("a source that is coloured", () => {
  const paragraph = `def f(rows):\n${"    rows.append(1)\n".repeat(40)}\n`

  it("is given to its grammar little at a time, from one paragraph to the next, and all of it", () => {
    const source = paragraph.repeat(60)
    const portions = portionsOf(source)
    assert.strictEqual(portions.join(""), source)
    assert.isAbove(portions.length, 5)
    for (const portion of portions) {
      assert.isAtMost(portion.length, 6_000)
      assert.match(portion, /^def f/)
    }
  })

  it("is cut where paragraphs begin, also where lines end as on Windows", () => {
    const source = paragraph.repeat(60).replaceAll("\n", "\r\n")
    const portions = portionsOf(source)
    assert.strictEqual(portions.join(""), source)
    for (const portion of portions) assert.match(portion, /^def f/)
  })

  it("is cut between lines where it has no paragraphs", () => {
    const source = `${"x = 1 ".repeat(20)}\n`.repeat(400)
    const portions = portionsOf(source)
    assert.strictEqual(portions.join(""), source)
    for (const portion of portions) assert.isTrue(portion.length <= 6_000 && portion.endsWith("\n"))
  })

  it("is given to none where it, or one of its lines, is long: that may take minutes", async () => {
    // its package has this name in browsers alone
    const isGiven = (source: string) =>
      coloured(source, "java").then(
        () => false,
        () => true
      )
    assert.isTrue(await isGiven("a".repeat(1_000)))
    assert.isFalse(await isGiven(`x\n${"a".repeat(1_001)}\n`))
    assert.isTrue(await isGiven("a\n".repeat(100_000)))
    assert.isFalse(await isGiven(`${"a\n".repeat(100_000)}a`))
  })

  it("has the lines that it had, in however many portions", () => {
    const source = paragraph.repeat(60)
    assert.deepStrictEqual(
      linesOf(portionsOf(source).map((text) => [undefined, text])).length,
      uncoloured(source).length
    )
  })
})

describe("a text of which very much can't be seen", () => {
  it("shows so many by themselves, and a sign for each of the others", () => {
    const pieces = piecesOf("a\u202e".repeat(50_000))
    assert.isBelow(pieces.length, 3_000)
    assert.strictEqual(pieces.map((piece) => (typeof piece === "string" ? piece : "?")).join("").length, 100_000)
    const last = pieces.at(-1)!
    assert.isTrue(typeof last === "string" && last.endsWith("a\ufffda\ufffd") && !last.includes("\u202e"))
  })

  it("is shown with signs alone in a source; where lines end as on Windows nothing is unseen", () => {
    const windows = "x = 1\r\n".repeat(6_000)
    assert.strictEqual(bearable(windows), windows)
    const hostile = "\u200b\u202e\n".repeat(3_000)
    assert.strictEqual(bearable(hostile), "\ufffd\ufffd\n".repeat(3_000))
    assert.strictEqual(bearable("\u202e".repeat(5_000)).includes("\u202e"), true)
  })
})
