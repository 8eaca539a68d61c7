import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { boosts, idf, occurrence, saturated } from "#domain/search/bm25f.ts"
import { noProfile } from "#domain/search/embeddings/Profile.ts"
import { eachTerm, type Field, fields } from "#domain/search/IndexedText.ts"
import { Lists } from "#infra/search/memory/Lists.ts"
import { layer } from "#infra/search/memory/layer.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import type { IndexedSnippet } from "#ports/SnippetIndex.ts"
import { embeddings, encoder, unread } from "#test/embeddings.ts"
import { worked } from "#test/hostile/processor.ts"
import { searching } from "#test/searching.ts"
import { changesContract } from "./changes.ts"
import { contract } from "./contract.ts"
import { meaningContract } from "./meaning.ts"

contract("memory", Layer.provideMerge(layer, embeddings))
changesContract("memory", Layer.provideMerge(layer, embeddings))
meaningContract("memory", Layer.provideMerge(layer, embeddings))

/** An index for tasks that mean nothing, so that only words count. */
const wordsOnly = Layer.provideMerge(
  layer,
  Layer.succeed(Embeddings, {
    ...encoder,
    query: () => ({ vector: new Float32Array(encoder.dimensions), read: 0 }),
    reading: () => unread
  })
)

/** Numbers in 0…1 that are the same in every run. */
const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

// Words without synonyms and that the stemmer leaves alone.
const words = Array.from({ length: 60 }, (_, n) => `w${n}`)

const snippetOf = (next: () => number, id: string): IndexedSnippet => {
  const field = (longest: number) => {
    const counts = new Map<string, number>()
    for (let at = 0; at < next() * longest; at++) {
      const word = words[Math.floor(next() ** 2 * words.length)]!
      counts.set(word, (counts.get(word) ?? 0) + 1)
    }
    return Array.from(counts, ([term, count]) => (count === 1 ? term : `${term}=${count}`)).join(" ")
  }
  const text = { name: field(4), description: field(15), exampleQueries: field(20), source: field(120) }
  const rest = { kind: "file", language: "python", up: 0, down: 0, humanUp: 0 } as const
  return {
    id,
    home: "h",
    isPublic: next() < 0.3,
    agent: null,
    text,
    vector: null,
    profile: noProfile,
    completeness: next(),
    ...rest
  }
}

const countsOf = (field: string) => {
  const counts = new Map<string, number>()
  eachTerm(field, (term, count) => counts.set(term, count))
  return counts
}

/** BM25F / self by its definition, over plain objects. */
const relevances = (snippets: ReadonlyArray<IndexedSnippet>, terms: ReadonlyArray<string>) => {
  const counted = snippets.map(({ id, text }) => ({
    id,
    fields: fields.map((field) => {
      const counts = countsOf(text[field])
      return { field, counts, length: [...counts.values()].reduce((sum, count) => sum + count, 0) }
    })
  }))
  const average = (field: Field) =>
    counted.reduce((sum, { fields }) => sum + fields.find((of) => of.field === field)!.length, 0) / counted.length
  const averages = {
    name: average("name"),
    description: average("description"),
    exampleQueries: average("exampleQueries"),
    source: average("source")
  }
  const weights = new Map(
    terms.flatMap((term): Array<[string, number]> => {
      const df = counted.filter(({ fields }) => fields.some(({ counts }) => counts.has(term))).length
      return df === 0 ? [] : [[term, idf(df, counted.length)]]
    })
  )
  const self = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
  return new Map(
    counted.flatMap(({ id, fields }): Array<[string, number]> => {
      let sum = 0
      for (const [term, weight] of weights) {
        const worth = fields.reduce(
          (all, { field, counts, length }) =>
            all + (counts.get(term) ?? 0) * occurrence(field, length, averages[field]),
          0
        )
        sum += saturated(weight, worth)
      }
      return sum === 0 ? [] : [[id, sum / self]]
    })
  )
}

it.effect("gives what BM25F by its definition gives, after any puts, votes and removals", () =>
  Effect.gen(function* () {
    const index = yield* searching
    const next = random(7)
    const kept = new Map<string, IndexedSnippet>()
    for (let round = 0; round < 12; round++) {
      const put = Array.from({ length: 150 }, () => snippetOf(next, `id-${Math.floor(next() * 400)}`))
      yield* index.put(put)
      for (const snippet of put) kept.set(snippet.id, snippet)
      const gone = [...kept.keys()].filter(() => next() < 0.25)
      yield* index.remove(gone)
      for (const id of gone) kept.delete(id)
      assert.strictEqual(yield* index.documents("h"), kept.size)
      const terms = [...new Set(Array.from({ length: 5 }, () => words[Math.floor(next() * words.length)]!))]
      const expected = relevances([...kept.values()], terms)
      const query = { task: terms.join(" "), homes: ["h"], includePublic: round % 2 === 0, agent: null }
      const answer = yield* index.likely({ ...query, preferComplete: false, minVerdict: 0, limit: 1_000 })
      assert.strictEqual(answer.total, expected.size)
      assert.strictEqual(answer.matches.length, expected.size)
      for (const { id, relevance } of answer.matches) assert.closeTo(relevance, expected.get(id)!, 1e-5, id)
    }
  }).pipe(Effect.provide(wordsOnly))
)

it.effect("lets others run while it takes in many snippets", () =>
  Effect.gen(function* () {
    const index = yield* searching
    const next = random(3)
    const snippets = Array.from({ length: 20_000 }, (_, n) => snippetOf(next, `${n}`))
    let longest = 0
    let last = worked(process.pid)
    const beat = Effect.sync(() => {
      const now = worked(process.pid)
      longest = Math.max(longest, now - last)
      last = now
    }).pipe(Effect.andThen(Effect.yieldNow), Effect.forever)
    yield* Effect.raceFirst(index.put(snippets), beat)
    assert.strictEqual(yield* index.documents("h"), 20_000)
    // milliseconds of work: 20 are the aim; where caches are cold it is some more
    assert.isBelow(longest, 150)
  }).pipe(Effect.provide(wordsOnly))
)

it("uses freed lists again", () => {
  const lists = new Lists()
  const big = Lists.sizeClass(100_000)
  const seen = new Set<number>()
  for (let round = 0; round < 100; round++) {
    const small = [1, 3, 5, 2_000].map(
      (words) => [lists.allocate(Lists.sizeClass(words)), Lists.sizeClass(words)] as const
    )
    const large = lists.allocate(big)
    for (const [address, sizeClass] of [...small, [large, big] as const]) {
      seen.add(address)
      lists.free(address, sizeClass)
    }
  }
  assert.strictEqual(seen.size, 5)
})

it("boosts every field", () => assert.deepStrictEqual(Object.keys(boosts), [...fields]))
