import { assert, describe, it } from "@effect/vitest"
import { vi } from "vitest"
import type { EmbeddingTable } from "#domain/search/embeddings/EmbeddingTable.ts"
import { Desk, type Products, Reading } from "#domain/search/embeddings/Reading.ts"
import { multiplying } from "#infra/search/embeddings/products.ts"
import { collectGarbage } from "#test/collectGarbage.ts"

const tableOf = (dimensions: number, rows: ReadonlyArray<ReadonlyArray<number>>): EmbeddingTable => ({
  dimensions,
  pieces: new TextEncoder().encode(rows.map((_, number) => `piece${number}`).join("\n")),
  rows: Int8Array.from(rows.flat()),
  scales: new Float32Array(rows.length).fill(0.5),
  weights: { name: 1, description: 1, source: 1 },
  powers: { snippet: 0.5, query: 0.5 }
})

/** Of the numbers of a row and another one. */
const productOf = ({ rows, dimensions }: EmbeddingTable, one: number, other: number): number => {
  let sum = 0
  for (let at = 0; at < dimensions; at++) sum += rows[one * dimensions + at]! * rows[other * dimensions + at]!
  return sum
}

const some = (dimensions: number, rows: number): EmbeddingTable => {
  let state = 7
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 24) - 128
  }
  const random = Array.from({ length: rows }, () => Array.from({ length: dimensions }, next))
  return tableOf(dimensions, [
    Array.from({ length: dimensions }, () => -128),
    Array.from({ length: dimensions }, () => 127),
    ...random
  ])
}

describe("products of rows", () => {
  for (const dimensions of [8, 16, 24, 128, 512]) {
    it(`are those of whole numbers, of ${dimensions} numbers a row`, () => {
      const given = some(dimensions, 60)
      const { table, products } = multiplying(given)
      const all = Array.from({ length: 62 }, (_, row) => row)
      for (const others of [[3], [1, 0], all, all.toReversed()]) {
        for (const row of all) {
          const expected = others.map((other) => productOf(given, row, other))
          assert.deepStrictEqual([...products(row, others).subarray(0, others.length)], expected)
        }
      }
      assert.deepStrictEqual([...table.rows], [...given.rows])
      assert.deepStrictEqual([...table.scales], [...given.scales])
    })
  }

  it("are nothing of no rows, and of a row that the table does not have", () => {
    const { products } = multiplying(some(8, 2))
    assert.deepStrictEqual([...products(4, [0, 1]).subarray(0, 2)], [0, 0])
    assert.deepStrictEqual([...products(65_535, [0, 1]).subarray(0, 2)], [0, 0])
    products(0, [])
    assert.notStrictEqual(products(0, [1])[0], 0)
  })

  it("let go of the bytes that the table was read from", async () => {
    const read = () => {
      const given = some(8, 2)
      return { ...multiplying(given), bytes: [given.rows, given.scales].map(({ buffer }) => new WeakRef(buffer)) }
    }
    const { table, products, bytes } = read()
    await vi.waitFor(() => {
      collectGarbage()
      assert.strictEqual(bytes.filter((one) => one.deref() !== undefined).length, 0)
    }, 60_000)
    assert.deepStrictEqual([products(0, [1])[0], table.scales.length], [-128 * 127 * 8, 4])
  })

  it("are of rows of whole steps only", () => {
    assert.throws(() => multiplying(some(4, 2)), /multiples of 8/)
  })
})

/** Readings at one desk, and how often it multiplied. */
const sitting = (given: EmbeddingTable) => {
  const { table, products } = multiplying(given)
  const asked: Array<number> = []
  const counting: Products = (row, others) => {
    asked.push(row)
    return products(row, others)
  }
  const rows = { ...table, norms: new Float64Array(table.scales.length), products: counting }
  const desk = new Desk(table.scales.length)
  const reading = (...pieces: ReadonlyArray<number>) =>
    new Reading({ ...rows, desk }, new Map(pieces.map((piece) => [piece, 1])))
  return { reading, asked }
}

const cosinesOf = (reading: Reading, row: number): ReadonlyArray<number> => {
  const from = reading.of(row)
  return [...reading.cosines.subarray(from, from + reading.pieces.length)]
}

describe("a task's reading", () => {
  const given = some(128, 600)
  const cosine = (one: number, other: number) =>
    productOf(given, one, other) / (Math.sqrt(productOf(given, one, one)) * Math.sqrt(productOf(given, other, other)))

  it("says how near each row is to each of its pieces, and reckons each once", () => {
    const { reading, asked } = sitting(given)
    const one = reading(5, 6, 7, 8, 9)
    for (let round = 0; round < 2; round++)
      for (let row = 0; row < 600; row++)
        assert.deepStrictEqual(
          cosinesOf(one, row),
          one.pieces.map((piece) => cosine(row, piece))
        )
    assert.strictEqual(asked.length, 600)
  })

  it("says the same of two tasks that are read in turns", () => {
    const { reading } = sitting(given)
    const tasks = [reading(5, 6, 7), reading(8, 9, 10, 11, 12), reading(5)]
    for (let row = 0; row < 200; row++) {
      for (const one of tasks) {
        const expected = one.pieces.map((piece) => cosine(row, piece))
        assert.deepStrictEqual(cosinesOf(one, row), expected)
        assert.deepStrictEqual(
          cosinesOf(one, 0),
          one.pieces.map((piece) => cosine(0, piece))
        )
      }
    }
  })

  it("lets go what one task took beyond the usual", () => {
    const { reading } = sitting(some(8, 10_000))
    const large = reading(...Array.from({ length: 32 }, (_, piece) => piece))
    for (let row = 0; row < 10_000; row++) large.of(row)
    assert.isAtLeast(large.cosines.length, 160_000)
    const small = reading(1)
    small.of(2)
    assert.strictEqual(small.cosines.length, 262_144)
  })
})
