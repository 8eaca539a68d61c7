import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { asTable, modelWeightsIn, ofModel } from "#domain/search/modelWeights.ts"
import { asked } from "#domain/search/query.ts"
import { rank } from "#domain/search/rank.ts"
import { byMeaning } from "#domain/search/ranker.ts"
import { layer } from "#infra/search/memory/layer.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import { SnippetIndex } from "#ports/SnippetIndex.ts"
import { embeddings, encoder } from "#test/embeddings.ts"
import { csv, median, query, snippet } from "#test/infra/indexed.ts"

const weights = { low: 0.6, high: 0.9, meaning: 0.75, judge: byMeaning }

it("a model's cosine is taken for the table's, and back", () => {
  assert.strictEqual(asTable(0.3, undefined), 0.3)
  assert.closeTo(asTable(0.6, { weights }), 0, 1e-12)
  assert.closeTo(asTable(0.9, { weights }), 1, 1e-12)
  assert.closeTo(ofModel(asTable(0.71, { weights }), { weights }), 0.71, 1e-12)
  assert.deepStrictEqual(modelWeightsIn(JSON.parse(JSON.stringify(weights))), weights)
})

it.effect("vectors of a model whose cosines are all high find as the table's do, once they are taken for them", () =>
  Effect.gen(function* () {
    const task = "middle value of numbers"
    const dimensions = encoder.dimensions + 4
    /** The cosine c becomes low + (high - low)·c: a part that all have in common. */
    const lifted = (vector: Float32Array) => {
      const wide = new Float32Array(dimensions)
      const share = Math.sqrt(weights.high - weights.low)
      for (const [at, number] of vector.entries()) wide[at] = share * number
      wide[encoder.dimensions] = Math.sqrt(weights.low)
      return wide
    }
    const homes = ["model"]
    const snippets = [snippet("model", "a", median), snippet("model", "b", csv)]
    const found = (wide: boolean) =>
      Effect.gen(function* () {
        const index = yield* SnippetIndex
        const put = snippets.map((one) => (wide ? { ...one, vector: one.vector && lifted(one.vector) } : one))
        yield* index.apply({ put, voted: [], removed: [] }, { build: 1, position: 1 })
        const words = asked(task, encoder)
        const model = { called: "m", weights }
        const meant = wide ? { ...words, meanings: words.meanings.map(lifted), read: 1, model } : { ...words, read: 1 }
        const { task: _task, limit, ...rest } = query(task, homes)
        const candidates = yield* index.candidates({ ...rest, asked: meant }, limit)
        const { matches, total } = rank(meant, candidates, { preferComplete: false, limit }, encoder.pieceText)
        return { matches, total, near: candidates.near }
      }).pipe(
        Effect.provide(Layer.fresh(layer)),
        Effect.provideService(Embeddings, { ...encoder, dimensions: wide ? dimensions : encoder.dimensions })
      )
    const [byTable, byModel] = [yield* found(false), yield* found(true)]
    assert.isAbove(byTable.matches.length, 0)
    assert.deepStrictEqual([byModel.total, byModel.near], [byTable.total, byTable.near])
    assert.deepStrictEqual(
      byModel.matches.map(({ id }) => id),
      byTable.matches.map(({ id }) => id)
    )
    for (const [at, { score, vector, explanation }] of byModel.matches.entries()) {
      // 16 bits of a vector are fewer for a part of it that is three tenths of the whole
      assert.closeTo(score, byTable.matches[at]!.score, 3e-4)
      assert.closeTo(vector, byTable.matches[at]!.vector, 5e-5)
      assert.deepStrictEqual([explanation?.meaningBy, byTable.matches[at]!.explanation?.meaningBy], ["m", "table"])
    }
  }).pipe(Effect.provide(embeddings))
)
