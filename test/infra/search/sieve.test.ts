import { assert, it } from "@effect/vitest"
import { Sieve } from "#infra/search/memory/Sieve.ts"

const terms = (kind: string, count: number) => Array.from({ length: count }, (_, n) => `${kind}${n * 7}`)

const passed = (sieve: Sieve, some: ReadonlyArray<string>) => some.filter((term) => sieve.mayHave(term)).length

it("a sieve lets all terms through that were added, and few others, however many there are", () => {
  const others = terms("other", 20_000)
  const sieve = new Sieve()
  assert.strictEqual(passed(sieve, others), 0)
  let added = 0
  for (const [count, share] of [
    [1_000, 0],
    [32_768, 0.000_5],
    [400_000, 0.002]
  ] as const) {
    const all = terms("term", count)
    for (const term of all.slice(added)) sieve.add(term)
    added = count
    assert.strictEqual(passed(sieve, all), count)
    assert.isAtMost(passed(sieve, others), share * others.length)
  }
})

it("terms that come again take no room", () => {
  const sieve = new Sieve()
  const some = terms("term", 1_000)
  for (let round = 0; round < 200; round++) for (const term of some) sieve.add(term)
  assert.strictEqual(passed(sieve, terms("other", 20_000)), 0)
  assert.strictEqual(passed(sieve, some), 1_000)
})

it("a sieve takes as much memory as its terms need", () => {
  const before = process.memoryUsage().external
  const sieves = Array.from({ length: 100 }, () => new Sieve())
  for (const sieve of sieves) for (const term of terms("term", 100)) sieve.add(term)
  assert.isAtMost((process.memoryUsage().external - before) / 100, 256 * 1_024)
  assert.lengthOf(sieves, 100)
})
