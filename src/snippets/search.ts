import { createHash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { filename } from "#domain/filename.ts"
import { keptTask } from "#domain/keptTask.ts"
import { RetrievalEvent, searchSubject } from "#domain/Retrieval.ts"
import { type Holder, type Scope, sees } from "#domain/Scope.ts"
import type { SnippetKind } from "#domain/Snippet/events.ts"
import { type Mended, searched } from "#domain/search/query.ts"
import type { Ranked } from "#domain/search/rank.ts"
import { schemaFilter } from "#domain/search/schemaFilter.ts"
import type { Standing } from "#engine/ask.ts"
import { inSteps } from "#engine/pages.ts"
import { Bounds } from "#engine/ports/Bounds.ts"
import { CountedCache } from "#ports/CountedCache.ts"
import { Embeddings } from "#ports/Embeddings.ts"
import { type IndexUnavailable, SnippetIndex } from "#ports/SnippetIndex.ts"
import { type CommentedEntry, inputSchemas } from "#projections/Snippets/queries.ts"
import { longestProperty } from "#projections/Snippets/tables.ts"
import { actorOf } from "#src/actor.ts"
import { Notes } from "#src/notes.ts"
import { bytesOf, slight } from "#src/portions.ts"
import { ByModel, type Fallback } from "./embedding/ByModel.ts"
import { makeEntries } from "./entries.ts"
import { find, type Sought } from "./find.ts"
import { Indexing } from "./indexing.ts"
import { Learning } from "./learning.ts"

/** A snippet that was found. */
export interface Found {
  readonly id: string
  /** About how many bytes its texts have. */
  readonly bytes: number
  readonly match: Ranked
  /** The file name under which an agent should write it. */
  readonly filename: string
  /** With its texts, if the texts of everything that was found are slight together. */
  readonly snippet: CommentedEntry | undefined
}

export interface FoundSnippet extends Found {
  readonly snippet: CommentedEntry
}

export interface SearchAnswer {
  readonly found: ReadonlyArray<Found>
  /** Matches before the limit was applied. */
  readonly total: number
  /** Words of the task that no snippet has, and what they were taken for. */
  readonly mended: Mended
  /** Whether it came from memory: the same question was asked before, and nothing has changed since. */
  readonly cacheHit: boolean
  /** The index did not catch up with the catalogue in time: what is new may be missing. */
  readonly stale: boolean
  /** Why the table was searched by although there is an embedding model. */
  readonly fallback: Fallback | undefined
}

export interface SearchQuestion {
  readonly task: string
  readonly limit: number
  readonly minVerdict: number
  readonly preferComplete: boolean
  /** Whether each match says why it has its score; by default not. */
  readonly explain?: boolean
  /** How many votes by people, in favour, a snippet must have. */
  readonly minHumanUp?: number
  /** By default any kind. */
  readonly kinds?: ReadonlyArray<SnippetKind>
  /** Lower-case; by default any. */
  readonly language?: string
  /** A JSON schema of what the caller can give: see `schemaFilter`. */
  readonly inputSchema?: { readonly [key: string]: unknown } | undefined
}

/** What a search sees. */
export type Sight = Pick<Scope, "homes" | "includePublic" | "agent">

const answersKept = 1_000
/** Most snippets, without their texts, in all kept answers together; each answer counts as one more. */
const foundKept = 20_000

/** Names a question. A long one is named by its digest, so that many of them take no memory. */
const nameOf = (question: unknown): string => {
  const text = JSON.stringify(question)
  return text.length < 500 ? text : createHash("sha256").update(text).digest("base64")
}

const dayOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10)

/**
 * Finds snippets for a task in a scope. The caller has waited for the catalogue to be fresh, and says where it stands.
 */
export class Search extends Context.Service<
  Search,
  {
    /**
     * The best matches, and how many there are in all. While the catalogue does not change, a question that was asked
     * before is answered from memory.
     */
    readonly search: (
      question: SearchQuestion,
      scope: Sight,
      standing: Standing
    ) => Effect.Effect<SearchAnswer, IndexUnavailable>
    /**
     * What was found, with its texts, in the same order; without snippets that are gone since, or that the scope no
     * longer sees. A caller with room for only some asks for only those.
     */
    readonly read: (found: ReadonlyArray<Found>, scope: Sight) => Effect.Effect<ReadonlyArray<FoundSnippet>>
  }
