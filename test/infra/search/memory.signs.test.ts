import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { asked } from "#domain/search/query.ts"
import { comparingBy } from "#infra/search/memory/layer.ts"
import { VectorMemory } from "#infra/search/memory/VectorMemory.ts"
import { Vectors } from "#infra/search/memory/Vectors.ts"
import { type IndexQuery, SnippetIndex } from "#ports/SnippetIndex.ts"
import { embeddings, encoder } from "#test/embeddings.ts"
import { corpus, queries, queryOf, snippetOf } from "#test/evaluation.ts"
import { random } from "#test/random.ts"

const languages = ["python", "go", "rust"]
const snippets = [...corpus("mbpp"), ...corpus("agent30")].map((document, at) => ({
  ...snippetOf(document),
  home: at % 2 === 0 ? "home" : "other",
  isPublic: at % 3 !== 0,
  language: languages[at % 5] ?? "rust",
  up: at % 7,
  humanUp: at % 2,
  down: at % 4,
  completeness: (at % 5) / 4
}))
const short = [...queries("agent30"), ...queries("mbpp").slice(0, 60)].map(({ text }) => text)
const tasks = [
  ...short,
  ...short.slice(0, 30).map((_, at) => short.slice(at, at + 5).join(". ")),
  "parse zzzzqq",
  "重複を取り除く list"
]

/** What an index of these snippets has of each task; `all` compares every vector. */
const found = (how: { readonly exactUpTo: number; readonly share: number }, query: Partial<IndexQuery>, most: number) =>
  Effect.gen(function* () {
    const index = yield* SnippetIndex
    yield* index.apply({ put: snippets, voted: [], removed: [] }, { build: 1, position: 1 })
    yield* index.apply(
      { put: [], voted: [], removed: snippets.slice(0, 40).map(({ id }) => id) },
      { build: 1, position: 2 }
    )
    return yield* Effect.forEach(tasks, (task) => {
      const { limit: _limit, ...rest } = queryOf(task)
      const whole = { ...rest, homes: ["home"], includePublic: true, ...query, asked: asked(task, encoder) }
      return Effect.map(index.candidates(whole, most), (its) => ({
        ...its,
        candidates: its.candidates.toSorted((one, other) => (one.id < other.id ? -1 : 1))
      }))
    })
  }).pipe(Effect.provide(Layer.provideMerge(comparingBy(how), embeddings)))

const all = { exactUpTo: 1_000_000, share: 0 }

const kinds: ReadonlyArray<Partial<IndexQuery>> = [
  {},
  { includePublic: false, minVerdict: 0 },
  { language: "go", preferComplete: true },
  { minHumanUp: 1, also: new Set(snippets.slice(100, 120).map(({ id }) => id)) },
  { only: new Set(snippets.filter((_, at) => at % 27 === 0).map(({ id }) => id)) }
]

it.effect("gives by signs what the comparison of all gives, where the share is all of them", () =>
  Effect.forEach(kinds, (query) =>
    Effect.gen(function* () {
      const [exact, signs] = [yield* found(all, query, 50), yield* found({ exactUpTo: 0, share: 1 }, query, 50)]
      assert.deepStrictEqual(signs, exact)
      assert.isAbove(
        exact.reduce((sum, { candidates }) => sum + candidates.length, 0),
        1_000
      )
    })
  )
)

it.effect("finds the best among a few, with their very cosines, and counts all that share a word", () =>
  Effect.forEach(kinds, (query) =>
    Effect.gen(function* () {
      const most = 10
      const [exact, signs] = [yield* found(all, query, most), yield* found({ exactUpTo: 0, share: 0.1 }, query, most)]
      let [right, expected, fewer] = [0, 0, 0]
      for (const [at, its] of exact.entries()) {
        const other = signs[at]!
        assert.strictEqual(other.sharing, its.sharing, tasks[at]!)
        assert.isAtMost(other.near, its.near, tasks[at]!)
        if (other.near < its.near) fewer++
        const by = new Map(its.candidates.map((one) => [one.id, one]))
        for (const one of other.candidates) if (by.has(one.id)) assert.deepStrictEqual(one, by.get(one.id))
        right += other.candidates.filter(({ id }) => by.has(id)).length
        expected += its.candidates.length
      }
      assert.isAtLeast(right / expected, 0.98)
      // what passes a narrow filter is fewer than the share: nothing of it is left out
      if (query.only === undefined) assert.isAbove(fewer, 0)
      else assert.deepStrictEqual(signs, exact)
    })
  )
)

it("adds up the numbers of one to seven tasks with the signs of a vector", () => {
  for (const dimensions of [4, 12, 128]) {
    const next = random(dimensions)
    const vector = () => Float32Array.from({ length: dimensions }, () => next() - 0.5)
    const memory = new VectorMemory(dimensions)
    const vectors = new Vectors(memory)
    const own = Array.from({ length: 1_100 }, vector)
    for (const [slot, one] of own.entries()) vectors.set(slot, one)
    vectors.set(50, null)
    for (const count of [1, 2, 4, 5, 7]) {
      const asked = Array.from({ length: count }, vector)
      memory.ask(asked)
      const estimates = new Float32Array(1_102).fill(7)
      vectors.estimate(1_100, estimates, 1)
      for (const [slot, one] of own.entries()) {
        if (slot === 50) continue
        const sums = asked.map((query) => query.reduce((sum, number, at) => sum + (one[at]! > 0 ? number : -number), 0))
        const [whole, ...parts] = sums
        const expected = count === 1 ? whole! : 0.25 * Math.max(0, whole!) + 0.75 * Math.max(0, ...parts)
        assert.closeTo(estimates[slot + 1]!, expected, 1e-4, `${slot} of ${dimensions}, ${count} tasks`)
      }
      assert.closeTo(estimates[51]!, -memory.mostEstimate, 1e-4)
      assert.deepStrictEqual([estimates[0], estimates[1_101]], [7, 7])
      assert.isAtMost(Math.max(...estimates.subarray(1, 1_101)), memory.mostEstimate)
    }
  }
})
