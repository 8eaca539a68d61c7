import { Clock, Effect, Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { filename } from "#domain/filename.ts"
import { idIn } from "#domain/Id.ts"
import { logPreview, logWords } from "#domain/search/logWords.ts"
import { type LogMatch, type LogPlace, Logs, logsByIds, logsOf, searchLogs } from "#projections/Logs.ts"
import { listedByIds, snippetsByIds } from "#projections/Snippets/queries.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { Api } from "#src/api/Api.ts"
import { cursors, placeId, placePosition } from "#src/api/cursor.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import type { LogSearchRequest } from "#src/api/Raw.ts"
import { slight } from "#src/portions.ts"
import { placesIn } from "#src/positions.ts"
import { codeBlock } from "#src/snippets/codeBlock.ts"
import { KnownSnippets } from "#src/snippets/knownSnippets.ts"
import { freshOrStale } from "./answer.ts"
import { Answers, byPortions, copies } from "./answers.ts"
import { inPieces, values } from "./pieces.ts"
import { logsShown, pageOf } from "./Raw/page.ts"
import { orProblem } from "./refusals.ts"
import { sandboxed } from "./sandboxed.ts"

const notFound = fieldProblem(
  "not_found/snippet",
  "file",
  "No snippet of this request's scope has this id. The path is /raw/<id>.md; check the workspace header too."
)

/** The most words of a query that are looked for. */
const mostWords = 32
const day = 86_400_000

const headers = { "content-type": "text/markdown; charset=utf-8", ...sandboxed }

const none = {
  matches: { rows: Stream.empty },
  ...values({ total_found: 0, has_more: false, next_cursor: null })
}

const places = cursors<LogPlace>(Schema.Tuple([placePosition, Schema.Finite, placeId]))

/** A snippet as a page of Markdown, with what the request's scope sees of it. */
export const snippetPage = Effect.fnUntraced(function* (given: string) {
  const scope = yield* CallerScope
  const id = idIn(given)
  const known = id === undefined ? undefined : yield* (yield* KnownSnippets).seen(scope, id)
  if (id === undefined || known === undefined) return yield* notFound
  yield* Effect.all([freshOrStale(Logs), freshOrStale(Snippets)], { concurrency: 2 })
  const [listed] = yield* Effect.orDie(listedByIds([id], []))
  if (listed !== undefined && listed.bytes > slight) yield* (yield* Answers).take(copies * listed.bytes)
  const [snippet] = yield* Effect.orDie(snippetsByIds([id]))
  if (snippet === undefined) return yield* notFound
  const own = scope.homes.includes(snippet.home)
  const logs = own ? yield* Effect.orDie(logsOf(id, logsShown)) : []
  return pageOf(snippet, !own, own ? snippet.example_queries : [], logs)
}, orProblem)

/** A match as the API tells it. Its filename may be that of another match: each is a file of its own. */
const shownMatch = (
  match: LogMatch,
  { log, task }: { log: string; task: string | null },
  words: ReadonlyArray<string>
) => ({
  snippet_id: match.snippet,
  name: match.name,
  language: match.language,
  created_at: match.created_at.toISOString(),
  score: match.score,
  preview: logPreview(log, words),
  raw_markdown_url: `/raw/${match.snippet}.md`,
  filename: filename({ ...match, id: match.snippet }, new Set()),
  triggering_query: task,
  log_url: null
})

/** Logs that have words of a query, each read when it is asked for: fields for `inPieces`. */
export const foundLogs = Effect.fnUntraced(function* (payload: typeof LogSearchRequest.Type) {
  const { tenant } = yield* Caller
  const scope = yield* CallerScope
  yield* Effect.all([freshOrStale(Logs), freshOrStale(Snippets)], { concurrency: 2 })
  const given = payload.code_block_id ?? null
  const language = payload.language?.toLowerCase() ?? null
  const daysBack = payload.days_back ?? null
  const search = [tenant, scope.homes, scope.agent, payload.query, given, language, daysBack]
  const asked = ["logs", ...search, ...(yield* placesIn)]
  const after = yield* places.read(asked, payload.cursor, payload.offset)
  const known = given === null ? undefined : yield* codeBlock(scope, given)
  const words = logWords(payload.query).slice(0, mostWords)
  if (words.length === 0 || (given !== null && known === undefined)) return none
  const { limit, offset } = { limit: payload.limit ?? 20, offset: payload.offset ?? 0 }
  const now = yield* Clock.currentTimeMillis
  const found = yield* Effect.orDie(
    searchLogs(tenant, scope, {
      words,
      limit: limit + 1,
      offset,
      after,
      snippet: known?.id ?? null,
      language,
      since: daysBack === null ? null : new Date(now - daysBack * day)
    })
  )
  const matches = found.page.slice(0, limit)
  const [last, more] = [matches.at(-1), found.page.length > limit]
  const rows = byPortions(matches, (portion) =>
    Effect.map(Effect.orDie(logsByIds(portion.map(({ id }) => id))), (read) => {
      const byId = new Map(read.map((log) => [log.id, log]))
      return portion.flatMap((match) => {
        const log = byId.get(match.id)
        return log === undefined ? [] : [shownMatch(match, log, words)]
      })
    })
  )
  const next = more ? places.write(asked, [after?.[0] ?? found.until, last!.score, last!.id]) : null
  return { matches: { rows }, ...values({ total_found: found.total, has_more: more, next_cursor: next }) }
})

export const layer = HttpApiBuilder.group(Api, "raw", (handlers) =>
  handlers
    .handle("searchLogs", ({ payload }) => Effect.flatMap(foundLogs(payload), inPieces).pipe(orProblem))

    .handle("rawSnippet", ({ params: { file } }) =>
      Effect.gen(function* () {
        if (!file.endsWith(".md")) return yield* notFound
        return HttpServerResponse.text(yield* snippetPage(file.slice(0, -3)), { headers })
      }).pipe(orProblem)
    )
)
