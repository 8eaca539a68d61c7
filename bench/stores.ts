import { Effect } from "effect"
import { toUnit } from "#domain/search/embeddings/vector.ts"
import { indexText } from "#domain/search/IndexedText.ts"
import type { Ranked } from "#domain/search/rank.ts"
import type { IndexedSnippet, IndexUnavailable } from "#ports/SnippetIndex.ts"
import { encoder, profiled } from "#test/embeddings.ts"
import { corpus, type EvaluationDocument, type EvaluationQuery, queries, queryOf, snippetOf } from "#test/evaluation.ts"
import type { searching } from "#test/searching.ts"

export type Searching = Effect.Success<typeof searching>

/** A development set in an index, by itself or among the distractors. */
export interface Store {
  readonly name: string
  readonly documents: ReadonlyArray<EvaluationDocument>
  readonly queries: ReadonlyArray<EvaluationQuery>
  /** Best first. */
  readonly ask: (task: string, limit: number) => ReadonlyArray<Ranked>
}

/** A document that was stored for tasks. */
const used = (document: EvaluationDocument, tasks: ReadonlyArray<string>): IndexedSnippet => {
  const [own, added] = [encoder.snippet(document), encoder.tasks(tasks)]
  const vector = toUnit(own.map((number, at) => number + added[at]!))
  return {
    ...snippetOf(document),
    text: indexText({ ...document, exampleQueries: tasks }),
    vector,
    profile: profiled({ ...document, exampleQueries: tasks }, vector)
  }
}

/**
 * The sets' stores in turn, each in a new index. With `asked`, each query was asked before: its first relevant document
 * was stored for it.
 */
export const eachStore = <A>(
  index: Effect.Effect<Searching>,
  use: (store: Store) => A,
  asked = false
): Effect.Effect<ReadonlyArray<A>, IndexUnavailable> =>
  Effect.forEach(
    (["mbpp", "agent30"] as const).flatMap((set) => [
      { name: set, set, documents: corpus(set) },
      { name: `${set} + distractors`, set, documents: [...corpus(set), ...corpus("distractors")] }
    ]),
    Effect.fnUntraced(function* ({ name, set, documents }) {
      const ours = yield* index
      const tasks = Map.groupBy(asked ? queries(set) : [], ({ relevant }) => relevant[0])
      yield* ours.put(
        documents.map((document) => {
          const its = tasks.get(document.id)
          return its === undefined
            ? snippetOf(document)
            : used(
                document,
                its.map(({ text }) => text)
              )
        })
      )
      const ask = (task: string, limit: number) => Effect.runSync(ours.search({ ...queryOf(task), limit })).matches
      return use({ name, documents, queries: queries(set), ask })
    })
  )
