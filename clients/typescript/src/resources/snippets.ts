import type { VoteSource } from "../enumerations.ts"
import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"

/** What `delete` gives. */
export interface DeleteResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** 1: the snippet. */
  readonly deletedCount: number
  /** For a person. */
  readonly message: string
}

export const deleteSnippet = (snippetId: string, workspaceId?: string): Call<DeleteResponse> => ({
  method: "POST",
  path: "/api/snippets/delete",
  workspaceId,
  body: { snippet_id: snippetId },
  answer: json((wire: { success: boolean; deleted_count: number; message: string }) => ({
    success: wire.success,
    deletedCount: wire.deleted_count,
    message: wire.message
  }))
})

/** What `voteCodeSnip` takes. */
export interface VoteCodeSnipParams {
  /** The `codeBlock.id` of a match. */
  readonly codeBlockId: string
  /** Whether the snippet helped. */
  readonly succeeded: boolean
  /** The task that it was used for. */
  readonly task?: string | undefined
  /** Existing programs send it; the service goes by the id. */
  readonly codeBlockName?: string | undefined
  /** Existing programs send it; the service goes by the id. */
  readonly codeBlockDescription?: string | undefined
  /**
   * `ai`: an agent votes, and not the person whose key it is. Default: `human`, but `ai` with a client that has an
   * `agentId`.
   */
  readonly voteSource?: VoteSource | undefined
  /** In place of the client's workspace. */
  readonly workspaceId?: string | undefined
}

/** What `voteCodeSnip` gives. */
export interface VoteCodeSnipResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** Whether the vote is still being applied: it is accepted, and counts in a moment. */
  readonly votePending: boolean
  /** For a person. */
  readonly message: string
}

export const vote = (params: VoteCodeSnipParams): Call<VoteCodeSnipResponse> => ({
  method: "POST",
  path: "/api/store/cache-usage",
  workspaceId: params.workspaceId,
  body: {
    task: params.task,
    code_block_id: params.codeBlockId,
    code_block_name: params.codeBlockName,
    code_block_description: params.codeBlockDescription,
    succeeded: params.succeeded,
    vote_source: params.voteSource
  },
  answer: json((wire: { success: boolean; vote_pending: boolean; message: string }) => ({
    success: wire.success,
    votePending: wire.vote_pending,
    message: wire.message
  }))
})
