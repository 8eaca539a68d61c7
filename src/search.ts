import { createHash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { filename } from "#domain/filename.ts"
import { keptTask } from "#domain/keptTask.ts"
import { RetrievalEvent, searchSubject } from "#domain/Retrieval.ts"
import type { Holder, Scope } from "#domain/Scope.ts"
import type { SnippetKind } from "#domain/Snippet/events.ts"
import { searched } from "#domain/search/query.ts"
import { schemaFilter } from "#domain/search/schemaFilter.ts"
import type { Standing } from "#ports/ReadModels.ts"
import { type IndexMatch, type IndexQuery, SnippetIndex } from "#ports/SnippetIndex.ts"
import { bytesOfSnippets, type CommentedEntry, inputSchemas, snippetsByIds } from "#projections/Snippets/queries.ts"
import { longestProperty } from "#projections/Snippets/tables.ts"
import { Indexing } from "./indexing.ts"
import { actorOf, Recorder } from "./record.ts"

/** A snippet that was found, with the name of the file that an agent should write it to. */
export interface Found {
  readonly snippet: CommentedEntry
  readonly match: IndexMatch
  readonly filename: string
}

export interface SearchAnswer {
  readonly found: ReadonlyArray<Found>
  /** Matches before the limit was applied. */
  readonly total: number
  /** Whether it came from memory: the same question, and nothing has changed since. */
  readonly cacheHit: boolean
  /** The index has not caught up with the catalogue in time: what is new may be missing. */
  readonly stale: boolean
}

export interface Question {
  readonly task: string
  readonly limit: number
  readonly minVerdict: number
  readonly preferComplete: boolean
  /** Votes of people for it that a snippet must have. */
  readonly minHumanUp?: number
  /** Any unless given. */
  readonly kinds?: ReadonlyArray<SnippetKind>
  /** Lower-case; any unless given. */
  readonly language?: string
  /** A JSON schema of what the caller can give: see `schemaFilter`. */
  readonly inputSchema?: { readonly [key: string]: unknown } | undefined
}

/** What a search sees. */
export type Sight = Pick<Scope, "homes" | "includePublic" | "agent">

const answersKept = 1_000
const entriesKept = 2_000
/** Characters of all entries that are kept, in answers too: some of a source file's length would take all memory. */
const charactersKept = 16_000_000

const lengthOf = (texts: ReadonlyArray<string>): number => texts.reduce((sum, text) => sum + text.length, 0)
const charactersOf = ({ source, description, example_queries, comments }: CommentedEntry): number =>
  1_000 + lengthOf([source, description, ...example_queries, ...comments.map(({ text }) => text)])

type Room<E, R> = (bytes: number) => Effect.Effect<void, E, R>
/** Bytes of entries that are read without asking for room. */
const slight = 256 * 1024

/** What tells a question from others; a long one by its digest, so that many of them take no memory. */
const nameOf = (question: unknown): string => {
  const text = JSON.stringify(question)
  return text.length < 500 ? text : createHash("sha256").update(text).digest("base64")
}

const dayOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10)

/** Finds snippets for a task in a scope. The caller has waited for the catalogue to be fresh, and says where it stands. */
export class Search extends Context.Service<
  Search,
  {
    /** `room` hears how many bytes are about to be read, when they are many: it may let the search wait, or end it. */
    readonly search: <E = never, R = never>(
      question: Question,
      scope: Sight,
      standing: Standing,
      room?: Room<E, R>
    ) => Effect.Effect<SearchAnswer, E, R>
  }
