import { assert, describe, it } from "@effect/vitest"
import { completeness } from "#domain/search/completeness.ts"
import { eachTerm, indexText } from "#domain/search/IndexedText.ts"
import { asked, parts, plan } from "#domain/search/query.ts"
import {
  completenessOdds,
  leastRelevance,
  leastScore,
  relevance,
  score,
  verdict,
  verdictOdds,
  wordShare
} from "#domain/search/score.ts"
import { synonymsOf } from "#domain/search/synonyms.ts"
import { unread } from "#test/embeddings.ts"

const sigmoid = (logit: number) => 1 / (1 + Math.exp(-logit))
const logit = (value: number) => Math.log(value / (1 - value))

describe("score", () => {
  it("takes an unvoted snippet's relevance as it is", () => {
    assert.strictEqual(verdict(0, 0), 0.5)
    assert.closeTo(score(0.37, verdictOdds(verdict(0, 0))), 0.37, 1e-12)
  })

  it("is σ(logit R + 0.3 · clamp(logit V, ±1.5) + 0.6 · (completeness − 0.5))", () => {
    const v = verdict(3, 1)
    assert.closeTo(score(0.4, verdictOdds(v)), sigmoid(logit(0.4) + 0.3 * logit(v)), 1e-12)
    assert.closeTo(score(0.4, verdictOdds(verdict(500, 0))), sigmoid(logit(0.4) + 0.45), 1e-12)
    assert.closeTo(score(0.4, completenessOdds(0.9)), sigmoid(logit(0.4) + 0.24), 1e-12)
  })

  it("falls below the usual minimum after three downvotes", () => {
    assert.isAbove(verdict(0, 2), 0.3)
    assert.isBelow(verdict(0, 3), 0.3)
  })

  it("stays in 0…1", () => {
    for (const r of [0, 1, 0.5]) {
      for (const v of [verdict(0, 10_000), verdict(10_000, 0)]) {
        const value = score(r, verdictOdds(v) * completenessOdds(1))
        assert.isTrue(value > 0 && value < 1)
      }
    }
    assert.deepStrictEqual([wordShare(0, 0), wordShare(1, 2), wordShare(3, 2)], [0, 0.5, 1])
    assert.deepStrictEqual([relevance(0, -0.5, 1), relevance(1, 1.0000001, 1)], [0, 1])
  })

  it("takes three quarters of the relevance from the meaning, less when only a part of the query could be read", () => {
    assert.closeTo(relevance(0.8, 0.4, 1), 0.25 * 0.8 + 0.75 * 0.4, 1e-12)
    assert.closeTo(relevance(0.8, 0.4, 0.5), 0.625 * 0.8 + 0.375 * 0.4, 1e-12)
    assert.strictEqual(relevance(0.8, 0, 0), 0.8)
  })

  it("knows the least relevance that can still reach the least score", () => {
    const praised = verdictOdds(verdict(10_000, 0))
    assert.closeTo(score(leastRelevance(false), praised), leastScore, 1e-12)
    assert.closeTo(score(leastRelevance(true), praised * completenessOdds(1)), leastScore, 1e-12)
  })
})

describe("parts", () => {
  it("leaves a short task whole", () => assert.deepStrictEqual(parts("  sort a list "), ["sort a list"]))

  it("of up to 200 characters is whole, and of one more is not", () => {
    const task = (size: number) => `sort a list. ${"x".repeat(size - 13)}`
    assert.deepStrictEqual(parts(task(200)), [task(200)])
    assert.deepStrictEqual(parts(task(201)), [task(201), "sort a list.", "x".repeat(188)])
  })

  it("splits a long task at its sentences and keeps the whole", () => {
    const sentence = "Read the file that was exported last night and keep the rows of the finance team only."
    const task = Array.from({ length: 4 }, () => sentence).join(" ")
    const [whole, ...others] = parts(task)
    assert.strictEqual(whole, task)
    assert.deepStrictEqual(others, [`${sentence} ${sentence}`, `${sentence} ${sentence}`])
  })

  it("never gives more than seven, and loses little of a long task", () => {
    for (const task of ["x".repeat(20_000), "word ".repeat(4_000), "Do it now. ".repeat(1_800), "字".repeat(20_000)]) {
      const all = parts(task)
      assert.isAtMost(all.length, 7)
      assert.isAtLeast(all.slice(1).join(" ").length, task.trim().length * 0.75)
    }
  })

  it("takes a task that has half a character, whatever comes before and behind it", () => {
    const half = "\ud83d"
    for (const task of [
      `${half} ${"x".repeat(300)}`,
      `${`${half} `.repeat(200)}${"y".repeat(250)}`,
      half.repeat(500)
    ]) {
      const [whole, ...others] = parts(task)
      assert.strictEqual(whole, task)
      assert.isAtMost(others.length, 6)
    }
  })

  it("takes a task of any length, of which its beginning and its end are searched", () => {
    for (const filler of ["x", "word ", "Do it now. ", "字", "\n", " ", "\u0345\u0301"]) {
      const all = parts(`first thing. ${filler.repeat(1_000_000)} last thing`)
      assert.isAtMost(all.length, 7)
      assert.isAtMost(all.join("").length, 60_000)
      assert.include(all[0], "first thing")
      assert.include(all[0], "last thing")
    }
  })
})

