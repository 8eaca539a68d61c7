import { ValidationError } from "../errors.ts"
import type { BulkUploadParams, LogFile } from "../resources/bulk.ts"
import type { CachedCodeBlock, FileWritten, UploadParams } from "../resources/upload.ts"

/** What `upload` takes as one object. Give `fileWritten` or `filesWritten`. */
export interface UploadNewCodeSnipOptions
  extends Omit<UploadParams, "fileWritten" | "useServiceAiVoting" | "userVote"> {
  /** What the task produced. */
  readonly fileWritten?: FileWritten | undefined
  /** Several files: each is a call of its own, the first with `cachedCodeBlocks`; the answers are added up. */
  readonly filesWritten?: ReadonlyArray<FileWritten> | undefined
  /** Whether the service's model grades what is stored. Default: yes. */
  readonly useRaysurferAiVoting?: boolean | undefined
  /** An older name of `useRaysurferAiVoting`; counts before it. */
  readonly autoVote?: boolean | undefined
  /** 1 or -1: your own vote, in place of the grading. */
  readonly userVote?: number | undefined
}

/** `upload` with its arguments in a row. */
export type UploadArguments = [
  task: string,
  fileWritten: FileWritten | ReadonlyArray<FileWritten>,
  succeeded: boolean,
  cachedCodeBlocks?: ReadonlyArray<CachedCodeBlock> | undefined,
  useRaysurferAiVoting?: boolean | undefined,
  userVote?: number | undefined,
  executionLogs?: string | undefined,
  runUrl?: string | undefined,
  workspaceId?: string | undefined,
  dependencies?: { readonly [name: string]: string } | undefined,
  voteSource?: "ai" | "human" | undefined,
  voteCount?: number | undefined
]

const named = (given: readonly [UploadNewCodeSnipOptions] | UploadArguments): UploadNewCodeSnipOptions => {
  if (typeof given[0] === "object") return given[0]
  const [task, files, succeeded = true, cachedCodeBlocks, useRaysurferAiVoting, userVote, ...rest] =
    given as UploadArguments
  const [executionLogs, runUrl, workspaceId, dependencies, voteSource, voteCount] = rest
  const written = Array.isArray(files) ? { filesWritten: files } : { fileWritten: files as FileWritten }
  return {
    task,
    ...written,
    succeeded,
    cachedCodeBlocks,
    useRaysurferAiVoting,
    userVote,
    executionLogs,
    runUrl,
    workspaceId,
    dependencies,
    voteSource,
    voteCount
  }
}

/** The uploads that a call of `upload` stands for, one a file. */
export const uploadsOf = (
  given: readonly [UploadNewCodeSnipOptions] | UploadArguments
): ReadonlyArray<UploadParams> => {
  const { fileWritten, filesWritten, useRaysurferAiVoting, autoVote, userVote, cachedCodeBlocks, ...params } =
    named(given)
  if (fileWritten !== undefined && filesWritten !== undefined) {
    throw new ValidationError("fileWritten and filesWritten are both given; expected one of them.", "filesWritten")
  }
  const files = fileWritten === undefined ? (filesWritten ?? []) : [fileWritten]
  if (files.length === 0) {
    throw new ValidationError(
      "No file is given; expected fileWritten, or filesWritten with at least one.",
      "fileWritten"
    )
  }
  return files.map((file, index) => ({
    ...params,
    // the snippets that one task used have one vote each, however many files it wrote
    ...(index === 0 ? { cachedCodeBlocks } : {}),
    workspaceId: params.workspaceId || undefined,
    fileWritten: file,
    useServiceAiVoting: autoVote ?? useRaysurferAiVoting ?? true,
    userVote: userVote as 1 | -1 | undefined
  }))
}

/** What `uploadBulkCodeSnips` takes as one object. */
export interface UploadBulkCodeSnipsOptions extends Omit<BulkUploadParams, "useServiceAiVoting" | "userVotes"> {
  /** Whether the service's model grades what is stored. Default: yes. */
  readonly useRaysurferAiVoting?: boolean | undefined
  /** A file's path or name to 1 or -1, in place of the grading. */
  readonly userVotes?: { readonly [file: string]: number } | undefined
}

/** `uploadBulkCodeSnips` with its arguments in a row. */
export type BulkArguments = [
  prompts: ReadonlyArray<string>,
  filesWritten: ReadonlyArray<FileWritten>,
  logFiles?: ReadonlyArray<LogFile> | undefined,
  useRaysurferAiVoting?: boolean | undefined,
  userVotes?: { readonly [file: string]: number } | undefined,
  workspaceId?: string | undefined,
  voteSource?: "ai" | "human" | undefined,
  voteCount?: number | undefined
]

export const bulkOf = (given: readonly [UploadBulkCodeSnipsOptions] | BulkArguments): BulkUploadParams => {
  const isRow = (row: typeof given): row is BulkArguments => Array.isArray(row[0])
  const named = (): UploadBulkCodeSnipsOptions => {
    if (!isRow(given)) return given[0]
    const [prompts, filesWritten, logFiles, useRaysurferAiVoting, userVotes, workspaceId, voteSource, voteCount] = given
    return { prompts, filesWritten, logFiles, useRaysurferAiVoting, userVotes, workspaceId, voteSource, voteCount }
  }
  const { useRaysurferAiVoting, userVotes, logFiles, ...params } = named()
  return {
    ...params,
    workspaceId: params.workspaceId || undefined,
    ...(logFiles === undefined || logFiles.length === 0 ? {} : { logFiles }),
    useServiceAiVoting: useRaysurferAiVoting ?? true,
    userVotes: userVotes as { readonly [file: string]: 1 | -1 } | undefined
  }
}
