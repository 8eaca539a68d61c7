import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { readTable } from "#domain/search/embeddings/EmbeddingTable.ts"
import type { EncodedText } from "#domain/search/embeddings/Encoder.ts"
import {
  hasDirection,
  meaningOf,
  meaningsOf,
  toUnit,
  type Vector,
  vectorToText
} from "#domain/search/embeddings/vector.ts"
import { encoder } from "#test/embeddings.ts"
import { corpus, queries } from "#test/evaluation.ts"
import golden from "./golden/embeddings.json" with { type: "json" }
import { plainEncoder } from "./plainEncoder.ts"

/** Equal to 1e-6 in every number: the reference's own results are 32-bit floats. */
const near = (actual: Vector, expected: ArrayLike<number>, what: string) => {
  assert.strictEqual(actual.length, expected.length, what)
  const most = actual.reduce((most, number, at) => Math.max(most, Math.abs(number - expected[at]!)), 0)
  assert.isAtMost(most, 1e-6, what)
}

const unit = (text: EncodedText): Vector => toUnit(encoder.snippet(text))
const cosine = (one: Vector, other: Vector) => one.reduce((sum, number, at) => sum + number * other[at]!, 0)
const length = (vector: Vector) => Math.sqrt(cosine(vector, vector))

describe("the encoder", () => {
  it("gives what the reference encoder gave", () => {
    assert.isAbove(golden.queries.length + golden.snippets.length, 10)
    for (const { text, vector } of golden.queries) near(encoder.query(text).vector, vector, text)
    for (const { snippet, vector } of golden.snippets) near(unit(snippet), vector, snippet.name)
  })

  it("gives what its definition does, for all development sets", () => {
    for (const set of ["mbpp", "agent30", "distractors"] as const) {
      for (const document of corpus(set)) near(unit(document), plainEncoder.snippet(document), document.id)
    }
    for (const { text } of [...queries("mbpp"), ...queries("agent30")]) {
      near(encoder.query(text).vector, plainEncoder.query(text), text)
    }
  })

  it("puts what means the like near, without a word in common", () => {
    const purge = unit({ name: "purge_messages", description: "", source: "" })
    const draw = unit({ name: "draw_polygon", description: "", source: "" })
    const { vector } = encoder.query("delete all old emails")
    assert.isAbove(cosine(vector, purge), cosine(vector, draw) + 0.3)
  })

  it("gives length 1, or zeros where nothing can be read", () => {
    for (const text of ["a", "sort a list", "x".repeat(100_000), "++", "ключ key"]) {
      assert.closeTo(length(encoder.query(text).vector), 1, 1e-6, text.slice(0, 20))
    }
    for (const text of ["", " ", "日本語", "ключ", "_ . ;"]) {
      assert.deepInclude(encoder.query(text), { read: 0 }, text)
      assert.isFalse(hasDirection(encoder.query(text).vector), text)
    }
    assert.isFalse(hasDirection(encoder.snippet({ name: "", description: "", source: "" })))
    assert.isFalse(hasDirection(encoder.tasks([])))
  })

  it("says how much of a query it can read", () => {
    assert.strictEqual(encoder.query("sort a list!").read, 1)
    assert.strictEqual(encoder.query("naïve café").read, 1)
    assert.closeTo(encoder.query("ключи 12345").read, 0.5, 1e-12)
  })

  it("takes of very many long tasks as much of each as there is room for", () => {
    const tasks = (count: number) =>
      Array.from({ length: count }, (_, n) => `draw polygon ${n} ${"purge messages ".repeat(99 * (n + 1))}`)
    const cut = (count: number, length: number) => tasks(count).map((task) => task.slice(0, length))
    assert.deepStrictEqual(encoder.tasks(tasks(20)), encoder.tasks(cut(20, 2_500)))
    assert.deepStrictEqual(encoder.tasks(tasks(100)), encoder.tasks(cut(100, 500)))
    assert.notDeepEqual(encoder.tasks(tasks(20)), encoder.tasks(cut(20, 500)))
  })

  it("takes tasks like a name", () => {
    const named = encoder.snippet({ name: "Removes old messages\nsort a list", description: "", source: "" })
    near(encoder.tasks(["Removes old messages", "sort a list"]), named, "two tasks")
  })
})

