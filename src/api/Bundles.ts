import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { fileVotes } from "#domain/fileVotes.ts"
import { thousands } from "#domain/text/thousands.ts"
import { body } from "./body.ts"
import { AnyText, optional, Text, textUpTo, whole } from "./fields.ts"
import { manyFiles, reads } from "./limits.ts"
import { Authentication, Idempotency, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"
import { FileWritten } from "./Snippets/upload.ts"
import { VoteSourceGiven } from "./voteSource.ts"

/** The most bytes of all log files of a call together. */
const logsLimit = 16 * 1024 * 1024

/** Whether the content is valid base64 shows only when it is read. */
const LogFile = Schema.Struct({
  path: textUpTo(4_096),
  content: AnyText,
  encoding: optional(Schema.Literals(["utf-8", "base64"])),
  content_type: optional(AnyText.check(Schema.isMaxLength(200)))
}).annotate({ identifier: "LogFile" })

const between = (minimum: number, maximum: number, what: string) => {
  const message = `has too few or too many ${what}; expected ${minimum} to ${thousands(maximum)}`
  return [Schema.isMinLength(minimum, { message }), Schema.isMaxLength(maximum, { message })] as const
}

const BundleRequest = Schema.Struct({
  prompts: Schema.Array(Text).check(...between(0, 1_000, "prompts")),
  files_written: Schema.Array(FileWritten).check(...between(1, 200, "files")),
  log_files: optional(Schema.Array(LogFile).check(...between(0, 200, "log files"))),
  use_service_ai_voting: optional(Schema.Boolean),
  use_raysurfer_ai_voting: optional(Schema.Boolean),
  auto_vote: optional(Schema.Boolean),
  user_votes: optional(
    Schema.Record(Schema.String, Schema.NullOr(Schema.Literals([1, -1]))).check(
      Schema.isMaxProperties(200, { message: "has too many votes; expected at most one for each of 200 files" })
    )
  ),
  vote_source: optional(VoteSourceGiven),
  vote_count: optional(whole(1, 100)),
  per_function_reputation: optional(Schema.Boolean)
})
  .check(
    // checks that need several fields
    Schema.makeFilter(({ files_written, log_files, user_votes }) => {
      const paths = files_written.map(({ path }) => path)
      const again = paths.flatMap((path, index) => {
        const first = paths.indexOf(path)
        const issue = `is the path of files_written.${first} too; expected each file once, as it was at last`
        return first === index ? [] : [{ path: ["files_written", index, "path"], issue }]
      })
      const votes = fileVotes(paths, user_votes).misfits.map(({ key, reason }) => ({
        path: ["user_votes", key],
        issue: reason
      }))
      const size = (log_files ?? []).reduce(
        (total, { content, encoding }) =>
          total + (encoding === "base64" ? Math.floor((content.length * 3) / 4) : Buffer.byteLength(content)),
        0
      )
      const logs =
        size > logsLimit
          ? [{ path: ["log_files"], issue: "are too large; expected at most 16 MiB (16,777,216 bytes) together" }]
          : []
      return [...again, ...votes, ...logs]
    })
  )
  .annotate({ identifier: "BulkExecutionResultRequest" })
export type BundleRequest = typeof BundleRequest.Type

const BundleResponse = Schema.Struct({
  success: Schema.Boolean,
  code_blocks_stored: Schema.Int,
  votes_queued: Schema.Int,
  message: Schema.String,
  status_url: Schema.NullOr(Schema.String)
}).annotate({ identifier: "BulkExecutionResultResponse" })

const GradingStatus = Schema.Struct({
  id: Schema.String,
  status: Schema.Literals(["pending", "done", "failed"]),
  reason: Schema.NullOr(Schema.String),
  votes: Schema.Array(
    Schema.Struct({
      snippet_id: Schema.String,
      filename: Schema.String,
      verdict: Schema.NullOr(Schema.Literals(["thumbs_up", "thumbs_down", "pending"])),
      reason: Schema.NullOr(Schema.String)
    })
  )
}).annotate({ identifier: "GradingStatus" })
export type GradingStatus = typeof GradingStatus.Type

/** Routes to store several files in one call, and to see their grading. */
export class BundlesApi extends HttpApiGroup.make("uploads")
  .add(
    HttpApiEndpoint.post("bulkUpload", "/api/store/bulk-execution-result", {
      payload: body(BundleRequest),
      success: BundleResponse
    })
      .middleware(Idempotency)
      .annotateMerge(reads(manyFiles))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Store several files that a session produced",
          description:
            "`user_votes` maps each file to 1 or -1; a file is named by its path, or by its name if no other file has that name. Without it, the service grades the files by the prompts and logs. Everything is checked before anything is stored."
        })
      ),
    HttpApiEndpoint.get("gradingStatus", "/api/store/status/:id", {
      params: { id: Schema.String },
      success: GradingStatus
    }).annotateMerge(
      OpenApi.annotations({
        summary: "How far the grading of an upload is",
        description: "`id` is the last part of an upload's `status_url`. `failed`: at least one file got no verdict."
      })
    )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(
    OpenApi.annotations({ title: "Uploads", description: "Bulk uploads, and the results of gradings." })
  ) {}
