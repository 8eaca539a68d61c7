import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"
import { type FileWritten, type Voting, votingOf } from "./upload.ts"

/** A log of any format. */
export interface LogFile {
  readonly path: string
  /** Text, text that is base64 (say so in `encoding`), or bytes such as a `Buffer`, which are sent as base64. */
  readonly content: string | Uint8Array
  /** Default: `utf-8` for text. */
  readonly encoding?: "utf-8" | "base64" | undefined
  /** A MIME type. */
  readonly contentType?: string | null | undefined
}

/** What `uploadBulkCodeSnips` takes: 1 to 200 files, checked as a whole before anything is stored. */
export interface BulkUploadParams extends Voting {
  /** What the user asked for, in order. */
  readonly prompts: ReadonlyArray<string>
  /** Each file once, as it was at last. */
  readonly filesWritten: ReadonlyArray<FileWritten>
  /** At most 16 MiB together. */
  readonly logFiles?: ReadonlyArray<LogFile> | undefined
  /** A file's path, or its name when no other has that, to 1 or -1: your own votes, in place of the grading. */
  readonly userVotes?: { readonly [file: string]: 1 | -1 } | undefined
  /** Whether score is kept of each function. Default: no. */
  readonly perFunctionReputation?: boolean | undefined
  /** In place of the client's workspace. */
  readonly workspaceId?: string | undefined
}

/** What `uploadBulkCodeSnips` gives. */
export interface BulkExecutionResultResponse extends Result {
  readonly success: boolean
  readonly codeBlocksStored: number
  /** Gradings that are due. */
  readonly votesQueued: number
  readonly message: string
  /** For `uploads.status`; `null` when nothing is graded. */
  readonly statusUrl: string | null
}

/** `btoa` takes a character a byte, and a call only so many arguments. */
const base64 = (bytes: Uint8Array): string => {
  let text = ""
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return btoa(text)
}

const logOf = ({ path, content, encoding, contentType }: LogFile): object => ({
  path,
  ...(typeof content === "string" ? { content, encoding } : { content: base64(content), encoding: "base64" }),
  content_type: contentType ?? undefined
})

interface BulkWire {
  readonly success: boolean
  readonly code_blocks_stored: number
  readonly votes_queued: number
  readonly message: string
  readonly status_url?: string | null
}

export const bulkUpload = (params: BulkUploadParams): Call<BulkExecutionResultResponse> => ({
  method: "POST",
  path: "/api/store/bulk-execution-result",
  workspaceId: params.workspaceId,
  body: {
    prompts: params.prompts,
    files_written: params.filesWritten,
    log_files: params.logFiles?.map(logOf),
    ...votingOf(params),
    user_votes: params.userVotes,
    per_function_reputation: params.perFunctionReputation
  },
  answer: json((wire: BulkWire) => ({
    success: wire.success,
    codeBlocksStored: wire.code_blocks_stored,
    votesQueued: wire.votes_queued,
    message: wire.message,
    statusUrl: wire.status_url ?? null
  }))
})
