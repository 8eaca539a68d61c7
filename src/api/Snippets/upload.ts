import { Schema } from "effect"
import { AnyText, Dependencies, FileContent, optional, Task, TextOrEmpty, textUpTo, whole } from "../fields.ts"
import { VoteSourceGiven } from "../voteSource.ts"

export const FilePath = textUpTo(4_096)
export const FileWritten = Schema.Struct({ path: FilePath, content: FileContent }).annotate({
  identifier: "FileWritten"
})

const Vote = Schema.Literals([1, -1])

export const Tags = Schema.Array(AnyText.check(Schema.isMaxLength(200))).check(
  Schema.isMaxLength(1_000, { message: "has too many tags; expected at most 1,000" })
)

/** A snippet that was retrieved and used; older clients send its file's name and description too. */
const CachedCodeBlock = Schema.Struct({
  code_block_id: AnyText.check(Schema.isMaxLength(1_000)),
  filename: optional(TextOrEmpty),
  description: optional(TextOrEmpty)
}).annotate({ identifier: "CachedCodeBlock" })

export const UploadRequest = Schema.Struct({
  task: Task,
  file_written: optional(FileWritten),
  /** Older clients: several files in one call, each stored as a snippet. */
  files_written: optional(
    Schema.Array(FileWritten).check(
      Schema.isMinLength(1, { message: "has no file; expected 1 to 200" }),
      Schema.isMaxLength(200, { message: "has too many files; expected 1 to 200" })
    )
  ),
  succeeded: Schema.Boolean,
  use_service_ai_voting: optional(Schema.Boolean),
  use_raysurfer_ai_voting: optional(Schema.Boolean),
  auto_vote: optional(Schema.Boolean),
  user_vote: optional(Vote),
  vote_source: optional(VoteSourceGiven),
  vote_count: optional(whole(1, 100)),
  execution_logs: optional(FileContent),
  dependencies: optional(Dependencies),
  per_function_reputation: optional(Schema.Boolean),
  cached_code_blocks: optional(
    Schema.Array(CachedCodeBlock).check(
      Schema.isMaxLength(100, { message: "has too many snippets; expected at most 100" })
    )
  ),
  /** Where the run can be seen. Accepted, but not kept. */
  run_url: optional(AnyText.check(Schema.isMaxLength(4_096))),
  tags: optional(Tags),
  public: optional(Schema.Boolean),
  content_type: optional(Schema.Literals(["file", "repo", "route", "script"]))
})
  .check(
    Schema.makeFilter(({ file_written, files_written }) =>
      file_written == null && files_written == null
        ? { path: ["file_written"], issue: "is missing; expected an object {path, content}" }
        : undefined
    )
  )
  .annotate({ identifier: "UploadRequest" })
export type UploadRequest = typeof UploadRequest.Type

export const UploadResponse = Schema.Struct({
  success: Schema.Boolean,
  code_blocks_stored: Schema.Int,
  message: Schema.String,
  snippet_name: Schema.NullOr(Schema.String),
  status_url: Schema.NullOr(Schema.String)
}).annotate({ identifier: "SubmitExecutionResultResponse" })
