import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { noProfile } from "#domain/search/embeddings/Profile.ts"
import { toUnit, type Vector } from "#domain/search/embeddings/vector.ts"
import { merged, parts } from "#domain/search/query.ts"
import { layer } from "#infra/search/memory/layer.ts"
import { VectorMemory } from "#infra/search/memory/VectorMemory.ts"
import { Vectors } from "#infra/search/memory/Vectors.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import type { IndexedSnippet } from "#ports/SnippetIndex.ts"
import type { Sought } from "#src/snippets/find.ts"
import { encoder } from "#test/embeddings.ts"
import { searching } from "#test/searching.ts"

const dimensions = 128

/** Numbers in 0…1 that are the same in every run. */
const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}
const vector = (next: () => number): Vector => toUnit(Float32Array.from({ length: dimensions }, () => next() - 0.5))

/** By its definition, in 64-bit floats. */
const cosine = (one: Vector, other: Vector): number =>
  Math.max(
    0,
    one.reduce((sum, number, at) => sum + number * other[at]!, 0)
  )

/** How near a vector is to a task and its parts. */
const nearness = (own: Vector, [whole, ...others]: ReadonlyArray<Vector>): number =>
  others.length === 0
    ? cosine(own, whole!)
    : merged(cosine(own, whole!), Math.max(...others.map((other) => cosine(own, other))))

describe("vectors in memory", () => {
  it("gives the cosines by their definition, for one to seven queries, in blocks of every size", () => {
    const next = random(5)
    for (const slots of [1, 3, 4, 5, 100, 1023, 1024, 1025, 2100]) {
      const memory = new VectorMemory(dimensions)
      const vectors = new Vectors(memory)
      const own = Array.from({ length: slots }, () => (next() < 0.1 ? null : vector(next)))
      for (const [slot, one] of own.entries()) vectors.set(slot, one)
      for (const count of [1, 2, 4, 5, 7]) {
        const queries = Array.from({ length: count }, () => vector(next))
        memory.ask(queries)
        const cosines = new Float32Array(slots + 3).fill(7)
        vectors.compare(0, slots, cosines)
        for (const [slot, one] of own.entries()) {
          const expected = one === null ? 0 : nearness(one, queries)
          assert.closeTo(Math.max(0, cosines[slot]!), expected, 1e-5, `${slot} of ${slots}, ${count} queries`)
        }
        // what lies behind is another segment's
        assert.deepStrictEqual([...cosines.subarray(slots)], [7, 7, 7])
      }
    }
  })

  it("is as exact of one query in whole numbers, of any number of dimensions, also where sums are the greatest", () => {
    const next = random(17)
    for (const dimensions of [4, 12, 100, 128, 132, 256, 1_000, 4_096]) {
      const memory = new VectorMemory(dimensions)
      const vectors = new Vectors(memory)
      const like = (number: (at: number) => number): Vector =>
        toUnit(Float32Array.from({ length: dimensions }, (_, at) => number(at)))
      const sign = (at: number) => (at % 3 === 0 ? -1 : 1)
      // what the second part of a query takes in is the greatest, too, where it is half of the first one's 1
      const half = (at: number) => sign(at) * (at === 0 ? 1 : 2_046.5 / 2_047)
      const own = [like(() => 1), like(sign), like(half), like((at) => (at === 1 ? 1 : 0)), like(() => next() - 0.5)]
      for (const [slot, one] of own.entries()) vectors.set(slot, one)
      const queries = [...own, like((at) => -sign(at)), new Float32Array(dimensions)]
      for (const query of queries) {
        memory.ask([query])
        const cosines = new Float32Array(own.length)
        vectors.compare(0, own.length, cosines)
        const listed = new Float32Array(own.length)
        vectors.compareListed(Uint32Array.from(own.keys()), 0, 0, own.length, listed)
        for (const [slot, one] of own.entries()) {
          const expected = one.reduce((sum, number, at) => sum + number * query[at]!, 0)
          assert.closeTo(cosines[slot]!, expected, 1e-5, `${dimensions} dimensions, ${slot}`)
          assert.strictEqual(listed[slot], cosines[slot])
        }
      }
    }
  })

  it("keeps segments apart, uses freed blocks again, and leaves nothing in them", () => {
    const next = random(9)
    const memory = new VectorMemory(dimensions)
    const [one, other] = [new Vectors(memory), new Vectors(memory)]
    const own = Array.from({ length: 40 }, () => vector(next))
    for (const [slot, each] of own.entries()) (slot % 2 === 0 ? one : other).set(slot >> 1, each)
    const nearnessOf = (vectors: Vectors, slots: number, query: Vector) => {
      memory.ask([query])
      const cosines = new Float32Array(slots)
      vectors.compare(0, slots, cosines)
      return [...cosines]
    }
    for (const [slot, each] of own.entries()) {
      assert.closeTo(nearnessOf(slot % 2 === 0 ? one : other, 20, each)[slot >> 1]!, 1, 1e-5)
    }
    one.set(3, null)
    assert.strictEqual(nearnessOf(one, 20, own[6]!)[3], 0)
    one.free()
    const block = memory.allocate(32)
    assert.isTrue(memory.isBlank(block))
    assert.closeTo(nearnessOf(other, 20, own[1]!)[0]!, 1, 1e-5)
  })

  it("refuses a vector of another table", () => {
    assert.throws(() => new Vectors(new VectorMemory(dimensions)).set(0, new Float32Array(4)), /4 numbers/)
  })
})