>()("cairn/Search") {
  static readonly layer = Layer.effect(
    Search,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const index = yield* SnippetIndex
      const indexing = yield* Indexing
      const answers = new Map<string, Omit<SearchAnswer, "cacheHit" | "stale">>()
      const entries = new Map<string, CommentedEntry>()
      let answersAt = -1
      let characters = 0

      /** What an entry is kept under: from other homes other comments are seen. */
      const placeOf = (id: string, homes: ReadonlyArray<string>) => `${id} ${homes.join(" ")}`

      const querying = <A, E>(query: Effect.Effect<A, E, SqlClient.SqlClient>) =>
        Effect.orDie(Effect.provideService(query, SqlClient.SqlClient, sql))

      /** Most are small, and read at once; large ones when there is room. */
      const read = Effect.fnUntraced(function* <E, R>(
        ids: ReadonlyArray<string>,
        homes: ReadonlyArray<string>,
        room: Room<E, R>
      ) {
        const found = yield* querying(snippetsByIds(ids, homes, slight))
        if (found.length > 0 || ids.length === 0) return found
        yield* room(yield* querying(bytesOfSnippets(ids)))
        return yield* querying(snippetsByIds(ids, homes))
      })

      /** Entries by id; those that were asked for since the catalogue last changed are at hand. */
      const entriesOf = Effect.fnUntraced(function* <E, R>(
        ids: ReadonlyArray<string>,
        homes: ReadonlyArray<string>,
        room: Room<E, R>
      ) {
        const at = answersAt
        // taken first: another search may forget them while the rest is read
        const kept = ids.flatMap((id) => entries.get(placeOf(id, homes)) ?? [])
        const all = new Map(kept.map((entry) => [entry.id, entry]))
        const found = yield* read(
          ids.filter((id) => !all.has(id)),
          homes,
          room
        )
        for (const entry of found) all.set(entry.id, entry)
        for (const entry of at === answersAt ? found : []) {
          const more = charactersOf(entry)
          const place = placeOf(entry.id, homes)
          if (entries.has(place) || entries.size >= entriesKept || characters + more > charactersKept) continue
          entries.set(place, entry)
          characters += more
        }
        return all
      })

      const ask = Effect.fnUntraced(function* <E, R>(query: IndexQuery, room: Room<E, R>) {
        const { matches, total } = yield* index.search(query)
        const byId = yield* entriesOf(
          matches.map(({ id }) => id),
          query.homes,
          room
        )
        const taken = new Set<string>()
        const found = matches.flatMap((match): Array<Found> => {
          const snippet = byId.get(match.id)
          if (snippet === undefined) return []
          // of a repository it is the readme that is written
          const language = snippet.kind === "repo" ? "markdown" : snippet.language
          return [{ snippet, match, filename: filename({ ...snippet, language }, taken) }]
        })
        return { found, total }
      })

      /** Which snippets of a scope may be called with what is described; `undefined`: nothing is asked of them. */
      const callable = Effect.fnUntraced(function* (inputSchema: Question["inputSchema"], scope: Sight) {
        const filter = inputSchema === undefined ? undefined : schemaFilter(inputSchema)
        if (filter === undefined) return undefined
        // no stored name has these, and no query may
        if (
          filter.names.some((name) => name.length > longestProperty || name.includes("\u0000") || !name.isWellFormed())
        )
          return new Set<string>()
        const found = yield* querying(inputSchemas(filter.names, scope.homes, scope.includePublic))
        return new Set(found.flatMap(({ id, input_schema }) => (filter.accepts(input_schema) ? [id] : [])))
      })

      return Search.of({
        search: Effect.fnUntraced(function* <E, R>(
          { inputSchema, ...question }: Question,
          scope: Sight,
          { changed }: Standing,
          room: Room<E, R> = () => Effect.void as Effect.Effect<void, E, R>
        ) {
          const reached = yield* indexing.reach(changed)
          const { homes, includePublic, agent } = scope
          // of a long task only what is searched counts, and is remembered
          const query: IndexQuery = { ...question, task: searched(question.task), homes, includePublic, agent }
          if (changed !== answersAt) {
            answers.clear()
            entries.clear()
            characters = 0
            answersAt = changed
          }
          const name = nameOf([query, inputSchema])
          const before = answers.get(name)
          if (before !== undefined) return { ...before, cacheHit: true, stale: false }
          const fitting = yield* callable(inputSchema, scope)
          const answer = yield* ask(fitting === undefined ? query : { ...query, accept: (id) => fitting.has(id) }, room)
          // what could not see everything is no answer to keep
          const isKept = answer.found.every(({ snippet }) => entries.get(placeOf(snippet.id, homes)) === snippet)
          if (reached && changed === answersAt && isKept && answers.size < answersKept) answers.set(name, answer)
          return { ...answer, cacheHit: false, stale: !reached }
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
  const snippets = found.map(({ snippet }) => snippet.id)
  yield* recorder.record({
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
