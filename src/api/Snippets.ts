import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  AnyText,
  Dependencies,
  FileContent,
  fraction,
  JsonObject,
  optional,
  Text,
  TextOrEmpty,
  textUpTo,
  whole
} from "./fields.ts"
import { Authentication, Idempotency, Problems, Rate, Scoping } from "./middleware.ts"

const FilePath = textUpTo(4_096)
export const FileWritten = Schema.Struct({ path: FilePath, content: FileContent }).annotate({
  identifier: "FileWritten"
})

const Vote = Schema.Literals([1, -1])

export const UploadRequest = Schema.Struct({
  task: Text,
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
  vote_source: optional(AnyText.check(Schema.isMaxLength(200))),
  vote_count: optional(whole(1, 100)),
  execution_logs: optional(FileContent),
  dependencies: optional(Dependencies),
  per_function_reputation: optional(Schema.Boolean),
  tags: optional(Schema.Array(AnyText.check(Schema.isMaxLength(200)))),
  public: optional(Schema.Boolean)
})
  .check(
    Schema.makeFilter(({ file_written, files_written }) =>
      file_written == null && files_written == null
        ? { path: ["file_written"], issue: "is missing; expected an object {path, content}" }
        : undefined
    )
  )
  .annotate({ identifier: "UploadRequest" })

const UploadResponse = Schema.Struct({
  success: Schema.Boolean,
  code_blocks_stored: Schema.Int,
  message: Schema.String,
  snippet_name: Schema.NullOr(Schema.String),
  status_url: Schema.NullOr(Schema.String)
}).annotate({ identifier: "SubmitExecutionResultResponse" })

const SearchRequest = Schema.Struct({
  task: Text,
  top_k: optional(whole(1, 100)),
  min_verdict_score: optional(fraction),
  prefer_complete: optional(Schema.Boolean),
  input_schema: optional(JsonObject),
  per_function_reputation: optional(Schema.Boolean)
}).annotate({ identifier: "SearchRequest" })

const Strings = Schema.Array(Schema.String)
const Versions = Schema.Record(Schema.String, Schema.String)

const CodeBlock = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.String,
  source: Schema.String,
  entrypoint: Schema.String,
  language: Schema.String,
  language_version: Schema.NullOr(Schema.String),
  dependencies: Versions,
  tags: Strings,
  capabilities: Strings,
  input_schema: JsonObject,
  output_schema: JsonObject,
  example_queries: Schema.NullOr(Strings),
  created_at: Schema.NullOr(Schema.String),
  updated_at: Schema.NullOr(Schema.String),
  agent_id: Schema.NullOr(Schema.String)
}).annotate({ identifier: "CodeBlock" })

const SearchMatch = Schema.Struct({
  code_block: CodeBlock,
  score: Schema.Finite,
  combined_score: Schema.Finite,
  vector_score: Schema.Finite,
  verdict_score: Schema.Finite,
  thumbs_up: Schema.Int,
  thumbs_down: Schema.Int,
  filename: Schema.String,
  language: Schema.String,
  entrypoint: Schema.String,
  dependencies: Versions,
  agent_id: Schema.NullOr(Schema.String),
  comments: Schema.Array(JsonObject),
  functions: Schema.NullOr(Schema.Array(JsonObject))
}).annotate({ identifier: "SearchMatch" })
export type SearchMatch = typeof SearchMatch.Type

const SearchResponse = Schema.Struct({
  matches: Schema.Array(SearchMatch),
  total_found: Schema.Int,
  cache_hit: Schema.Boolean
}).annotate({ identifier: "SearchResponse" })

export class SnippetsApi extends HttpApiGroup.make("snippets")
  .add(
    HttpApiEndpoint.post("search", "/api/retrieve/search", {
      payload: SearchRequest,
      success: SearchResponse
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Find snippets for a task",
        description: "Best first. `top_k` is 5 and `min_verdict_score` 0.3 unless told."
      })
    ),
    HttpApiEndpoint.post("upload", "/api/store/execution-result", { payload: UploadRequest, success: UploadResponse })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Store a file that a task produced",
          description: "The same code again in the same scope adds its task and its vote to the one snippet."
        })
      ),
    HttpApiEndpoint.post("delete", "/api/snippets/delete", {
      payload: Schema.Struct({
        snippet_id: Text,
        workspace_id: optional(AnyText)
      }),
      success: Schema.Struct({ success: Schema.Boolean, deleted_count: Schema.Int, message: Schema.String })
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Delete a snippet and everything that belongs to it",
          description: "`snippet_id` is an id, or a name that only one snippet of the scope has."
        })
      ),
    HttpApiEndpoint.post("vote", "/api/store/cache-usage", {
      payload: Schema.Struct({
        task: optional(TextOrEmpty),
        code_block_id: Text,
        code_block_name: optional(TextOrEmpty),
        code_block_description: optional(TextOrEmpty),
        succeeded: Schema.Boolean
      }),
      success: Schema.Struct({ success: Schema.Boolean, vote_pending: Schema.Boolean, message: Schema.String })
    })
      .middleware(Idempotency)
      .annotateMerge(OpenApi.annotations({ summary: "Vote on a snippet: did it help?" }))
  )
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Snippets", description: "The store of reusable code." })) {}
