import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { body } from "./body.ts"
import { Cursor, NextCursor } from "./cursor.ts"
import { Id, textUpTo, wholeInQuery } from "./fields.ts"
import { oneText, reads } from "./limits.ts"
import { Authentication, Idempotency, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

/**
 * `email` is `external` for somebody of another organization, and `erased` for somebody who was erased. `agent_id`
 * names the agent that said it on their behalf; `null`: they said it themselves, or are strangers.
 */
export const ShownComment = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  agent_id: Schema.NullOr(Schema.String),
  text: Schema.String,
  created_at: Schema.String
}).annotate({ identifier: "SnippetComment" })
export type ShownComment = typeof ShownComment.Type

/** Routes of comments on snippets. */
export class CommentsApi extends HttpApiGroup.make("comments")
  .add(
    HttpApiEndpoint.get("listComments", "/api/snippets/:id/comments", {
      params: { id: Id },
      query: Schema.Struct({ limit: wholeInQuery(1, 1000), cursor: Schema.optional(Cursor) }),
      success: Schema.Struct({ comments: Schema.Array(ShownComment), next_cursor: NextCursor })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "The comments on a snippet, the latest first",
        description:
          "For whoever sees the snippet: those that search results show the latest of, and the earlier ones. What was said in a workspace is told only there, and what other organizations said only with `X-Cairn-Public-Snips: true`, as `external`. At most 100 at a time, fewer where they are long, 20 unless `limit` says otherwise. Go on with `cursor` = `next_cursor`."
      })
    ),
    HttpApiEndpoint.post("addComment", "/api/store/comment", {
      payload: body(
        Schema.Struct({ code_block_id: Id, text: textUpTo(10_000) }).annotate({
          identifier: "CommentRequest"
        })
      ),
      success: Schema.Struct({ success: Schema.Boolean, comment: ShownComment })
    })
      .middleware(Idempotency)
      .annotateMerge(reads(oneText))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Comment on a snippet",
          description:
            "Whoever sees a snippet may comment on it, and sees its latest 20 comments in search results: those said in a workspace only there, those of other organizations only with `X-Cairn-Public-Snips: true`, and as `external`. A snippet has at most 1,000 comments."
        })
      ),
    HttpApiEndpoint.delete("deleteComment", "/api/store/comment/:id", {
      params: { id: Schema.String },
      success: Schema.Struct({ success: Schema.Boolean, message: Schema.String })
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Delete a comment",
          description:
            "For its author, and for whoever may delete the snippet it is on, whoever wrote it. Its text is erased."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Comments", description: "What users say about snippets." })) {}
