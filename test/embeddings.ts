import { Effect, Layer } from "effect"
import type { Profile } from "#domain/search/embeddings/Profile.ts"
import { hasDirection, toUnit, type Vector } from "#domain/search/embeddings/vector.ts"
import { namesOf, type SearchedText } from "#domain/search/IndexedText.ts"
import * as EmbeddingTable from "#infra/search/embeddings/layer.ts"
import { Embeddings } from "#ports/Embeddings.ts"

/** The service's own encoder. */
export const encoder = await Effect.runPromise(Effect.provide(Embeddings, EmbeddingTable.layer))

/** The same as a layer: one reading of the table for all tests of a file. */
export const embeddings = Layer.succeed(Embeddings, encoder)

/** What a snippet means, as an index gets it of one that was never used for a task. */
export const vectorOf = (text: SearchedText): Vector | null => {
  const { description = "", source = "" } = text
  const vector = encoder.snippet({ name: namesOf(text), description, source })
  return hasDirection(vector) ? toUnit(vector) : null
}

/** What the second stage needs of it, by the tasks that it was used for. */
export const profiled = (text: SearchedText, vector = vectorOf(text)): Profile => {
  const { description = "", source = "", exampleQueries = [] } = text
  return encoder.profile({ name: namesOf(text), description, source }, exampleQueries, vector)
}

/** A reading of nothing. */
export const unread = encoder.reading("")
