import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { PieceTree } from "#domain/search/embeddings/PieceTree.ts"
import { pieceCounts } from "#domain/search/embeddings/pieces.ts"
import { folding } from "#domain/search/folded.ts"
import { normalForm } from "#domain/search/normalForm.ts"
import { firstTerms, tokenize } from "#domain/search/tokenize.ts"
import { atOnce } from "#engine/steps.ts"

const letters = Schema.Array(Schema.Literals(["a", "b", "1"])).check(Schema.isMaxLength(6))
const table = Schema.Array(Schema.Tuple([Schema.Boolean, letters])).check(Schema.isMaxLength(40))

const treeOf = (pieces: Iterable<string>) => new PieceTree(new TextEncoder().encode([...pieces].join("\n")))

/** What a tree is to find: each length is tried, the longest first. */
const tried = (numbers: ReadonlyMap<string, number>, word: string, at: number) => {
  for (let end = word.length; end > at; end--) {
    const number = numbers.get(`${at === 0 ? "" : "##"}${word.slice(at, end)}`)
    if (number !== undefined) return { end, number }
  }
  return { end: at, number: -1 }
}

it.prop("a tree finds the longest piece at each place of a word", [table, letters], ([pieces, word]) => {
  const named = pieces.filter(([, piece]) => piece.length > 0)
  const texts = new Set(named.map(([continues, piece]) => `${continues ? "##" : ""}${piece.join("")}`))
  const numbers = new Map([...texts].map((text, number) => [text, number]))
  const tree = treeOf(texts)
  for (let at = 0; at < word.length; at++) {
    const end = tree.longest(word.join(""), at)
    assert.deepStrictEqual({ end, number: tree.number }, tried(numbers, word.join(""), at))
  }
})

it("letters that no piece has end it", () => {
  // the edge of á at the root has the number of a's where pieces go on
  const tree = treeOf(["a", "##a"])
  assert.deepStrictEqual([tree.longest("\u00e1a", 0), tree.longest("\u{1f600}", 0), tree.longest("", 0)], [0, 0, 0])
  assert.throws(() => treeOf(["a", "\u00e1"]), /piece 1 is not of ASCII/)
})

it("a piece that is there twice is refused: one of its rows would never be used", () => {
  assert.throws(() => treeOf(["ab", "##ab", "a", "##ab"]), /piece 3 is also piece 1/)
})

it("of a word that is no piece its beginning is cut into pieces, and only of its first 64 letters", () => {
  const tree = treeOf(["ab", "##ab", "##b"])
  const counts = (text: string) => [...pieceCounts(text, tree)]
  assert.deepStrictEqual(counts("ab"), [[0, 1]])
  assert.deepStrictEqual(counts("abbab AB"), [
    [0, 2],
    [2, 1],
    [1, 1]
  ])
  assert.deepStrictEqual(counts("xab"), [[1, 1]])
  assert.deepStrictEqual(counts("ab".repeat(1_000)), [
    [0, 1],
    [1, 31]
  ])
})

const characters = Schema.Array(
  Schema.Literals([
    "a",
    "B",
    "é",
    "e\u0301",
    "\u0301",
    "\u0345",
    "ﷺ",
    "ﬁ",
    "ß",
    "字",
    "한",
    "\u1112",
    "\u1161",
    "ｶ",
    "ﾞ",
    " ",
    "=",
    "\u0338",
    "😀"
  ])
).check(Schema.isMinLength(1), Schema.isMaxLength(12))
const repeated = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_500 }))

/** Folded on end, without a look at where a text may be cut. */
const onEnd = (text: string): string =>
  normalForm(text, "NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .replaceAll("ß", "ss")

it.prop("a text is folded by pieces as on end, and once is enough", [characters, repeated], ([some, times]) => {
  const text = some.join("").repeat(times)
  const folded = atOnce(folding(text, 1_000_000))
  assert.strictEqual(folded, onEnd(text))
  assert.strictEqual(atOnce(folding(folded, 1_000_000)), folded)
})

it("a text is folded by pieces as on end wherever it is cut", () => {
  for (const one of ["e\u0301", "a\u0345\u0301", "=\u0338", "\u1112\u1161\u11ab", "ｶﾞ", "😀", "ﷺ"])
    for (let before = 2_044; before <= 2_048; before++) {
      const text = `${"x".repeat(before)}${one.repeat(1_500)}`
      assert.strictEqual(atOnce(folding(text, 1_000_000)), onEnd(text), `${before} ${one}`)
    }
})

const ascii = Schema.Array(
  Schema.Literals(["read", "Csv", "HTTP", "x", "_", "$", "'", " ", "\n", "42", "running", "==", "the"])
)

it.prop("a text of ASCII has the terms that it has among others", [ascii], ([words]) => {
  const text = words.join("")
  // a dash is no part of a word, and leads past the way that ASCII takes
  assert.deepStrictEqual(tokenize(text), tokenize(`${text} —`))
  assert.deepStrictEqual(atOnce(folding(text, 1_000_000)), text)
})

const texts = Schema.Array(Schema.Literals(["a", "read", "Csv", "_", " ", "é", "読", "み", "7", "running"]))
const most = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 }))

it.prop("a text's first distinct terms are those that it begins with", [texts, most], ([words, most]) => {
  const text = words.join("")
  assert.deepStrictEqual(firstTerms(text, most), [...new Set(tokenize(text))].slice(0, most))
})
