import { assert, describe, it } from "@effect/vitest"
import { indexing, indexText } from "#domain/search/IndexedText.ts"
import { looked, tokenize, tokenizing } from "#domain/search/tokenize.ts"
import { atOnce, type Steps } from "#engine/steps.ts"

const stepsOf = (steps: Steps<unknown>): number => {
  let count = 1
  while (!steps.next().done) count += 1
  return count
}

/** As many words as are looked at, each of them another one. */
const words = Array.from({ length: looked / 4 }, (_, n) => (n + 46_656).toString(36)).join(" ")

describe("a long text is cut into terms in steps", () => {
  it("of a thousand words each, which give what one does", () => {
    const all = tokenize(words)
    assert.isAbove(all.length, 15_000)
    assert.isAtLeast(stepsOf(tokenizing(words)), Math.floor(looked / 5 / 1_000))
    assert.deepStrictEqual(atOnce(tokenizing(words)), all)
  })

  it("also when it becomes what a snippet is found by", () => {
    assert.isAbove(stepsOf(indexing({ name: "words", source: words })), stepsOf(tokenizing(words)))
    assert.strictEqual(indexText({ source: words }).source.split(" ").length, 2_000)
  })

  it("and a short one in a single step", () => {
    assert.strictEqual(
      stepsOf(indexing({ name: "csv rows", description: "reads rows", source: "def rows(): pass" })),
      1
    )
  })
})
