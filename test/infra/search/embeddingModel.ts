import { assert, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Vector } from "#domain/search/embeddings/vector.ts"
import { EmbeddingModel } from "#ports/EmbeddingModel.ts"

const product = (one: Vector, other: Vector) => one.reduce((sum, number, at) => sum + number * other[at]!, 0)

/** What every embedding model must do; each adapter's test is this and a layer. */
export const modelContract = (name: string, layer: Layer.Layer<EmbeddingModel>) =>
  suite(layer)(`EmbeddingModel (${name})`, (it) => {
    it.effect("gives a vector of length 1 for each text, in their order, however many they are", () =>
      Effect.gen(function* () {
        const model = yield* EmbeddingModel
        const texts = Array.from({ length: 100 }, (_, at) =>
          at === 70 ? "parse a CSV file" : `sort list number ${at}`
        )
        const vectors = yield* model.documents(texts)
        assert.lengthOf(vectors, 100)
        for (const vector of vectors) {
          assert.lengthOf(vector, model.dimensions)
          assert.closeTo(product(vector, vector), 1, 1e-5)
        }
        const [asked] = yield* model.queries(["read rows of a CSV file"])
        const cosines = vectors.map((vector) => product(asked!, vector))
        assert.strictEqual(cosines.indexOf(Math.max(...cosines)), 70)
      })
    )

    it.effect("gives the same vector for the same text, whatever it comes with", () =>
      Effect.gen(function* () {
        const model = yield* EmbeddingModel
        const [alone] = yield* model.documents(["median of numbers"])
        const among = yield* model.documents(["a", "median of numbers", "b"])
        assert.deepStrictEqual(among[1], alone)
      })
    )

    it.effect("gives nothing for nothing, and takes long texts and any letters", () =>
      Effect.gen(function* () {
        const model = yield* EmbeddingModel
        assert.deepStrictEqual(yield* model.documents([]), [])
        const vectors = yield* model.documents(["sort ".repeat(20_000), "sort 数据 🙂 \u0000 list"])
        assert.lengthOf(vectors, 2)
      })
    )
  })
