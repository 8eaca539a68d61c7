import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { idIn } from "#domain/Id.ts"
import { keptTask } from "#domain/keptTask.ts"
import { type NewVote, SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Functions } from "#projections/Functions/tables.ts"
import { Learned } from "#projections/Learned.ts"
import { Patterns } from "#projections/Patterns.ts"
import { knownSnippet } from "#projections/Snippets/queries.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { Api } from "#src/api/Api.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import type { UploadRequest } from "#src/api/Snippets/upload.ts"
import type { VoteRequest } from "#src/api/Snippets.ts"
import { counted } from "#src/counted.ts"
import { Notes } from "#src/notes.ts"
import { KnownSnippets } from "#src/snippets/knownSnippets.ts"
import { observedIn, upload } from "#src/snippets/store.ts"
import { commandMetadata, freshOrStale, isApplied, written } from "./answer.ts"
import { Arrived } from "./arrived.ts"
import { inOnePiece, inPieces } from "./pieces.ts"
import { orProblem } from "./refusals.ts"
import { codeBlockTexts, describedIn } from "./Snippets/codeBlock.ts"
import { deleting, deletingScope } from "./Snippets/deleting.ts"
import { retrievals } from "./Snippets/retrievals.ts"
import { search } from "./Snippets/search.ts"
import { gradingOf, kindOf, publicTexts, voteForUsed, voteOf } from "./Snippets/uploading.ts"
import { screened, withRoom } from "./screening.ts"
import { byAgent, ignoredVoting, sourceOf } from "./voting.ts"

const noneToVoteOn = fieldProblem(
  "not_found/snippet",
  "code_block_id",
  "No snippet of this request's scope has this id. Send the id that a search gave, not a name; check the workspace header too."
)

/** Stores the files of an upload, each as a snippet. */
export const storeFiles = Effect.fnUntraced(function* (payload: UploadRequest) {
  const holder = yield* Caller
  const scope = yield* CallerScope
  const { home, workspace, agent } = scope
  const metadata = yield* commandMetadata
  const files = [...(payload.file_written == null ? [] : [payload.file_written]), ...(payload.files_written ?? [])]
  const sources = files.map((file) => ({ home, source: file.content, ...kindOf(payload, file) }))
  yield* withRoom(sources)
  const logs = payload.execution_logs ?? null
  const agents = yield* byAgent
  const reputation = {
    tracked: payload.per_function_reputation ?? false,
    shared: files.length > 1 ? yield* observedIn(logs ?? "") : null
  }
  if (payload.public === true) yield* screened(publicTexts(payload), holder, sources)
  const stored = yield* Effect.forEach(files, ({ path, content }, index) =>
    upload(
      holder,
      {
        home,
        workspace,
        agent,
        path,
        source: content,
        task: payload.task,
        logs,
        succeeded: payload.succeeded,
        ...reputation,
        publish: payload.public ?? false,
        dependencies: payload.dependencies ?? {},
        tags: payload.tags ?? [],
        vote: voteOf(payload, agents),
        gradingCount: gradingOf(payload),
        ...kindOf(payload, { path, content })
      },
      {
        ...metadata,
        commandId: derivedId(metadata.commandId, index),
        request: index === 0 ? metadata.request! : null
      }
    )
  )
  const votes = yield* voteForUsed(payload, holder, scope, metadata, agents)
  const last = stored.at(-1)!
  yield* written(last.position)
  const used = (payload.cached_code_blocks ?? []).length > 0
  const ignored = ignoredVoting(payload, { voted: payload.user_vote != null, field: "user_vote", used, agent: agents })
  const name = last.name ?? (yield* nameOf(last.snippet))
  // files with the same content are one snippet
  const snippets = new Set(stored.map(({ snippet }) => snippet)).size
  return {
    success: true,
    code_blocks_stored: snippets,
    message: `Stored ${counted(snippets, "snippet")}.${votes}${ignored}`,
    snippet_name: name,
    status_url: last.request === null ? null : `/api/store/status/${last.request}`
  }
}, orProblem)

/** Casts the caller's vote on a snippet that the request's scope sees. */
export const vote = Effect.fnUntraced(function* (payload: typeof VoteRequest.Type) {
  const { user } = yield* Caller
  const scope = yield* CallerScope
  const metadata = yield* commandMetadata
  const snippet = idIn(payload.code_block_id)
  const known = snippet === undefined ? undefined : yield* (yield* KnownSnippets).seen(scope, snippet)
  if (snippet === undefined || known === undefined) return yield* noneToVoteOn
  const agents = yield* byAgent
  const source = sourceOf(payload.vote_source, agents)
  const vote: NewVote = { value: payload.succeeded ? 1 : -1, count: 1, ...source, home: scope.home }
  const task = payload.task == null ? null : keptTask(payload.task)
  const command = SnippetCommand.CastVote({ snippet, voter: user, task, vote })
  const stream = `snippet-${snippet}`
  // without a task, a vote takes that of the search that showed the snippet last, which must be in the log by then
  if (task === null) yield* (yield* Notes).settled
  const events = yield* dispatch(Snippet, { tenant: known.tenant, stream, command, ...metadata })
  const { position } = events.at(-1)!
  yield* written(position)
  const pending = !(yield* isApplied(position, [Snippets, Functions, Patterns, Learned]))
  const when = pending ? "is accepted, and is being applied: it counts in a moment" : "is accepted, and counts"
  const ignored = ignoredVoting(payload, { voted: true, field: "user_vote", used: false, agent: agents })
  return { success: true, vote_pending: pending, message: `The vote ${when}.${ignored}` }
}, orProblem)

export const layer = HttpApiBuilder.group(Api, "snippets", (handlers) =>
  handlers
    .handle("search", ({ payload }) =>
      Effect.flatMap(Arrived, (seen) => search(payload, seen)).pipe(
        Effect.flatMap(({ answer, small }) => (small === undefined ? inPieces(answer) : Effect.map(small, inOnePiece))),
        orProblem
      )
    )

    .handle("retrievals", ({ params, query }) => orProblem(retrievals(params.id, query)))

    .handle("upload", ({ payload }) => storeFiles(payload))

    .handle("storeCodeBlock", ({ payload }) =>
      Effect.gen(function* () {
        const holder = yield* Caller
        const { home, workspace, agent } = yield* CallerScope
        yield* withRoom([{ home, source: payload.source }])
        if (payload.public === true)
          yield* screened(codeBlockTexts(payload), holder, [{ home, source: payload.source }])
        const { snippet, position } = yield* upload(
          holder,
          {
            home,
            workspace,
            agent,
            succeeded: true,
            publish: payload.public ?? false,
            ...describedIn(payload)
          },
          yield* commandMetadata
        )
        yield* written(position)
        return { success: true, code_block_id: snippet, embedding_id: snippet, message: "Stored 1 snippet." }
      }).pipe(orProblem)
    )

    .handle("delete", ({ payload: { snippet_id, workspace_id } }) =>
      Effect.gen(function* () {
        return yield* deleting(yield* deletingScope(workspace_id), snippet_id)
      }).pipe(orProblem)
    )

    .handle("deleteCodeBlock", ({ params: { id } }) =>
      Effect.flatMap(CallerScope, (scope) => deleting(scope, id)).pipe(orProblem)
    )

    .handle("vote", ({ payload }) => vote(payload))
)

const nameOf = Effect.fnUntraced(function* (snippet: string) {
  yield* freshOrStale(Snippets)
  return (yield* Effect.orDie(knownSnippet(snippet)))?.name ?? null
})
