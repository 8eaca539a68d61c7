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

/** The most terms that are given in one step. */
const mostAtOnce = (text: string): number => {
  const push = Array.prototype.push
  let [count, most] = [0, 0]
  // biome-ignore lint/suspicious/noExplicitAny: counts what is added to any array
  Array.prototype.push = function (...items: Array<any>) {
    count += items.length
    return push.apply(this, items)
  }
  try {
    const steps = tokenizing(text)
    for (;;) {
      count = 0
      const { done } = steps.next()
      most = Math.max(most, count)
      if (done) return most
    }
  } finally {
    Array.prototype.push = push
  }
}

/** Words that are texts of their own: each as long as what is looked at. */
const hostile = {
  "Chinese without a space": "计算两个日期之间的天数",
  "one character": "字",
  Thai: "คำนวณจำนวนวัน",
  Khmer: "គណនាចំនួនថ្ងៃ",
  Korean: "데이터정렬",
  "capitals and small letters": "aB",
  "scripts in turn": "字a",
  "a ligature of eighteen letters": "ﷺ",
  "letters with a mark": "x\u0301",
  "marks alone": "\u0301\u0345",
  "emoji put together": "👩‍👩‍👧‍👦"
}

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

  it.each(Object.entries(hostile))("also where it has no spaces: %s", (_, unit) => {
    const text = unit.repeat(Math.ceil(looked / unit.length))
    const all = tokenize(text)
    assert.isAtMost(mostAtOnce(text), 3_500)
    assert.isAtLeast(stepsOf(tokenizing(text)), Math.floor(all.length / 3_500))
  })

  it("and a short one in a single step", () => {
    assert.strictEqual(
      stepsOf(indexing({ name: "csv rows", description: "reads rows", source: "def rows(): pass" })),
      1
    )
  })
})