describe("the index", () => {
  const next = random(13)
  const meanings = new Map<string, Vector>()
  // vectors at random are all unlike each other: these have a few directions, and stray from them
  const directions = Array.from({ length: 12 }, () => vector(next))
  const stray = (from: Vector): Vector => toUnit(vector(next).map((number, at) => number + from[at]!))
  /** An encoder to which each text means something of its own. */
  const invented = Layer.provideMerge(
    layer,
    Layer.succeed(Embeddings, {
      ...encoder,
      query: (text) => {
        const known = meanings.get(text) ?? vector(next)
        meanings.set(text, known)
        return { vector: known, read: 1 }
      }
    })
  )
  const nothing = { name: "", description: "", exampleQueries: "", source: "" }
  const snippetOf = (id: string): IndexedSnippet => ({
    id,
    home: "h",
    isPublic: next() < 0.3,
    agent: null,
    text: nothing,
    vector: next() < 0.05 ? null : stray(directions[Math.floor(next() * 12)]!),
    profile: noProfile,
    completeness: 0.5,
    kind: "file",
    language: "python",
    up: 0,
    down: 0,
    humanUp: 0
  })
  const asked = (task: string): Sought => ({
    task,
    homes: ["h"],
    includePublic: false,
    agent: null,
    preferComplete: false,
    minVerdict: 0,
    limit: 1_000
  })

  it.effect("finds what means the like, after any puts and removals, and nothing below a score of 0.2", () =>
    Effect.gen(function* () {
      const index = yield* searching
      const kept = new Map<string, IndexedSnippet>()
      let found = 0
      for (let round = 0; round < 8; round++) {
        const put = Array.from({ length: 300 }, () => snippetOf(`id-${Math.floor(next() * 900)}`))
        yield* index.put(put)
        for (const snippet of put) kept.set(snippet.id, snippet)
        const gone = [...kept.keys()].filter(() => next() < 0.25)
        yield* index.remove(gone)
        for (const id of gone) kept.delete(id)
        const task = round % 2 === 0 ? `task ${round}` : `${`A sentence of task ${round}. `.repeat(12)} And another.`
        meanings.set(parts(task).at(-1)!, stray(directions[round]!))
        const answer = yield* index.likely(asked(task))
        const queries = parts(task).map((part) => meanings.get(part)!)
        assert.strictEqual(queries.length > 1, round % 2 === 1)
        const expected = [...kept.values()].flatMap(({ id, vector }) => {
          const near = vector === null ? 0 : nearness(vector, queries)
          return 0.75 * near >= 0.2 ? [[id, near] as const] : []
        })
        assert.strictEqual(answer.total, expected.length)
        const cosines = new Map(expected)
        for (const { id, vector, score, relevance } of answer.matches) {
          assert.closeTo(vector, cosines.get(id)!, 1e-5, id)
          assert.closeTo(relevance, 0.75 * vector, 1e-12)
          assert.closeTo(score, relevance, 1e-12)
        }
        found += answer.total
      }
      assert.isAbove(found, 100)
    }).pipe(Effect.provide(invented))
  )
})
