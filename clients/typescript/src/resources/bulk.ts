import { ValidationError } from "../errors.ts"
import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"
import { type FileWritten, type Voting, votingOf } from "./upload.ts"

/** A log of any format. */
export interface LogFile {
  /** Where it was written, or any name. */
  readonly path: string
  /**
   * Text, text that is base64 (say so in `encoding`), or bytes such as a `Buffer` or a `File`, which are sent as
   * base64.
   */
  readonly content: string | ArrayBufferView | ArrayBuffer | Blob
  /** Default: `utf-8` for text. */
  readonly encoding?: "utf-8" | "base64" | undefined
  /** A MIME type. Default: that of a `Blob`. */
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
  /** False: the service could not store some of the files, and logs why. */
  readonly success: boolean
  /** Files that became snippets, new ones and known ones. */
  readonly codeBlocksStored: number
  /** Gradings that are due. */
  readonly votesQueued: number
  /** For a person. */
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

const bytesOf = async (content: unknown, field: string): Promise<Uint8Array> => {
  if (content instanceof Blob) return new Uint8Array(await content.arrayBuffer())
  if (content instanceof ArrayBuffer) return new Uint8Array(content)
  if (ArrayBuffer.isView(content)) return new Uint8Array(content.buffer, content.byteOffset, content.byteLength)
  throw new ValidationError(
    "The content of a log is neither text nor bytes; expected a string, a Buffer or a Blob.",
    field
  )
}

const logOf = async ({ path, content, encoding, contentType }: LogFile, index: number): Promise<object> => ({
  path,
  ...(typeof content === "string"
    ? { content, encoding }
    : { content: base64(await bytesOf(content, `log_files.${index}.content`)), encoding: "base64" }),
  content_type: contentType ?? ((content instanceof Blob && content.type) || undefined)
})

interface BulkWire {
  readonly success: boolean
  readonly code_blocks_stored: number
  readonly votes_queued: number
  readonly message: string
  readonly status_url?: string | null
}

export const bulkUpload = async (params: BulkUploadParams): Promise<Call<BulkExecutionResultResponse>> => ({
  method: "POST",
  path: "/api/store/bulk-execution-result",
  workspaceId: params.workspaceId,
  body: {
    prompts: params.prompts,
    files_written: params.filesWritten,
    log_files: params.logFiles && (await Promise.all(params.logFiles.map(logOf))),
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
