import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { idIn } from "#domain/Id.ts"
import { type Holder, type Scope, sees } from "#domain/Scope.ts"
import { SnippetCommand } from "#domain/Snippet/commands.ts"
import { CommentNotFound } from "#domain/Snippet/comments.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import type { SnippetEvent } from "#domain/Snippet/events.ts"
import type { CommandMetadata } from "#engine/CommandEnvelope.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import { knownComment, shownAs } from "#projections/Comments.ts"
import { knownSnippet } from "#projections/Snippets/queries.ts"
import { Snippets, schema } from "#projections/Snippets/tables.ts"
import { Api } from "#src/api/Api.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { codeBlock } from "#src/snippets/codeBlock.ts"
import { commandMetadata, doneBefore, freshOrStale, written } from "./answer.ts"
import { listComments } from "./Comments/list.ts"
import { orProblem } from "./refusals.ts"
import { mayDelete } from "./Snippets/storedBy.ts"

const noSnippet = fieldProblem(
  "not_found/snippet",
  "code_block_id",
  "No snippet of this request's scope has this id or name. Search for it, or check the workspace header."
)

/**
 * Deletes a comment for its author, or for anybody who may delete the snippet. A comment that the caller can't see
 * counts as not found.
 */
const deleted = Effect.fnUntraced(function* (holder: Holder, scope: Scope, comment: string, metadata: CommandMetadata) {
  yield* freshOrStale(Snippets)
  const found = yield* Effect.orDie(knownComment(schema, comment))
  const known = found === undefined ? undefined : yield* Effect.orDie(knownSnippet(found.snippet))
  if (found === undefined || known === undefined) return yield* new CommentNotFound({ comment })
  const isIn = known.tenant === holder.tenant && known.home === scope.home
  const owns = isIn && (yield* mayDelete(holder, known.id))
  const wrote = found.tenant === holder.tenant && found.author === holder.user
  const onlooker = { tenant: holder.tenant, ...scope }
  const shown = sees(scope, known) && shownAs(onlooker, known.tenant, found) !== "hidden"
  if (!isIn && !wrote && !shown) return yield* new CommentNotFound({ comment })
  const { id: snippet, tenant } = known
  const command = SnippetCommand.DeleteComment({ snippet, comment, by: wrote ? holder.user : "", owns })
  return yield* dispatch(Snippet, { tenant, stream: `snippet-${snippet}`, command, ...metadata })
})

export const layer = HttpApiBuilder.group(Api, "comments", (handlers) =>
  handlers
    .handle("listComments", ({ params, query }) => orProblem(listComments(params.id, query)))

    .handle("addComment", ({ payload }) =>
      Effect.gen(function* () {
        const { user, email } = yield* Caller
        const metadata = yield* commandMetadata
        const scope = yield* CallerScope
        const known = yield* codeBlock(scope, payload.code_block_id)
        if (known === undefined) return yield* noSnippet
        const { id: snippet, tenant } = known
        const comment = derivedId("comment", metadata.commandId)
        const command = SnippetCommand.AddComment({
          snippet,
          comment,
          author: user,
          home: scope.home,
          agent: scope.agent,
          words: payload.text
        })
        const events = yield* dispatch(Snippet, { tenant, stream: `snippet-${snippet}`, command, ...metadata })
        const { event, position, recordedAt } = events.at(-1)!
        yield* written(position)
        const added = (event as Extract<SnippetEvent, { _tag: "CommentAdded" }>).text
        const { words, agent } = added ?? { words: payload.text, agent: scope.agent }
        return {
          success: true,
          comment: { id: comment, email, agent_id: agent, text: words, created_at: new Date(recordedAt).toISOString() }
        }
      }).pipe(orProblem)
    )

    .handle("deleteComment", ({ params }) =>
      Effect.gen(function* () {
        const id = idIn(params.id)
        if (id === undefined) return yield* new CommentNotFound({ comment: params.id })
        const metadata = yield* commandMetadata
        const done = yield* doneBefore
        const events = done ?? (yield* deleted(yield* Caller, yield* CallerScope, id, metadata))
        yield* written(events.at(-1)!.position)
        // the catalogue has a copy of the text, which must be gone before the answer
        yield* freshOrStale(Snippets)
        return { success: true, message: "Deleted 1 comment and its text." }
      }).pipe(orProblem)
    )
)