>()("cairn/Search") {
  static readonly layer = Layer.effect(
    Search,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const embeddings = yield* Embeddings
      const index = yield* SnippetIndex
      /** Provides the services one by one: providing a context copies all of its services each time. */
      const finding = <A, E>(effect: Effect.Effect<A, E, Embeddings | SnippetIndex>) =>
        effect.pipe(Effect.provideService(Embeddings, embeddings), Effect.provideService(SnippetIndex, index))
      const indexing = yield* Indexing
      const learning = yield* Learning
      const byModel = yield* ByModel
      const entries = makeEntries(sql)
      const { count, bytes } = yield* Bounds
      const schemasAtOnce = { rows: Math.min(count, 1_000), bytes: Math.min(bytes, 1024 * 1024) }
      const answers = new CountedCache<Pick<SearchAnswer, "found" | "total" | "mended">>("answers", {
        max: answersKept,
        maxSize: foundKept,
        sizeCalculation: ({ found }) => 1 + found.length
      })
      let answersAt = -1
      let answersBy = -1

      const querying = <A, E>(query: Effect.Effect<A, E, SqlClient.SqlClient>) =>
        Effect.orDie(Effect.provideService(query, SqlClient.SqlClient, sql))

      const withTexts = (
        found: ReadonlyArray<Found>,
        textsOf: (id: string) => CommentedEntry | undefined
      ): ReadonlyArray<Found> =>
        bytesOf(found) > slight ? found : found.map((one) => ({ ...one, snippet: textsOf(one.id) }))

      const ask = Effect.fnUntraced(function* (query: Sought) {
        const { matches, total, mended } = yield* finding(find(query))
        const ids = matches.map(({ id }) => id)
        const { listed, read } = yield* entries.list(ids, query.homes)
        const taken = new Set<string>()
        const found = matches.flatMap((match): Array<Found> => {
          const entry = listed.get(match.id)
          // an index that is behind may have what was deleted since, or taken back from the public
          if (entry === undefined || !sees(query, entry)) return []
          // what is written of a repository is its readme
          const language = entry.kind === "repo" ? "markdown" : entry.language
          const { id, bytes } = entry
          return [{ id, bytes, match, filename: filename({ ...entry, language }, taken), snippet: undefined }]
        })
        return { found, total, mended, read }
      })

      /** Ids of the scope's snippets that can be called with this input; `undefined`: any can. */
      const callable = Effect.fnUntraced(function* (inputSchema: SearchQuestion["inputSchema"], scope: Sight) {
        const filter = inputSchema === undefined ? undefined : schemaFilter(inputSchema)
        if (filter === undefined) return undefined
        // no stored name is so long or has such characters, and no query may have them
        if (
          filter.names.some((name) => name.length > longestProperty || name.includes("\u0000") || !name.isWellFormed())
        )
          return new Set<string>()
        const fitting = new Set<string>()
        for (let after = ""; ; ) {
          const page = yield* querying(inputSchemas(filter.names, scope, after, schemasAtOnce))
          if (page.length === 0) return fitting
          yield* inSteps(
            (function* () {
              for (const { id, input_schema } of page) {
                if (filter.accepts(input_schema)) fitting.add(id)
                yield
              }
            })()
          )
          after = page.at(-1)!.id
        }
      })

      return Search.of({
        search: Effect.fnUntraced(function* ({ inputSchema, ...question }, scope, { changed }) {
          const reached = yield* indexing.reach(changed)
          yield* learning.reach(changed)
          const revision = learning.revision()
          const { homes, includePublic, agent } = scope
          // of a long task, only the part that is searched by counts and is remembered
          const query: Sought = { ...question, task: searched(question.task), homes, includePublic, agent }
          entries.stands(changed)
          if (changed !== answersAt || revision !== answersBy) {
            answers.clear()
            answersAt = changed
            answersBy = revision
          }
          const name = nameOf([query, inputSchema])
          const before = answers.get(name)
          if (before !== undefined) {
            const found = withTexts(before.found, (id) => entries.atHand(id, homes))
            return { ...before, found, cacheHit: true, stale: false, fallback: undefined }
          }
          const fitting = yield* callable(inputSchema, scope)
          const votes = learning.votesFor(scope)
          const means = yield* byModel.means(query.task, changed)
          const [by, fallback] = typeof means === "string" ? [undefined, means] : [means, undefined]
          const filter = { ...(fitting && { only: fitting }), ...(by && { by }) }
          const asked = { ...query, votes, ...filter }
          const { found, total, mended, read } = yield* ask(asked)
          // not kept: an answer that may lack something, one that the model may answer a moment later, and one with
          // reasons, which are long
          const isCurrent = reached && fallback === undefined && changed === answersAt && revision === answersBy
          if (isCurrent && query.explain !== true) answers.set(name, { found, total, mended })
          const shown = withTexts(found, (id) => read.get(id))
          return { found: shown, total, mended, cacheHit: false, stale: !reached, fallback }
        }),

        read: Effect.fnUntraced(function* (found, scope) {
          const missing = found.flatMap(({ id, snippet }) => (snippet === undefined ? [id] : []))
          const texts = missing.length === 0 ? undefined : yield* entries.read(missing, scope.homes)
          return found.flatMap((one): Array<FoundSnippet> => {
            if (one.snippet !== undefined) return [{ ...one, snippet: one.snippet }]
            const snippet = texts?.get(one.id)
            return snippet === undefined || !sees(scope, snippet) ? [] : [{ ...one, snippet }]
          })
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
  const notes = yield* Notes
  const stream = `retrieval-${holder.tenant}-${dayOf(now)}`
  const snippets = found.map(({ id }) => id)
  yield* notes.add({
    tenant: holder.tenant,
    stream,
    actor: actorOf(holder),
    event: RetrievalEvent.cases.SearchAnswered.make({
      home: scope.home,
      snippets,
      scores: found.map(({ match }) => match.score),
      total,
      cacheHit,
      subject: searchSubject(stream, snippets),
      text: { query: keptTask(task) }
    })
  })
})
