import { Context, Effect, Layer } from "effect"
import { parts } from "#domain/search/query.ts"
import { byMeaning } from "#domain/search/ranker.ts"
import { meaningWeight } from "#domain/search/score.ts"
import { type EmbeddingFailed, EmbeddingModel } from "#ports/EmbeddingModel.ts"
import type { EmbeddingSettings } from "#ports/EmbeddingSettings.ts"
import { type Meant, SnippetIndex } from "#ports/SnippetIndex.ts"
import { indexChanges, type RowsAtOnce } from "#projections/Snippets/changes.ts"
import { notEmbedded, vectorsOf } from "#projections/Snippets/embedded.ts"
import type { Source } from "../indexing/reading.ts"
import { Indexing } from "../indexing.ts"
import { fill, padded } from "./fill.ts"
import { makeOutage } from "./Outage.ts"

/** Milliseconds that a search waits for the model and, at the same time, for the index of its vectors. */
const patience = 300
/** Most rows of the catalogue that are taken in at once: each has a vector of up to 16 KiB. */
const rows = 1_000

/**
 * Why the table was searched by although there is a model: the task was not embedded in time, or not all snippets are
 * embedded yet.
 */
export const fallbacks = ["not_embedded", "filling"] as const
export type Fallback = (typeof fallbacks)[number]

/** What a task is searched by instead of the table: an index of the model's vectors, and the task's meaning in them. */
export interface SearchedBy {
  readonly index: SnippetIndex["Service"]
  readonly meant: Meant
}

/** The state of an embedding model, for its operator. */
export interface ModelLook {
  readonly model: string
  /** `ok`, `filling`, or what is wrong. */
  readonly state: string
}

/** The table's judge, for a model that no weights were fitted for. */
const unfitted = { low: 0, high: 1, meaning: meaningWeight, judge: byMeaning }

/**
 * Rows up to the first whose snippet is not embedded yet. So the index holds everything up to its position, and every
 * process has the same vectors.
 */
const embeddedChanges = (model: string) =>
  Effect.fnUntraced(function* (after: number, page: RowsAtOnce) {
    const some = { ...page, rows: Math.min(rows, page.rows) }
    const first = yield* notEmbedded(model, after, some.rows)
    const changes = yield* indexChanges(after, first === undefined ? some : { ...some, upTo: first - 1 })
    const vectors = yield* vectorsOf(model, changes.put)
    // a row or its vector came or went in between: the next reading sees both
    if (!changes.put.every(({ id }) => vectors.has(id)))
      return { ...changes, position: after, put: [], voted: [], removed: [] }
    const put = changes.put.map((row) => ({ ...row, vector: vectors.get(row.id)!, task_vector: "" }))
    return { ...changes, put }
  })

/** Searches by an embedding model, if there is one, and while it answers. */
export class ByModel extends Context.Service<
  ByModel,
  {
    /**
     * What to search a task by so that everything up to a position of the catalogue is found, within 300 ms; or why the
     * table is searched by. `undefined`: there is no model.
     */
    readonly means: (task: string, position: number) => Effect.Effect<SearchedBy | Fallback | undefined>
    readonly look: Effect.Effect<ModelLook | undefined>
  }
>()("cairn/ByModel") {
  /** There is no model. */
  static readonly none = Layer.succeed(ByModel, { means: () => Effect.undefined, look: Effect.undefined })

  /** Searches an index of its own. */
  static readonly layer = ({ model: called, weights = unfitted }: Pick<EmbeddingSettings, "model" | "weights">) =>
    Layer.effect(
      ByModel,
      Effect.gen(function* () {
        const model = yield* EmbeddingModel
        const index = yield* SnippetIndex
        const source: Source = { read: embeddedChanges(model.name), tells: false }
        const indexing = yield* Indexing.make(source)
        const outage = makeOutage()
        yield* Effect.forkScoped(fill(outage, indexing.position))
        /** The position that a search has waited for in vain: until the index reaches it, no other search waits. */
        let missed = 0

        const reached = Effect.fnUntraced(function* (position: number) {
          const stands = yield* indexing.position
          if (stands >= position) return true
          if (stands < missed) return false
          const isThere = yield* Effect.timeoutOrElse(indexing.reach(position), {
            duration: patience,
            orElse: () => Effect.succeed(false)
          })
          if (!isThere) missed = Math.max(missed, position)
          return isThere
        })

        const embedded = (task: string) =>
          model.queries(parts(task)).pipe(
            Effect.map((vectors) => vectors.map(padded)),
            Effect.tap(outage.ends),
            Effect.timeoutOrElse({
              duration: patience,
              orElse: () =>
                Effect.as(outage.begins(`the embeddings server did not answer within ${patience} ms`), undefined)
            }),
            Effect.catch(({ told }: EmbeddingFailed) => Effect.as(outage.begins(told), undefined))
          )

        return ByModel.of({
          means: Effect.fnUntraced(function* (task, position) {
            const [isThere, meanings] = yield* Effect.all([reached(position), embedded(task)], { concurrency: 2 })
            if (!isThere) return "filling"
            if (meanings === undefined) return "not_embedded"
            return { index, meant: { meanings, model: { called, weights } } }
          }),
          look: Effect.gen(function* () {
            const isWhole = (yield* indexing.position) >= missed
            const state = outage.fault() ?? (yield* indexing.fault) ?? (isWhole ? "ok" : "filling")
            return { model: called, state }
          })
        })
      })
    )
}
