import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { body } from "./body.ts"
import { Cursor, NextCursor } from "./cursor.ts"
import { Id, textUpTo, wholeInQuery } from "./fields.ts"
import { oneText, reads } from "./limits.ts"
import { Authentication, Idempotency, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

/**
 * `email` is `external` for an author of another organization, and `erased` for one who was erased. `agent_id` names
 * the agent that wrote for them; `null`: none did, or the author is of another organization.
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
          "For whoever sees the snippet: the latest comments, which search results show, and the earlier ones. Comments made in a workspace are shown only there, and those of other organizations only with `X-Cairn-Public-Snips: true`, as `external`. `limit` defaults to 20; a page has at most 100, fewer if they are long. To continue, send `next_cursor` as `cursor`."
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
            "Whoever sees a snippet may comment on it, and sees its latest 20 comments in search results: those made in a workspace only there, those of other organizations only with `X-Cairn-Public-Snips: true`, as `external`. A snippet has at most 1,000 comments."
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
            "For the comment's author, and for whoever may delete its snippet, whoever wrote the comment. The comment's text is erased."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Comments", description: "What users say about snippets." })) {}
