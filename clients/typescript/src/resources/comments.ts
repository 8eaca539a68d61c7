import type { Result } from "../Result.ts"
import { type Call, json, part } from "../request.ts"

/** What somebody said about a snippet. */
export interface Comment {
  /** A UUID. */
  readonly id: string
  /** `external` for somebody of another organization, `erased` for somebody who was erased. */
  readonly email: string
  /**
   * The agent that said it on their behalf (`agentId` of its client); `null`: they did themselves, or are strangers.
   */
  readonly agentId: string | null
  /** What was said. */
  readonly text: string
  /** ISO 8601. */
  readonly createdAt: string
}

export interface CommentWire {
  readonly id: string
  readonly email: string
  readonly agent_id?: string | null
  readonly text: string
  readonly created_at: string
}

export const commentOf = ({ id, email, agent_id, text, created_at }: CommentWire): Comment => ({
  id,
  email,
  agentId: agent_id ?? null,
  text,
  createdAt: created_at
})

/** What `commentOnCodeSnip` takes. */
export interface CommentParams {
  /** A snippet's id or name. */
  readonly codeBlockId: string
  /** 1 to 10,000 characters. */
  readonly text: string
}

/** What `snippets.comment` gives. */
export interface CommentResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** As it is shown with the snippet. */
  readonly comment: Comment
}

/** What `snippets.comments` gives. */
export interface CommentList extends Result {
  /** The latest first. */
  readonly comments: ReadonlyArray<Comment>
  /** For `cursor`; `null` at the end. */
  readonly nextCursor: string | null
}

/** What `snippets.deleteComment` gives. */
export interface DeleteCommentResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** What was done, in words. */
  readonly message: string
}

export const deleteComment = (id: string): Call<DeleteCommentResponse> => ({
  method: "DELETE",
  path: `/api/store/comment/${part("commentId", id)}`,
  answer: json(({ success, message }: { success: boolean; message: string }) => ({ success, message }))
})

export const comment = ({ codeBlockId, text }: CommentParams): Call<CommentResponse> => ({
  method: "POST",
  path: "/api/store/comment",
  body: { code_block_id: codeBlockId, text },
  answer: json((wire: { success: boolean; comment: CommentWire }) => ({
    success: wire.success,
    comment: commentOf(wire.comment)
  }))
})

export const commentsOn = (
  id: string,
  page: { readonly limit?: number | undefined; readonly cursor?: string | undefined }
): Call<CommentList> => ({
  method: "GET",
  path: `/api/snippets/${part("codeBlockId", id)}/comments`,
  query: { limit: page.limit, cursor: page.cursor },
  answer: json((wire: { comments: ReadonlyArray<CommentWire>; next_cursor: string | null }) => ({
    comments: wire.comments.map(commentOf),
    nextCursor: wire.next_cursor
  }))
})
