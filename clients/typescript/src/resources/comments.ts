import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"

/** What somebody said about a snippet. */
export interface Comment {
  readonly id: string
  /** `external` for somebody of another organization, `erased` for somebody who was erased. */
  readonly email: string
  readonly text: string
  /** ISO 8601. */
  readonly createdAt: string
}

export interface CommentWire {
  readonly id: string
  readonly email: string
  readonly text: string
  readonly created_at: string
}

export const commentOf = ({ id, email, text, created_at }: CommentWire): Comment => ({
  id,
  email,
  text,
  createdAt: created_at
})

export interface CommentParams {
  /** A snippet's id. */
  readonly codeBlockId: string
  /** 1 to 10,000 characters. */
  readonly text: string
}

export interface CommentResponse extends Result {
  readonly success: boolean
  readonly comment: Comment
}

export const comment = ({ codeBlockId, text }: CommentParams): Call<CommentResponse> => ({
  method: "POST",
  path: "/api/store/comment",
  body: { code_block_id: codeBlockId, text },
  answer: json((wire: { success: boolean; comment: CommentWire }) => ({
    success: wire.success,
    comment: commentOf(wire.comment)
  }))
})
