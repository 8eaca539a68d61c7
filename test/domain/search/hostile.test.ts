import { assert, describe, it } from "vitest"
import { filename } from "#domain/filename.ts"
import { errorsIn } from "#domain/functions/errors.ts"
import { telemetryIn } from "#domain/functions/telemetry.ts"
import { searchedTextOf } from "#domain/Repository/files.ts"
import { completeness } from "#domain/search/completeness.ts"
import { indexText } from "#domain/search/IndexedText.ts"
import { keptLog, logVector, logWords } from "#domain/search/logWords.ts"
import { normalForm } from "#domain/search/normalForm.ts"
import { schemaFilter } from "#domain/search/schemaFilter.ts"
import { taskTerms } from "#domain/search/taskTerms.ts"
import { tokenize } from "#domain/search/tokenize.ts"

const forms = ["NFC", "NFKC", "NFKD"] as const
const marks = "\u0345\u0301"
/** Whether marks are sorted around a character: whether it is one that a normal form may move. */
const moves = (first: string) => [`a${first}\u0334`, `a\u0300${first}`].some((text) => text.normalize("NFD") !== text)

describe("a normal form", () => {
  it("sorts no more than some marks in a row, whatever becomes one", () => {
    let found = 0
    for (let code = 0; code < 0x110000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue
      const character = String.fromCodePoint(code)
      if (!moves(String.fromCodePoint(character.normalize("NFKD").codePointAt(0)!))) continue
      found++
      // what is left of a run is as long whether it was of 80 or of 160
      for (const other of ["\u0301", character]) {
        const [short, long] = [40, 80].map((times) => normalForm(`a${`${character}${other}`.repeat(times)}`, "NFKD"))
        assert.strictEqual(long, short, code.toString(16))
      }
    }
    assert.isAbove(found, 500)
  })

  it("is what it always was of what people write", () => {
    for (const text of ["Größe", "naïve café", "ﬁle Ｆｉｌｅ", "ｶﾞｷﾞ", "한글", "ก้า", "e\u0301\u0327x", "क्षि", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A"])
      for (const form of forms) assert.strictEqual(normalForm(text, form), text.normalize(form))
  })
})

/** A million of each, which no text needs. */
const texts = [
  "a",
  "aB",
  "a1 ",
  "_",
  "x y ",
  "字",
  "字 ",
  "ﷺ",
  marks,
  "\uff9e\u0301",
  "é",
  " ",
  "\n",
  "\ud83d\ude00"
].map((unit) => unit.repeat(1_000_000 / unit.length))

describe("a text of a million characters", () => {
  it("gives no more terms and words than are kept", () => {
    for (const text of texts) {
      assert.isAtMost(tokenize(text).length, 200_000)
      assert.isAtMost(taskTerms(text).length, 128)
      assert.isAtMost(logVector(keptLog(text)).length, 1_000_000)
      assert.isAtMost(new Set(logWords(text)).size, 10_000)
      const { source, exampleQueries } = indexText({ source: text, exampleQueries: Array(50).fill(text) })
      for (const field of [source, exampleQueries]) assert.isAtMost(field.split(" ").length, 2_000)
      assert.isAtMost(filename({ path: text, name: text, language: "python", id: "0" }, new Set()).length, 100)
    }
  })

  it("is searched by the first 100,000 of them, and its tasks by their beginnings", () => {
    const filler = "word ".repeat(100_000)
    assert.include(tokenize(`early ${filler} late`), "earli")
    assert.notInclude(tokenize(`early ${filler} late`), "late")
    const tasks = Array.from({ length: 50 }, (_, n) => `asked${n} ${filler}`)
    for (const task of ["asked0", "asked49"]) assert.include(indexText({ exampleQueries: tasks }).exampleQueries, task)
  })
})

it("a repository of any size is found by as much text", () => {
  const content = "word ".repeat(200_000)
  for (const count of [1, 3, 1_000, 20_000]) {
    const files = Array.from({ length: count }, (_, n) => ({ path: n === 0 ? "README.md" : `file${n}.py`, content }))
    assert.isAtMost(searchedTextOf(files).length, 110_000)
  }
})

it("of a log its last errors are read, and of its reports what has room", () => {
  const head = "Traceback (most recent call last):\n"
  const error = (name: string) => `${head}  File "a.py", line 1, in f\n${name}: said\n`
  const log = `${error("FirstError")}${"\n".repeat(1_000_000)}${error("LastError")}`
  assert.deepStrictEqual(
    errorsIn(log).map(({ type }) => type),
    ["LastError"]
  )
  const report = (name: string, more: string) =>
    `--- CAIRN_TELEMETRY_START ---\n{"cairn_telemetry":{"functions":{"${name}":{"call_count":1}${more}}}}\n`
  const many = Array.from({ length: 100_000 }, (_, n) => `,"f${n}":{"call_count":1}`).join("")
  const read = telemetryIn([report("first", many), report("second", "")])
  assert.deepInclude(read[0], { name: "first", calls: 1 })
  assert.strictEqual(read.length, 200)
  // of seven long ones the first five have a million characters
  const long = [..."abcdefg"].map((name) => report(name, `,"-":{"x":"${"x".repeat(200_000)}"}`))
  for (const texts of [[long.join("")], [long.slice(0, 3).join(""), long.slice(3).join("")], long]) {
    assert.strictEqual(
      telemetryIn(texts)
        .map(({ name }) => name)
        .join(""),
      "abcde"
    )
  }
})

it("a stub stays one, however long the line that says so is", () => {
  assert.strictEqual(completeness(`fixme${")".repeat(99_000)}\u2028x`), 0.1)
  assert.strictEqual(completeness(`todo ${")".repeat(99_000)}`), 0)
  assert.strictEqual(completeness("throw new Error('not yet implemented');"), 0)
})

it("alternatives in alternatives of a schema are compared up to a bound, and beyond it they fit", () => {
  const nested = (depth: number, kind: string): object =>
    depth === 0
      ? { type: kind }
      : { anyOf: Array.from({ length: 16 }, () => ({ type: "object", properties: { a: nested(depth - 1, kind) } })) }
  const filter = schemaFilter({ properties: { a: nested(3, "string") } })!
  assert.isTrue(filter.accepts({ properties: { a: nested(3, "number") } }))
  assert.isFalse(filter.accepts({ properties: { a: { type: "number" } } }))
})
