import { assert, describe, it } from "@effect/vitest"
import { keptLog, logPreview, logVector, logWords } from "#domain/search/logWords.ts"

describe("the words of a log", () => {
  it("are whole and in parts, and none is left out", () => {
    assert.deepStrictEqual(logWords("ModuleNotFoundError: None is not a read_csv2"), [
      ...["modulenotfounderror", "module", "not", "found", "error", "none", "is", "a", "readcsv2", "read", "csv", "2"]
    ])
    assert.deepStrictEqual(logWords("?! … \u0000"), [])
    assert.deepStrictEqual(logWords(`${"x".repeat(65)} ﬁle Ünï`), ["file", "ünï"])
  })

  it("have their places, as many as fit", () => {
    assert.strictEqual(logVector("error: no Error"), "error:1,3 no:2")
    assert.strictEqual(logVector(""), "")
    const many = logVector(Array.from({ length: 200_000 }, (_, n) => `w${n} same`).join(" "))
    assert.isBelow(many.split(" ").length, 5_001)
    assert.match(many, /\bsame:2,4(?:,\d+){18} /)
    // as bytes of UTF-8 too, whatever a character comes to in the end
    assert.isBelow(Buffer.byteLength(logVector("㌀ﷺ".repeat(5).concat(" ").repeat(20_000))), 1_000_000)
    const wide = Array.from({ length: 5_000 }, (_, n) => `${"日".repeat(60)}${n.toString(36).padStart(4, "い")}`).join(
      " "
    )
    assert.isBelow(Buffer.byteLength(logVector(wide)), 1_000_000)
    assert.match(logVector("a'b & c | d:e \\ <-> !f"), /^[\p{L}\p{N}:, \d]+$/u)
  })

  it("are those of its beginning and its end when it is long", () => {
    assert.strictEqual(keptLog("short"), "short")
    const kept = keptLog(`first ${"🎉".repeat(100_000)} last`)
    assert.isTrue(kept.startsWith("first") && kept.endsWith("last"))
    assert.isBelow(kept.length, 100_100)
    assert.isTrue(kept.isWellFormed())
    assert.match(kept, /\[… 1000\d\d characters …\]/)
  })
})

describe("the preview of a log", () => {
  const log = `${"line\n".repeat(200)}error alone\n${"line\n".repeat(200)}the error was a missing key\n${"line\n".repeat(200)}`

  it("is of the place with most of the words", () => {
    const preview = logPreview(log, ["missing", "error", "key"])
    assert.include(preview, "the error was a missing key")
    assert.match(preview, /^….*…$/s)
    assert.isAtMost(preview.length, 302)
  })

  it("is the beginning where no word is", () => {
    assert.strictEqual(logPreview("short log", ["nothing"]), "short log")
    assert.isTrue(logPreview(log, []).startsWith("line"))
    assert.isTrue(logPreview(`${"🎉".repeat(400)}word`, ["word"]).isWellFormed())
    assert.include(logPreview("İ error", ["error"]), "error")
  })
})
