import { Effect, Layer } from "effect"
import { toUnit } from "#domain/search/embeddings/vector.ts"
import { EmbeddingModel } from "#ports/EmbeddingModel.ts"
import { Embeddings } from "#ports/Embeddings.ts"

/** The table that comes with the service, as one of the models. It is never away. */
export const layer = Layer.effect(
  EmbeddingModel,
  Effect.map(Embeddings, (encoder) =>
    EmbeddingModel.of({
      name: "table",
      dimensions: encoder.dimensions,
      documents: (texts) =>
        Effect.sync(() => texts.map((source) => toUnit(encoder.snippet({ name: "", description: "", source })))),
      queries: (texts) => Effect.sync(() => texts.map((text) => encoder.query(text).vector))
    })
  )
)
