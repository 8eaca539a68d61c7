import type { VoteSource } from "../enumerations.ts"
import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"
import type { Dependencies } from "./codeBlocks.ts"

/** A file that a task produced. */
export interface FileWritten {
  /** Where it was written: its name tells the language. */
  readonly path: string
  /** All of it: at most 1 MiB of UTF-8. */
  readonly content: string
}

/** A snippet that was retrieved and used. */
export interface CachedCodeBlock {
  /** The snippet's id. */
  readonly codeBlockId: string
  /** The file that it was used as. */
  readonly filename?: string | undefined
  /** What it does. */
  readonly description?: string | undefined
}

/** How an upload is voted on. */
export interface Voting {
  /** Whether the service's model grades what is stored. Default: yes. Votes of your own come in its place. */
  readonly useServiceAiVoting?: boolean | undefined
  /** Who gives `userVote` or `userVotes`. Default: `human`, but `ai` with a client that has an `agentId`. */
  readonly voteSource?: VoteSource | undefined
  /** How often each vote counts, 1 to 100. Default: 1. */
  readonly voteCount?: number | undefined
}

export const votingOf = ({ useServiceAiVoting, voteSource, voteCount }: Voting): object => ({
  use_service_ai_voting: useServiceAiVoting,
  vote_source: voteSource,
  vote_count: voteCount
})

/** What `upload` takes. */
export interface UploadParams extends Voting {
  /** The task that was carried out. */
  readonly task: string
  /** What it produced. */
  readonly fileWritten: FileWritten
  /** Whether the task was completed. A failed run is worth storing too. */
  readonly succeeded: boolean
  /** 1 or -1: your own vote, in place of the grading. */
  readonly userVote?: 1 | -1 | undefined
  /** What the run printed: helps the grading, and can be searched. */
  readonly executionLogs?: string | undefined
  /** Package name to version. */
  readonly dependencies?: Dependencies | undefined
  /** Words that it is found by. */
  readonly tags?: ReadonlyArray<string> | undefined
  /** Whether score is kept of each function. Default: no. */
  readonly perFunctionReputation?: boolean | undefined
  /** Snippets that the run used: each gets a vote by `succeeded`. */
  readonly cachedCodeBlocks?: ReadonlyArray<CachedCodeBlock> | undefined
  /** Whether everybody may find it. Refused when it holds a secret. Default: no. */
  readonly public?: boolean | undefined
  /** Where the run is to be seen. */
  readonly runUrl?: string | undefined
  /** In place of the client's workspace. */
  readonly workspaceId?: string | undefined
}

/** What `upload` gives. */
export interface SubmitExecutionResultResponse extends Result {
  /** True: whatever goes wrong is raised. */
  readonly success: boolean
  /** 1: the file became a snippet, or was one already. */
  readonly codeBlocksStored: number
  /** For a person. */
  readonly message: string
  /** What the snippet is called. */
  readonly snippetName: string | null
  /** For `uploads.status`; `null` when nothing is graded. */
  readonly statusUrl: string | null
}

interface UploadWire {
  readonly success: boolean
  readonly code_blocks_stored: number
  readonly message: string
  readonly snippet_name?: string | null
  readonly status_url?: string | null
}

export const upload = (params: UploadParams): Call<SubmitExecutionResultResponse> => ({
  method: "POST",
  path: "/api/store/execution-result",
  workspaceId: params.workspaceId,
  body: {
    task: params.task,
    file_written: params.fileWritten,
    succeeded: params.succeeded,
    ...votingOf(params),
    user_vote: params.userVote,
    execution_logs: params.executionLogs,
    dependencies: params.dependencies,
    tags: params.tags,
    per_function_reputation: params.perFunctionReputation,
    cached_code_blocks: params.cachedCodeBlocks?.map(({ codeBlockId, filename, description }) => ({
      code_block_id: codeBlockId,
      filename,
      description
    })),
    public: params.public,
    run_url: params.runUrl
  },
  answer: json((wire: UploadWire) => ({
    success: wire.success,
    codeBlocksStored: wire.code_blocks_stored,
    message: wire.message,
    snippetName: wire.snippet_name ?? null,
    statusUrl: wire.status_url ?? null
  }))
})
