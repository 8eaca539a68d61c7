import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
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

const words = tasks.map((task) => asked(task, encoder))

/** An index of these snippets; one whose `share` is 0 compares every vector. */
const filled = Effect.fnUntraced(function* (how: { readonly exactUpTo: number; readonly share: number }) {
  const index = Context.get(yield* Layer.build(Layer.provide(comparingBy(how), embeddings)), SnippetIndex)
  yield* index.apply({ put: snippets, voted: [], removed: [] }, { build: 1, position: 1 })
  yield* index.apply(
    { put: [], voted: [], removed: snippets.slice(0, 40).map(({ id }) => id) },
    { build: 1, position: 2 }
  )
  return index
})

/** What an index has of each task. */
const found = ({ candidates }: SnippetIndex["Service"], query: Partial<IndexQuery>, most: number) =>
  Effect.forEach(tasks, (task, at) => {
    const { limit: _limit, ...rest } = queryOf(task)
    const whole = { ...rest, homes: ["home"], includePublic: true, ...query, asked: words[at]! }
    return Effect.map(candidates(whole, most), (its) => ({
      ...its,
      candidates: its.candidates.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    }))
  })

const all = { exactUpTo: 1_000_000, share: 0 }

const kinds: ReadonlyArray<Partial<IndexQuery>> = [
  {},
  { includePublic: false, minVerdict: 0 },
  { language: "go", preferComplete: true },
  { minHumanUp: 1, also: new Set(snippets.slice(100, 120).map(({ id }) => id)) },
  { only: new Set(snippets.filter((_, at) => at % 27 === 0).map(({ id }) => id)) }
]

it.effect("gives by signs what the comparison of all gives, where the share is all of them", () =>
  Effect.gen(function* () {
    const [comparing, by] = [yield* filled(all), yield* filled({ exactUpTo: 0, share: 1 })]
    for (const query of kinds) {
      const [exact, signs] = [yield* found(comparing, query, 50), yield* found(by, query, 50)]
      assert.deepStrictEqual(signs, exact)
      assert.isAbove(
        exact.reduce((sum, { candidates }) => sum + candidates.length, 0),
        1_000
      )
    }
  })
)

it.effect("finds the best among a few, with their very cosines, and counts all that share a word", () =>
  Effect.gen(function* () {
    const [comparing, by] = [yield* filled(all), yield* filled({ exactUpTo: 0, share: 0.1 })]
    const most = 10
    for (const query of kinds) {
      const [exact, signs] = [yield* found(comparing, query, most), yield* found(by, query, most)]
      let [right, expected, fewer] = [0, 0, 0]
      for (const [at, its] of exact.entries()) {
        const other = signs[at]!
        assert.strictEqual(other.sharing, its.sharing, tasks[at]!)
        assert.isAtMost(other.near, its.near, tasks[at]!)
        if (other.near < its.near) fewer++
        const best = new Map(its.candidates.map((one) => [one.id, one]))
        for (const one of other.candidates) if (best.has(one.id)) assert.deepStrictEqual(one, best.get(one.id))
        right += other.candidates.filter(({ id }) => best.has(id)).length
        expected += its.candidates.length
      }
      assert.isAtLeast(right / expected, 0.98)
      // what passes a narrow filter is fewer than the share: nothing of it is left out
      if (query.only === undefined) assert.isAbove(fewer, 0)
      else assert.deepStrictEqual(signs, exact)
    }
  })
)

it("puts vectors in the order of what the numbers of one to seven tasks add up to with their signs", () => {
  for (const dimensions of [4, 12, 128, 1_536]) {
    const next = random(dimensions)
    const vector = () => Float32Array.from({ length: dimensions }, () => next() - 0.5)
    const memory = new VectorMemory(dimensions)
    const vectors = new Vectors(memory)
    const own = Array.from({ length: 1_100 }, vector)
    // slots that come one by one move the first block from size to size
    for (const [slot, one] of own.entries()) vectors.set(slot, one)
    vectors.set(50, null)
    vectors.set(50, own[50]!)
    for (const count of [1, 2, 4, 5, 7]) {
      const asked = Array.from({ length: count }, vector)
      memory.ask(asked)
      const estimates = new Uint16Array(1_102).fill(7)
      vectors.estimate(0, 1_100, estimates, 1)
      const expected = own.map((one) => {
        const sums = asked.map((query) => query.reduce((sum, number, at) => sum + (one[at]! > 0 ? number : -number), 0))
        const [whole, ...parts] = sums
        return count === 1 ? whole! : 0.25 * Math.max(0, whole!) + 0.75 * Math.max(0, ...parts)
      })
      // each four numbers are rounded by half a step, of which the widest four have 127 or fewer
      const fours = Array.from({ length: Math.ceil(dimensions / 8) * 2 }, (_, four) => four * 4)
      const widest = Math.max(
        ...asked.flatMap((query) =>
          fours.map((first) => query.subarray(first, first + 4).reduce((sum, one) => sum + 2 * Math.abs(one), 0))
        )
      )
      const step = widest / Math.min(127, Math.floor(65_535 / fours.length))
      const error = (fours.length / 2 + 3) * step
      const order = own.map((_, slot) => slot).sort((one, other) => expected[one]! - expected[other]!)
      let highest = { estimate: -1, sum: Number.NEGATIVE_INFINITY }
      for (const slot of order) {
        const estimate = estimates[slot + 1]!
        if (estimate > highest.estimate) highest = { estimate, sum: expected[slot]! }
        // who is put before one that comes to more comes to hardly less
        else assert.isAtMost(expected[slot]! - highest.sum, 2 * error, `${slot} of ${dimensions}, ${count} tasks`)
      }
      assert.isAbove(new Set(estimates).size, Math.min(40, dimensions))
      assert.deepStrictEqual([estimates[0], estimates[1_101]], [7, 7])
      assert.isAtMost(Math.max(...estimates), memory.mostEstimate)
    }
  }
})

it("compares slots that are listed as it does all of them", () => {
  const [dimensions, slots, first] = [128, 2_500, 64]
  const next = random(17)
  const memory = new VectorMemory(dimensions)
  const vectors = new Vectors(memory)
  for (let slot = 0; slot < slots; slot++)
    // the last block is shorter than its slots are many, and one in the middle has none
    if (slot < 1_000 || (slot > 2_100 && slot < 2_400))
      vectors.set(slot, next() < 0.1 ? null : Float32Array.from({ length: dimensions }, () => next() - 0.5))
  for (const count of [1, 2, 4, 5, 7]) {
    memory.ask(Array.from({ length: count }, () => Float32Array.from({ length: dimensions }, () => next() - 0.5)))
    const all = new Float32Array(slots)
    vectors.compare(0, slots, all)
    const listed = Uint32Array.from({ length: slots }, (_, slot) => slot + first).filter(() => next() < 0.4)
    const cosines = new Float32Array(listed.length + 2).fill(7)
    vectors.compareListed(listed, first, 1, listed.length, cosines)
    assert.deepStrictEqual([cosines[0], cosines[listed.length]], [7, 7])
    for (let at = 1; at < listed.length; at++) assert.strictEqual(cosines[at], all[listed[at]! - first])
  }
})
