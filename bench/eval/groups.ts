import { Effect } from "effect"
import type { Likely } from "#domain/search/Candidate.ts"
import type { Vector } from "#domain/search/embeddings/vector.ts"
import type { Features } from "#domain/search/Features.ts"
import { type Asked, asked } from "#domain/search/query.ts"
import { likeliest } from "#domain/search/rank.ts"
import { judging, looked } from "#domain/search/secondStage.ts"
import { SnippetIndex } from "#ports/SnippetIndex.ts"
import { encoder } from "#test/embeddings.ts"
import { type EvaluationDocument, type EvaluationQuery, queryOf, snippetOf } from "#test/evaluation.ts"
import type { QuerySet, Shelf } from "./sets.ts"

/** What the second stage is given for one query, and which of it is right. */
export interface Group {
  readonly set: string
  readonly source: string
  readonly query: EvaluationQuery
  readonly documents: number
  /** In the order of the first stage. */
  readonly candidates: ReadonlyArray<{
    readonly id: string
    readonly likely: Likely
    readonly features: Features
    readonly right: boolean
  }>
}

/** Puts shelves into an index, with what each document means; unless told by the table. */
export const putOn = Effect.fnUntraced(function* (
  shelves: ReadonlyArray<Shelf>,
  vectorOf?: (document: EvaluationDocument) => Vector | null
) {
  const index = yield* SnippetIndex
  const made = new Map<EvaluationDocument, ReturnType<typeof snippetOf>>()
  const put = shelves.flatMap(({ home, documents }) =>
    documents.map((document) => {
      const snippet = made.get(document) ?? snippetOf(document)
      made.set(document, snippet)
      const vector = vectorOf === undefined ? snippet.vector : vectorOf(document)
      return { ...snippet, vector, home, id: `${home}/${document.id}` }
    })
  )
  yield* index.apply({ put, voted: [], removed: [] }, { build: 1, position: 1 })
})

/** `home/id` → `id`. */
export const documentOf = (id: string): string => id.slice(id.indexOf("/") + 1)

/** To this nothing can be read. */
export const illiterate = {
  ...encoder,
  query: () => ({ vector: new Float32Array(encoder.dimensions), read: 0 })
}

/** Asks every query. */
export const groupsOf = Effect.fnUntraced(function* (
  sets: ReadonlyArray<QuerySet>,
  ask: (task: string) => Asked = (task) => asked(task, encoder)
) {
  const index = yield* SnippetIndex
  const groups: Array<Group> = []
  for (const { name, source, homes, queries } of sets) {
    for (const query of queries) {
      const words = ask(query.text)
      const found = yield* index.candidates({ ...queryOf(query.text), homes, asked: words }, looked)
      const features = judging(words, found)
      const candidates = likeliest(words, found, false).map((likely) => {
        const id = documentOf(likely.candidate.id)
        return { id, likely, features: features(likely), right: query.relevant.includes(id) }
      })
      groups.push({ set: name, source, query, documents: found.documents, candidates })
    }
  }
  return groups
})
