import { assert, it } from "@effect/vitest"
import { fieldCount, lengthCounted, occurrence } from "#domain/search/bm25f.ts"
import { fields } from "#domain/search/IndexedText.ts"
import { Occurrences } from "#infra/search/memory/words.ts"

it("what an occurrence is worth follows from the averages, whichever were asked for before", () => {
  const tables = new Occurrences()
  const all = Array.from({ length: 40 }, (_, n) => [2 + n / 8, 10, 0, 100 - n])
  for (const averages of [...all, ...all.toReversed(), ...all.slice(0, 3)]) {
    const table = tables.of(averages)
    for (let field = 0; field < fieldCount; field++)
      for (const length of [0, 1, 7, 100, lengthCounted])
        assert.strictEqual(
          table[field * (lengthCounted + 1) + length],
          Math.fround(occurrence(fields[field]!, length, averages[field]!))
        )
  }
})

it("a table is made once for the averages that were asked for lately", () => {
  const tables = new Occurrences()
  const first = tables.of([1, 2, 3, 4])
  assert.strictEqual(tables.of([1, 2, 3, 4]), first)
  assert.notStrictEqual(tables.of([1, 2, 3, 5]), first)
  for (let n = 0; n < 16; n++) tables.of([n, 0, 0, 0])
  assert.notStrictEqual(tables.of([1, 2, 3, 4]), first)
})
