import { Effect, Layer } from "effect"
import { contentOf } from "#domain/search/embeddings/content.ts"
import { dot } from "#domain/search/embeddings/vector.ts"
import type { ModelWeights } from "#domain/search/modelWeights.ts"
import { asked, parts } from "#domain/search/query.ts"
import { likeliest, rank } from "#domain/search/rank.ts"
import { byMeaning } from "#domain/search/ranker.ts"
import { looked } from "#domain/search/secondStage.ts"
import * as HttpEmbeddings from "#infra/search/embeddings/HttpEmbeddings.ts"
import { layer } from "#infra/search/memory/layer.ts"
import { EmbeddingModel } from "#ports/EmbeddingModel.ts"
import type { EmbeddingSettings } from "#ports/EmbeddingSettings.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import { SnippetIndex } from "#ports/SnippetIndex.ts"
import { indexed, padded } from "#src/snippets/embedding/fill.ts"
import { encoder } from "#test/embeddings.ts"
import { type EvaluationDocument, qualityOf, queryOf } from "#test/evaluation.ts"
import { sources } from "./fit.ts"
import { fitted, print, sights } from "./fitted.ts"
import { documentOf, type Group, groupsOf, putOn } from "./groups.ts"
import type { QuerySet, Shelf } from "./sets.ts"

// Weights of an embedding model: what of its cosines is the table's 0 and 1, what the meaning counts, and its judge.

/** What the meaning may count in the first stage. */
const meanings = [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9]

/** What a document says, as the service has it embedded. */
const contentOfDocument = ({ name, description, source }: EvaluationDocument): string =>
  contentOf({ name, path: "", entrypoint: "", description, tasks: [], source })

/** Texts and their vectors, each made once. */
const embedded = Effect.fnUntraced(function* (texts: Iterable<string>, as: "documents" | "queries") {
  const model = yield* EmbeddingModel
  const all = [...new Set(texts)].filter((text) => text.trim() !== "")
  const vectors = yield* model[as](all)
  return new Map(all.map((text, at) => [text, padded(vectors[at]!)]))
})

const momentsOf = (values: ReadonlyArray<number>) => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return { mean, deviation: Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length) }
}

/**
 * Which of the model's cosines are the table's 0 and 1, by pairs of both: they have the same mean and deviation then.
 */
const scaleOf = (pairs: ReadonlyArray<readonly [table: number, model: number]>): Pick<ModelWeights, "low" | "high"> => {
  const table = momentsOf(pairs.map(([one]) => one))
  const model = momentsOf(pairs.map(([, other]) => other))
  const slope = model.deviation / table.deviation
  const low = Math.max(0, model.mean - slope * table.mean)
  return { low: Number(low.toFixed(4)), high: Number((low + slope).toFixed(4)) }
}

/**
 * Fits weights for the model on the development sets, whose `groups` are those of the table, and prints what both find.
 * The index of the table has the shelves already.
 */
export const fitModel = Effect.fnUntraced(function* (
  settings: EmbeddingSettings,
  shelves: ReadonlyArray<Shelf>,
  sets: ReadonlyArray<QuerySet>,
  groups: ReadonlyArray<Group>
) {
  const documents = new Map(shelves.flatMap((shelf) => shelf.documents.map((one) => [contentOfDocument(one), one])))
  const byText = yield* embedded(documents.keys(), "documents")
  const byTask = yield* embedded(
    sets.flatMap(({ queries }) => queries.flatMap(({ text }) => parts(text))),
    "queries"
  )
  const vectorOf = (document: EvaluationDocument) => byText.get(contentOfDocument(document)) ?? null
  yield* putOn(shelves, vectorOf)

  const nothing = new Float32Array(indexed(settings.dimensions))
  const askedBy = (weights: ModelWeights) => (task: string) => {
    const meant = parts(task).map((part) => byTask.get(part) ?? nothing)
    return { ...asked(task, encoder), meanings: meant, read: 1, model: { called: settings.model, weights } }
  }

  const homes = new Map(shelves.map(({ home, documents }) => [home, new Map(documents.map((one) => [one.id, one]))]))
  const pairs = groups.flatMap(({ query, candidates }) => {
    const task = byTask.get(query.text)
    if (task === undefined) return []
    return candidates.flatMap(({ likely }): Array<readonly [number, number]> => {
      const { id, cosine } = likely.candidate
      const document = homes.get(id.slice(0, id.indexOf("/")))?.get(documentOf(id))
      const vector = document && vectorOf(document)
      return vector ? [[cosine, dot(task, vector)]] : []
    })
  })
  const scale = scaleOf(pairs)

  const index = yield* SnippetIndex
  const measuredSets = sets.filter(({ source }) => sources.includes(source))
  const found = Effect.fnUntraced(function* (weights: ModelWeights, both: boolean) {
    const ask = askedBy(weights)
    return yield* Effect.forEach(measuredSets, ({ name, homes, queries }) =>
      Effect.gen(function* () {
        const answers = new Map<string, ReadonlyArray<string>>()
        for (const { text } of queries) {
          const words = ask(text)
          const all = yield* index.candidates({ ...queryOf(text), homes, asked: words }, looked)
          const ids = both
            ? rank(words, all, { preferComplete: false, limit: 10 }).matches.map(({ id }) => id)
            : likeliest(words, all, false).map(({ candidate }) => candidate.id)
          answers.set(text, ids.slice(0, 10).map(documentOf))
        }
        return { name, ndcg: qualityOf(queries, (text) => answers.get(text)!).ndcg }
      })
    )
  })
  const unfitted = { ...scale, judge: byMeaning }
  const trials = yield* Effect.forEach(meanings, (meaning) =>
    Effect.map(found({ ...unfitted, meaning }, false), (all) => ({
      meaning,
      ndcg: all.reduce((sum, { ndcg }) => sum + ndcg, 0) / all.length
    }))
  )
  print(trials.map(({ meaning, ndcg }) => [`first stage, meaning ${meaning}`, { "nDCG@10": ndcg.toFixed(4) }]))
  const { meaning } = trials.reduce((best, one) => (one.ndcg > best.ndcg ? one : best))
  const first = { ...unfitted, meaning }
  const judge = fitted(yield* groupsOf(sets, askedBy(first)), sights.byMeaning)
  const weights: ModelWeights = { ...scale, meaning, judge }
  const [one, both] = [yield* found(first, false), yield* found(weights, true)]
  print(
    both.map(({ name, ndcg }, at) => [
      `${name}: ${settings.model}`,
      { "first stage": one[at]!.ndcg.toFixed(4), "both stages": ndcg.toFixed(4) }
    ])
  )
  return weights
})

/** The model, and an index of its vectors. */
export const modelLayer = (settings: EmbeddingSettings) =>
  Layer.merge(
    HttpEmbeddings.layer(settings),
    Layer.fresh(layer).pipe(
      Layer.provide(Layer.succeed(Embeddings, { ...encoder, dimensions: indexed(settings.dimensions) }))
    )
  )
