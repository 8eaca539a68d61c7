import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { derivedId } from "#domain/Id.ts"
import { SnippetCommand } from "#domain/Snippet/commands.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import type { SnippetEvent } from "#domain/Snippet/events.ts"
import { type Comment, emailsOf } from "#projections/Comments.ts"
import { Api } from "#src/api/Api.ts"
import type { ShownComment } from "#src/api/Comments.ts"
import { Caller, CallerScope } from "#src/api/middleware.ts"
import { fieldProblem } from "#src/api/Problem.ts"
import { codeBlock } from "#src/codeBlock.ts"
import { dispatch } from "#src/dispatch.ts"
import { attempting, written } from "./answer.ts"
import { orProblem } from "./refusals.ts"

const noSnippet = fieldProblem(
  "not_found/snippet",
  "code_block_id",
  "No snippet of this request's scope has this id or name. Search for it, or check the workspace header."
)

/** How comments are shown to a tenant: with the e-mail addresses of its own users alone. */
export const shownComments = Effect.fnUntraced(function* (tenant: string, all: ReadonlyArray<ReadonlyArray<Comment>>) {
  const authors = all.flat().flatMap(({ tenant: of, author }) => (of === tenant && author !== null ? [author] : []))
  const emails = yield* Effect.orDie(emailsOf(tenant, [...new Set(authors)]))
  const shown = ({ id, tenant: of, author, text, created_at }: Comment): ShownComment => {
    const email = of === tenant ? (emails.get(author ?? "") ?? "erased") : "external"
    return { id, email, text, created_at }
  }
  return all.map((comments) => comments.map(shown))
})

export const layer = HttpApiBuilder.group(Api, "comments", (handlers) =>
  handlers.handle("addComment", ({ payload }) =>
    Effect.gen(function* () {
      const { user, email } = yield* Caller
      const attempt = yield* attempting
      const place = yield* codeBlock(yield* CallerScope, payload.code_block_id)
      if (place === undefined) return yield* noSnippet
      const { id: snippet, tenant } = place
      const comment = derivedId("comment", attempt.commandId)
      const command = SnippetCommand.AddComment({ snippet, comment, author: user, words: payload.text })
      const events = yield* dispatch(Snippet, { tenant, stream: `snippet-${snippet}`, command, ...attempt })
      const { event, position, recordedAt } = events.at(-1)!
      yield* written(position)
      const { words } = (event as Extract<SnippetEvent, { _tag: "CommentAdded" }>).text ?? { words: payload.text }
      return {
        success: true,
        comment: { id: comment, email, text: words, created_at: new Date(recordedAt).toISOString() }
      }
    }).pipe(orProblem)
  )
)
