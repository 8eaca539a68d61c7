import { assert, it } from "@effect/vitest"
import { exp, log } from "#domain/search/exact.ts"
import { random } from "#test/random.ts"

it("gives logarithms and powers as Math does, but for their last bits", () => {
  const next = random(5)
  for (let at = 0; at < 20_000; at++) {
    const value = (next() - 0.5) * 200
    assert.closeTo(exp(value) / Math.exp(value), 1, 1e-13, `${value}`)
    const positive = Math.exp(value)
    assert.closeTo(log(positive), Math.log(positive), 1e-13 * (1 + Math.abs(value)), `${positive}`)
  }
  assert.deepStrictEqual([exp(0), log(1), exp(-1_000), exp(1_000)], [1, 0, 0, exp(700)])
})

// the same on every runtime: what these say was printed by one of them
it("gives the same bits on every runtime", () => {
  const written = [exp(1), exp(-0.1), log(3), log(0.7)].map(String).join(" ")
  assert.strictEqual(written, "2.7182818284590455 0.9048374180359595 1.0986122886681096 -0.3566749439387324")
})
