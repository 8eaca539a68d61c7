import { assert, describe, it } from "@effect/vitest"
import { tokenize } from "#domain/search/tokenize.ts"
import { worked } from "#test/hostile/processor.ts"

const meets = (one: string, other: string) => {
  const terms = new Set(tokenize(one))
  return tokenize(other).some((term) => terms.has(term))
}

describe("tokenize", () => {
  it("splits identifiers and keeps them whole in one spelling", () => {
    assert.deepStrictEqual(tokenize("readCsvFile"), ["read", "csv", "file", "readcsvfile"])
    assert.deepStrictEqual(tokenize("read_csv_file"), tokenize("readCsvFile"))
    assert.deepStrictEqual(tokenize("HTTPServer"), ["http", "server", "httpserver"])
    assert.deepStrictEqual(tokenize("parseJSON"), ["pars", "json", "parsejson"])
  })

  it("keeps numbers", () => {
    assert.deepStrictEqual(tokenize("sha256 3.14"), ["sha", "256", "sha256", "3", "14"])
  })

  it("leaves out what every request and program says", () => {
    assert.deepStrictEqual(tokenize("Write a python function to return the median"), ["median"])
    assert.deepStrictEqual(tokenize("def f(self): return None"), ["f"])
    assert.deepStrictEqual(tokenize(""), [])
  })

  it("folds accents, compatibility forms and case", () => {
    assert.deepStrictEqual(tokenize("Größe"), tokenize("GROSSE"))
    assert.deepStrictEqual(tokenize("résumé"), tokenize("resume"))
    assert.deepStrictEqual(tokenize("ＣＳＶ"), ["csv"])
    assert.deepStrictEqual(tokenize("Ångström"), tokenize("angstrom"))
  })

  it("finds words of every script, also inside longer runs", () => {
    assert.isTrue(meets("计算两个日期之间的天数", "日期"))
    assert.isTrue(meets("计算两个日期之间的天数", "数"))
    assert.isTrue(meets("ファイルを読み込む関数", "ファイル"))
    assert.isTrue(meets("데이터를 정렬하는 함수", "데이터"))
    assert.isTrue(meets("คำนวณจำนวนวัน", "จำนวน"))
    assert.isTrue(meets("сортировка списка", "СОРТИРОВКА"))
    assert.isTrue(meets("ταξινόμηση λίστας", "ΤΑΞΙΝΌΜΗΣΗ"))
    assert.isTrue(meets("מיון רשימה", "רשימה"))
    assert.isTrue(meets("फ़ाइल पढ़ना", "फ़ाइल"))
    assert.isTrue(meets("解析CSV文件", "csv"))
  })

  it("gives no term with a space, `=` or upper case, and none that is very long", () => {
    for (const text of [
      "a=b c=d x==y",
      "\u0000\ud800 x\udfff",
      "A".repeat(500),
      "🙂 emoji 𝒳",
      "İstanbul",
      "a\u2028b"
    ]) {
      for (const term of tokenize(text)) {
        assert.notMatch(term, /[\s=A-Z]/)
        assert.isAtMost(term.length, 64)
      }
    }
  })

  it("takes a text of a megabyte", () => {
    const start = worked(process.pid)
    tokenize("abc_Def ".repeat(130_000))
    tokenize("字".repeat(300_000))
    tokenize(`${"aB".repeat(400_000)} é`)
    assert.isBelow(worked(process.pid) - start, 5_000)
  })
})

it("words have the stems that stored terms were made with: others need a new version of the read model", () => {
  const examples = {
    caresses: "caress",
    ponies: "poni",
    cats: "cat",
    feed: "feed",
    agreed: "agre",
    plastered: "plaster",
    motoring: "motor",
    sing: "sing",
    conflated: "conflat",
    sized: "size",
    hopping: "hop",
    falling: "fall",
    filing: "file",
    happy: "happi",
    sky: "sky",
    relational: "relat",
    rational: "ration",
    digitizer: "digit",
    vietnamization: "vietnam",
    operator: "oper",
    hopefulness: "hope",
    sensibiliti: "sensibl",
    triplicate: "triplic",
    electrical: "electr",
    goodness: "good",
    adjustment: "adjust",
    adoption: "adopt",
    effective: "effect",
    rate: "rate",
    cease: "ceas",
    controll: "control",
    roll: "roll",
    year: "year"
  }
  assert.deepStrictEqual(Object.keys(examples).flatMap(tokenize), Object.values(examples))
})