describe("plan", () => {
  /** What is asked for by a text, and what it weighs among documents of which so many have a term. */
  const planned = (text: string, documents: number, counts: Record<string, number>) => {
    const words = asked(text, { query: () => ({ vector: new Float32Array(0), read: 0 }), reading: () => unread })
    const { texts, self } = plan(
      words,
      documents,
      words.terms.map((term) => counts[term] ?? 0)
    )
    return { terms: texts[0]!, self, named: texts[0]!.map((some) => some.map(({ term }) => words.terms[term])) }
  }

  it("leaves out what no document has", () => {
    assert.deepStrictEqual(planned("zebra crossing", 10, {}), { terms: [], self: 0, named: [] })
  })

  it("counts an unknown word as its rarest synonym", () => {
    const { terms, self, named } = planned("email", 10, { mail: 1 })
    assert.deepStrictEqual(named, [["mail"]])
    assert.strictEqual(self, terms[0]![0]!.weight)
  })

  it("weighs a rare word more", () => {
    const [rare, common] = planned("median list", 100, { median: 1, list: 90 }).terms
    assert.isAbove(rare![0]!.weight, common![0]!.weight)
    assert.isAbove(common![0]!.weight, 0)
  })

  it("knows synonyms both ways", () => {
    assert.include(synonymsOf("email"), "mail")
    assert.include(synonymsOf("mail"), "email")
    assert.notInclude(synonymsOf("mail"), "mail")
  })
})

describe("indexText", () => {
  const text = {
    name: "sort_list",
    path: "/a/sort_list.py",
    description: "Sorts.",
    tags: ["ordering"],
    source: "x = x"
  }

  it("counts terms by field", () => {
    const indexed = indexText(text)
    const source: Array<[string, number]> = []
    eachTerm(indexed.source, (term, count) => source.push([term, count]))
    assert.deepStrictEqual(source, [["x", 2]])
    assert.strictEqual(indexed.name, "sort list sortlist")
    assert.strictEqual(indexed.description, "sort order")
    assert.strictEqual(indexed.exampleQueries, "")
  })

  it("survives JSON", () => assert.deepStrictEqual(JSON.parse(JSON.stringify(indexText(text))), indexText(text)))

  it("cuts only what is new", () => {
    const before = indexText(text)
    assert.deepStrictEqual(indexText({ exampleQueries: ["order names"] }, before), {
      ...before,
      exampleQueries: "order name"
    })
    assert.deepStrictEqual(indexText({}, before), before)
  })
})

describe("completeness", () => {
  it("is 0 for stubs", () => {
    for (const stub of [
      "",
      "# TODO",
      "def f():\n    pass",
      'def f(x):\n    """Does it."""\n    ...',
      "def f():\n    raise NotImplementedError()",
      "def f(x):\n    # TODO: write this\n    pass\n",
      "export function f() {\n  throw new Error('not implemented')\n}",
      "export const f = (a: number) => {\n  // TODO\n}",
      "fn f() -> i32 {\n    todo!()\n}",
      "import os\n\nclass A:\n    def f(self):\n        pass"
    ]) {
      assert.strictEqual(completeness(stub), 0, stub)
    }
  })

  it("grows with lines of code, up to 20", () => {
    assert.closeTo(completeness("def f(a, b):\n    # adds\n\n    return a + b"), 2 / 20, 1e-12)
    assert.strictEqual(completeness(Array.from({ length: 50 }, (_, n) => `x${n} = ${n}`).join("\n")), 1)
    assert.strictEqual(completeness("def f(): return 1"), 1 / 20)
  })
})
