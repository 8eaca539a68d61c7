import { Effect } from "effect"
import { likeliest, rank } from "#domain/search/rank.ts"
import { looked } from "#domain/search/secondStage.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import { SnippetIndex } from "#ports/SnippetIndex.ts"
import { likely } from "#src/snippets/find.ts"
import { encoder } from "#test/embeddings.ts"
import { miniSearch, type Quality, qualityOf, queryOf } from "#test/evaluation.ts"
import { bm25, type Engine } from "./engines.ts"
import { documentOf, illiterate } from "./groups.ts"
import type { QuerySet, Shelf } from "./sets.ts"

/** What one engine makes of a set. */
export interface Measured {
  readonly set: string
  readonly engine: string
  readonly quality: Quality
  /** By query, its nDCG@10. */
  readonly byQuery: ReadonlyArray<{ readonly text: string; readonly ndcg: number }>
}

export const both = "both stages"
export const first = "first stage"
const unmended = "both stages, nothing mended"

/** What the service does, whole and in part, and what it is compared with. */
export const measured = Effect.fnUntraced(function* (
  { name, homes, queries }: QuerySet,
  shelves: ReadonlyArray<Shelf>,
  onlyBoth: boolean
) {
  const index = yield* SnippetIndex
  const documents = shelves.filter(({ home }) => homes.includes(home)).flatMap((shelf) => shelf.documents)
  /** As the service does it, or with each word as it stands. */
  const found = (task: string, by: typeof encoder, mends = true) =>
    likely({ ...queryOf(task), homes, limit: looked }).pipe(
      Effect.provideService(Embeddings, by),
      Effect.provideService(SnippetIndex, mends ? index : { ...index, frequencies: () => Effect.succeed([]) }),
      Effect.runSync
    )
  const ranked =
    (by: typeof encoder, mends = true): Engine =>
    (task) => {
      const { words, found: all } = found(task, by, mends)
      return rank(words, all, { preferComplete: false, limit: 10 }).matches.map(({ id }) => documentOf(id))
    }
  const ours: ReadonlyArray<readonly [string, () => Engine]> = [
    ["words only", () => ranked(illiterate)],
    [
      first,
      () => (task) => {
        const { words, found: all } = found(task, encoder)
        const ids = likeliest(words, all, false).map(({ candidate }) => documentOf(candidate.id))
        return ids.slice(0, 10)
      }
    ],
    [unmended, () => ranked(encoder, false)],
    [both, () => ranked(encoder)]
  ]
  const all: typeof ours = [
    ["plain BM25", () => bm25(documents)],
    ["MiniSearch as it comes", () => miniSearch(documents, false)],
    ["MiniSearch, code tokens", () => miniSearch(documents)],
    ...ours
  ]
  return all
    .filter(([engine]) => !onlyBoth || engine === both)
    .map(([engine, make]): Measured => {
      const answer = make()
      const answers = new Map(queries.map(({ text }) => [text, answer(text)]))
      const of = (some: typeof queries) => qualityOf(some, (text) => answers.get(text)!)
      const byQuery = queries.map((query) => ({ text: query.text, ndcg: of([query]).ndcg }))
      return { set: name, engine, quality: of(queries), byQuery }
    })
})
