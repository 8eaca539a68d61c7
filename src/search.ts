import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { filename } from "#domain/filename.ts"
import { RetrievalEvent } from "#domain/Retrieval.ts"
import type { Holder, Scope } from "#domain/Scope.ts"
import type { Standing } from "#ports/ReadModels.ts"
import { type IndexMatch, type IndexQuery, SnippetIndex } from "#ports/SnippetIndex.ts"
import { type CatalogueEntry, snippetsByIds } from "#projections/Snippets.ts"
import { Indexing } from "./indexing.ts"
import { actorOf, Recorder } from "./record.ts"

/** A snippet that was found, with the name of the file that an agent should write it to. */
export interface Found {
  readonly snippet: CatalogueEntry
  readonly match: IndexMatch
  readonly filename: string
}

export interface SearchAnswer {
  readonly found: ReadonlyArray<Found>
  /** Matches before the limit was applied. */
  readonly total: number
  /** Whether it came from memory: the same question, and nothing has changed since. */
  readonly cacheHit: boolean
}

export interface Question {
  readonly task: string
  readonly limit: number
  readonly minVerdict: number
  readonly preferComplete: boolean
}

const answersKept = 1_000
const entriesKept = 2_000

const dayOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10)

/** Finds snippets for a task in a scope. The caller has waited for the catalogue to be fresh, and says where it stands. */
export class Search extends Context.Service<
  Search,
  {
    readonly search: (question: Question, scope: Scope, standing: Standing) => Effect.Effect<SearchAnswer, never>
  }
>()("cairn/Search") {
  static readonly layer = Layer.effect(
    Search,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const index = yield* SnippetIndex
      const indexing = yield* Indexing
      const answers = new Map<string, Omit<SearchAnswer, "cacheHit">>()
      const entries = new Map<string, CatalogueEntry>()
      let answersAt = -1

      /** Entries by id; those that were asked for since the catalogue last changed are at hand. */
      const entriesOf = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
        const at = answersAt
        const missing = ids.filter((id) => !entries.has(id))
        const found = yield* Effect.orDie(Effect.provideService(snippetsByIds(missing), SqlClient.SqlClient, sql))
        const all = new Map(found.map((entry) => [entry.id, entry]))
        for (const id of ids) {
          const entry = entries.get(id)
          if (entry !== undefined && !all.has(id)) all.set(id, entry)
        }
        if (at === answersAt) for (const entry of found) if (entries.size < entriesKept) entries.set(entry.id, entry)
        return all
      })

      const ask = Effect.fnUntraced(function* (query: IndexQuery) {
        const { matches, total } = yield* index.search(query)
        const byId = yield* entriesOf(matches.map(({ id }) => id))
        const taken = new Set<string>()
        const found = matches.flatMap((match): Array<Found> => {
          const snippet = byId.get(match.id)
          return snippet === undefined ? [] : [{ snippet, match, filename: filename(snippet, taken) }]
        })
        return { found, total }
      })

      return Search.of({
        search: Effect.fnUntraced(function* ({ task, limit, minVerdict, preferComplete }, scope, { changed }) {
          yield* indexing.reach(changed)
          const { homes, includePublic, agent } = scope
          const query: IndexQuery = { task, homes, includePublic, agent, preferComplete, minVerdict, limit }
          if (changed !== answersAt) {
            answers.clear()
            entries.clear()
            answersAt = changed
          }
          const name = JSON.stringify(query)
          const before = answers.get(name)
          if (before !== undefined) return { ...before, cacheHit: true }
          const answer = yield* ask(query)
          if (changed === answersAt && answers.size < answersKept) answers.set(name, answer)
          return { ...answer, cacheHit: false }
        })
      })
    })
  )
}

/** Notes in the log what a search answered. */
export const noteAnswer = Effect.fnUntraced(function* (
  holder: Holder,
  scope: Scope,
  task: string,
  { found, total, cacheHit }: SearchAnswer,
  now: number
) {
  const recorder = yield* Recorder
  const stream = `retrieval-${holder.tenant}-${dayOf(now)}`
  yield* recorder.record({
    tenant: holder.tenant,
    stream,
    actor: actorOf(holder),
    event: RetrievalEvent.cases.SearchAnswered.make({
      home: scope.home,
      snippets: found.map(({ snippet }) => snippet.id),
      scores: found.map(({ match }) => match.score),
      total,
      cacheHit,
      subject: stream,
      text: { query: task }
    })
  })
})