describe("a table that can't be read", () => {
  const header = { dim: 4, rows: 2, bits: 8, vocabBytes: 3, wn: 2, wd: 1.5, ws: 1, p: 0.5, qp: 0.5 }
  /** A table of two pieces, whose header is as told. */
  const table = (change: object = {}, magic = "SEM1") => {
    const json = JSON.stringify({ ...header, ...change })
    const text = `${json}a\nb`
    const start = Buffer.alloc(8)
    start.write(magic)
    start.writeUInt32LE(json.length, 4)
    const padding = Buffer.alloc((4 - ((8 + text.length) % 4)) % 4)
    return Buffer.concat([
      start,
      Buffer.from(text),
      padding,
      Buffer.from(Float32Array.of(0.5, 2).buffer),
      Buffer.alloc(8, 3)
    ])
  }

  it("is refused with what is wrong", () => {
    const read = readTable(table())
    assert.deepStrictEqual([String.fromCharCode(...read.pieces), read.scales[1], read.rows.length], ["a\nb", 2, 8])
    assert.isBelow(read.pieces.buffer.byteLength, table().length, "the file can be let go")
    assert.throws(() => readTable(Buffer.from("")), /does not begin with SEM1/)
    assert.throws(() => readTable(table({}, "SEM2")), /does not begin with SEM1/)
    assert.throws(() => readTable(table({ bits: 4 })), /4 bits/)
    assert.throws(() => readTable(table({ dim: 3 })), /multiples of 4/)
    assert.throws(() => readTable(table({ wn: "2" })), /must have the numbers/)
    assert.throws(() => readTable(table({ rows: 3 })), /3 pieces/)
    assert.throws(() => readTable(table().subarray(0, -1)), /bytes/)
  })
})

describe("a vector as text", () => {
  it("has the same direction again, to some millionths, and so has a sum of them", () => {
    const { vector } = encoder.query("sort a list")
    const other = encoder.snippet({ name: "median", description: "", source: "" })
    const again = meaningOf(vectorToText(vector))!
    assert.closeTo(length(again), 1, 1e-6)
    assert.closeTo(cosine(again, vector), 1, 1e-7)
    const sum = toUnit(vector.map((number, at) => number + other[at]!))
    assert.closeTo(cosine(meaningOf(vectorToText(vector), "", vectorToText(other))!, sum), 1, 1e-7)
    // what is asked differs from all of them
    const { vector: asked } = encoder.query("order the entries of an array")
    assert.closeTo(cosine(again, asked), cosine(vector, asked), 1e-5)
  })

  it("is a third of a kilobyte, and many of them are read at once", () => {
    const texts = ["sort a list", "日本語", "reverse it"].map((text) => vectorToText(encoder.query(text).vector))
    assert.deepStrictEqual(
      texts.map((text) => text.length),
      [348, 0, 348]
    )
    const each = texts.map((text) => meaningOf(text))
    assert.deepStrictEqual(meaningsOf(texts.map((text) => [text])), each)
    assert.deepStrictEqual(meaningsOf([["", ""], []]), [null, null])
  })

  it("is empty for what means nothing", () => {
    const nothing = vectorToText(encoder.query("日本語").vector)
    assert.deepStrictEqual([nothing, meaningOf(nothing, ""), meaningOf()], ["", null, null])
  })

  it("does not depend on the machine's order of bytes", () => {
    const bytes = Buffer.from("000000400040ff7f0180", "hex")
    assert.strictEqual(vectorToText(Float32Array.of(1, 2, -2)), bytes.toString("base64"))
  })
})

describe("the table of the installation", () => {
  it("is the one that the read model's version stands for", async () => {
    const { tableDigest } = await import("#domain/search/embeddings/tableDigest.ts")
    const { Snippets } = await import("#projections/Snippets/tables.ts")
    // another table makes other vectors: with a new digest here goes a new version
    assert.deepStrictEqual([Snippets.version, tableDigest.slice(0, 8)], [10, "c846e04e"])
    const notice = readFileSync(new URL("../../../infra/search/embeddings/NOTICE", import.meta.url), "utf8")
    assert.include(notice, "Weights derived from sentence-transformers/all-MiniLM-L6-v2, Apache License 2.0")
  })
})
