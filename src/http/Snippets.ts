import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { derivedId, isId } from "#domain/Id.ts"
import { type Holder, type Scope, scopeOf, sees } from "#domain/Scope.ts"
import { type NewVote, SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import { EventStore } from "#ports/EventStore.ts"
import { Snippets, snippetPlace, snippetsNamed } from "#projections/Snippets.ts"
import { Api } from "#src/api/Api.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { fieldProblem, Problem } from "#src/api/Problem.ts"
import type { SearchMatch, UploadRequest } from "#src/api/Snippets.ts"
import { Unreadable } from "#src/ask.ts"
import type { Attempt } from "#src/attempt.ts"
import { dispatch } from "#src/dispatch.ts"
import { Places } from "#src/places.ts"
import { type Found, noteAnswer, Search } from "#src/search.ts"
import { upload } from "#src/upload.ts"
import { attempting, freshOrStale, written } from "./answer.ts"
import { bodyText } from "./middleware/body.ts"
import { problemOf as scopeProblemOf } from "./middleware/scope.ts"
import { orProblem } from "./refusals.ts"

const notFound = fieldProblem(
  "not_found/snippet",
  "snippet_id",
  "No snippet of this request's scope has this id or name. Search for it, or check the workspace header."
)

const matchOf = ({ snippet, match, filename }: Found): SearchMatch => ({
  code_block: {
    ...{ id: snippet.id, name: snippet.name, description: snippet.description, source: snippet.source },
    ...{ entrypoint: snippet.entrypoint, language: snippet.language, language_version: snippet.language_version },
    ...{ dependencies: snippet.dependencies, tags: snippet.tags, capabilities: snippet.capabilities },
    ...{ input_schema: snippet.input_schema, output_schema: snippet.output_schema },
    ...{ example_queries: snippet.example_queries, agent_id: snippet.agent },
    ...{ created_at: snippet.created_at.toISOString(), updated_at: snippet.updated_at.toISOString() }
  },
  ...{ score: match.score, combined_score: match.score, vector_score: match.vector, verdict_score: match.verdict },
  ...{ thumbs_up: snippet.up, thumbs_down: snippet.down, filename, language: snippet.language },
  ...{ entrypoint: snippet.entrypoint, dependencies: snippet.dependencies, agent_id: snippet.agent },
  ...{ comments: [], functions: null }
})

type Uploading = typeof UploadRequest.Type

const voteOf = ({ user_vote, vote_source, vote_count }: Uploading): NewVote | null => {
  if (user_vote == null) return null
  const source = vote_source === "ai" ? "ai" : "human"
  const origin = vote_source == null || vote_source === "ai" || vote_source === "human" ? null : vote_source
  return { value: user_vote, count: vote_count ?? 1, source, origin }
}

const gradingOf = (request: Uploading): number | null =>
  (request.use_service_ai_voting ?? request.use_raysurfer_ai_voting ?? request.auto_vote ?? true)
    ? (request.vote_count ?? 1)
    : null

/** The one snippet that the caller means by an id, or by a name that no other of its scope has. */
const named = Effect.fnUntraced(function* (scope: Scope, idOrName: string) {
  if (isId(idOrName)) {
    const place = yield* Effect.orDie(snippetPlace(idOrName))
    if (place !== undefined && place.home === scope.home) return place
    if (place !== undefined && sees(scope, place)) {
      return yield* new Problem({
        code: "permission/not_your_snippet",
        message:
          "This snippet lives in another scope than the request's: it can be used and voted on here, not deleted. Delete it from where it was uploaded."
      })
    }
  }
  const places = yield* Effect.orDie(snippetsNamed(scope.home, idOrName))
  if (places.length > 1) {
    const ids = places.map(({ id }) => id).join(", ")
    return yield* fieldProblem(
      "conflict/ambiguous_name",
      "snippet_id",
      `${places.length} snippets have this name: ${ids}. Send the id of the one that you mean.`
    )
  }
  return places[0] ?? (yield* notFound)
})

/** What a repeated request led to the first time: by its name, the snippet would not be found any more. */
const doneBefore = Effect.fnUntraced(function* ({ commandId }: Attempt) {
  const events = yield* Effect.mapError((yield* EventStore).outcome(commandId), () => new Unreadable())
  return events.length === 0 ? undefined : events
})

const deleted = Effect.fnUntraced(function* (holder: Holder, scope: Scope, idOrName: string, attempt: Attempt) {
  const { id } = yield* named(scope, idOrName)
  const command = SnippetCommand.DeleteSnippet({ snippet: id })
  return yield* dispatch(Snippet, { tenant: holder.tenant, stream: `snippet-${id}`, command, ...attempt })
})

/** A body's own workspace stands in for the header's. */
const deletingScope = (holder: Holder, scope: Scope, workspace: string | null | undefined) =>
  workspace == null
    ? Effect.succeed(scope)
    : Effect.fromResult(
        scopeOf(holder, {
          ...{ organization: undefined, snipsDesired: undefined, publicSnips: undefined },
          ...{ workspace, agent: scope.agent ?? undefined }
        })
      ).pipe(Effect.mapError(scopeProblemOf))

export const layer = HttpApiBuilder.group(Api, "snippets", (handlers) =>
  handlers
    .handle("search", ({ payload }) =>
      Effect.gen(function* () {
        yield* bodyText
        const holder = yield* Caller
        const scope = yield* CallerScope
        const standing = yield* freshOrStale(Snippets)
        const question = {
          task: payload.task,
          limit: payload.top_k ?? 5,
          minVerdict: payload.min_verdict_score ?? 0.3,
          preferComplete: payload.prefer_complete ?? false
        }
        const answer = yield* (yield* Search).search(question, scope, standing)
        yield* noteAnswer(holder, scope, payload.task, answer, yield* Clock.currentTimeMillis)
        return { matches: answer.found.map(matchOf), total_found: answer.total, cache_hit: answer.cacheHit }
      })
    )

    .handle("upload", ({ payload }) =>
      Effect.gen(function* () {
        const holder = yield* Caller
        const { home, workspace, agent } = yield* CallerScope
        const attempt = yield* attempting
        const files = [
          ...(payload.file_written == null ? [] : [payload.file_written]),
          ...(payload.files_written ?? [])
        ]
        const stored = yield* Effect.forEach(files, ({ path, content }, index) =>
          upload(
            holder,
            {
              ...{ home, workspace, agent, origin: "upload", path, source: content, task: payload.task },
              ...{ logs: payload.execution_logs ?? null, succeeded: payload.succeeded },
              ...{ publish: payload.public ?? false, dependencies: payload.dependencies ?? {} },
              ...{ tags: payload.tags ?? [], vote: voteOf(payload), gradingCount: gradingOf(payload) }
            },
            {
              ...attempt,
              commandId: derivedId(attempt.commandId, index),
              request: index === 0 ? attempt.request! : null
            }
          )
        )
        const last = stored.at(-1)!
        yield* written(last.position)
        const name = last.name ?? (yield* nameOf(last.snippet))
        return {
          success: true,
          code_blocks_stored: stored.length,
          message: `Stored ${stored.length === 1 ? "1 snippet" : `${stored.length} snippets`}.`,
          snippet_name: name,
          status_url: last.request === null ? null : `/api/store/status/${last.request}`
        }
      }).pipe(orProblem)
    )

    .handle("delete", ({ payload }) =>
      Effect.gen(function* () {
        const holder = yield* Caller
        const scope = yield* deletingScope(holder, yield* CallerScope, payload.workspace_id)
        yield* freshOrStale(Snippets)
        const attempt = yield* attempting
        const events = (yield* doneBefore(attempt)) ?? (yield* deleted(holder, scope, payload.snippet_id, attempt))
        yield* written(events.at(-1)!.position)
        // the catalogue has a copy of the text, which must be gone too when this is answered
        yield* freshOrStale(Snippets)
        return { success: true, deleted_count: 1, message: "Deleted 1 snippet, its votes and its texts." }
      }).pipe(orProblem)
    )

    .handle("vote", ({ payload }) =>
      Effect.gen(function* () {
        const { user } = yield* Caller
        const attempt = yield* attempting
        const snippet = payload.code_block_id
        const place = isId(snippet) ? yield* (yield* Places).seen(yield* CallerScope, snippet) : undefined
        if (place === undefined) return yield* notFound
        const vote: NewVote = { value: payload.succeeded ? 1 : -1, count: 1, source: "human", origin: null }
        const command = SnippetCommand.CastVote({ snippet, voter: user, task: payload.task ?? null, vote })
        const stream = `snippet-${snippet}`
        const events = yield* dispatch(Snippet, { tenant: place.tenant, stream, command, ...attempt })
        yield* written(events.at(-1)!.position)
        return { success: true, vote_pending: true, message: "The vote is stored and counts from now on." }
      }).pipe(orProblem)
    )
)

const nameOf = Effect.fnUntraced(function* (snippet: string) {
  yield* freshOrStale(Snippets)
  return (yield* Effect.orDie(snippetPlace(snippet)))?.name ?? null
})
