import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { body } from "./body.ts"
import { Cursor, NextCursor } from "./cursor.ts"
import { AnyText, Id, optional, TextOrEmpty, wholeInQuery } from "./fields.ts"
import { ignores } from "./ignored.ts"
import { manyFiles, oneFile, oneText, reads } from "./limits.ts"
import { Authentication, Idempotency, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"
import { OwnWorkspace } from "./ownWorkspace.ts"
import { StoreCodeBlockRequest, StoreCodeBlockResponse } from "./Snippets/codeBlock.ts"
import { SearchRequest, SearchResponse } from "./Snippets/search.ts"
import { UploadRequest, UploadResponse } from "./Snippets/upload.ts"
import { VoteSourceGiven } from "./voteSource.ts"

/** A search that found a snippet. Times are ISO 8601. */
export const Retrieval = Schema.Struct({
  position: Schema.String,
  retrieved_at: Schema.String,
  /** `null`: its text was erased since. */
  task: Schema.NullOr(Schema.String),
  /** How many snippets it found. */
  found: Schema.Int,
  /** Votes on this snippet by whoever searched, within half an hour after the search. */
  thumbs_up: Schema.Int,
  thumbs_down: Schema.Int
}).annotate({ identifier: "Retrieval" })

const DeleteResponse = Schema.Struct({
  success: Schema.Boolean,
  deleted_count: Schema.Int,
  message: Schema.String
}).annotate({ identifier: "DeleteResponse" })

export const VoteRequest = Schema.Struct({
  task: optional(AnyText),
  code_block_id: Id,
  code_block_name: optional(TextOrEmpty),
  code_block_description: optional(TextOrEmpty),
  succeeded: Schema.Boolean,
  vote_source: optional(VoteSourceGiven)
})

/** Routes to find, store, delete and vote on snippets. */
export class SnippetsApi extends HttpApiGroup.make("snippets")
  .add(
    HttpApiEndpoint.post("search", "/api/retrieve/search", {
      payload: body(SearchRequest),
      success: SearchResponse
    })
      .annotateMerge(reads(oneFile))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Find snippets for a task",
          description:
            "Finds snippets by the words of the task and by its meaning, best first. `score`, from 0 to 1, is how likely a match answers the task, adjusted by votes; `vector_score` is how near the meanings are, `verdict_score` what the votes say. `total_found` counts the snippets that share a word with the task or are near it in meaning. A word that no snippet has is taken for one within a letter of it that some have, and `mended` says so. Defaults: `top_k` 5, `min_verdict_score` 0.3, `min_human_upvotes` 0. `input_schema` describes the input that you have: each property that it requires (each one, if it requires none) must be in a snippet's input schema with a compatible type. `result_type` is `file`, `repo` or `any`."
        })
      ),
    HttpApiEndpoint.get("retrievals", "/api/snippets/:id/retrievals", {
      params: { id: Id },
      query: Schema.Struct({ limit: wholeInQuery(1, 1000), cursor: Schema.optional(Cursor) }),
      success: Schema.Struct({ retrievals: Schema.Array(Retrieval), next_cursor: NextCursor })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "The organization's searches that found a snippet, the latest first",
        description:
          "For owners and admins, because the tasks are other people's. Searches of one day that found the same snippets count as one, shown as the first of them. Another organization's searches for a public snippet are not shown. Searches that were erased, or are older than they are kept, are left out. `limit` defaults to 20; a page has at most 100. To continue, send `next_cursor` as `cursor`."
      })
    ),
    HttpApiEndpoint.post("upload", "/api/store/execution-result", {
      payload: body(UploadRequest),
      success: UploadResponse
    })
      .middleware(Idempotency)
      .annotateMerge(ignores("run_url", "cached_code_blocks.*.filename", "cached_code_blocks.*.description"))
      .annotateMerge(reads(manyFiles))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Store a file that a task produced",
          description:
            "Storing the same code again in the same scope adds its task and its vote to the one snippet. With `public: true`, the service screens the file for secrets first. Each snippet in `cached_code_blocks` gets a vote according to `succeeded`."
        })
      ),
    HttpApiEndpoint.post("storeCodeBlock", "/api/store/code-block", {
      payload: body(StoreCodeBlockRequest),
      success: StoreCodeBlockResponse
    })
      .middleware(Idempotency)
      .annotateMerge(reads(oneFile))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Store a snippet whose name, language and entrypoint are known",
          description: "The same code stored again in the same scope is the same snippet, with its first description."
        })
      ),
    HttpApiEndpoint.post("delete", "/api/snippets/delete", {
      payload: body(
        Schema.Struct({
          snippet_id: Id,
          workspace_id: optional(AnyText)
        })
      ),
      success: DeleteResponse
    })
      .middleware(Idempotency)
      .annotate(OwnWorkspace, true)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Delete a snippet and everything that belongs to it",
          description:
            "`snippet_id` is an id, or a name that only one snippet of the scope has. `workspace_id` takes the place of the header's."
        })
      ),
    HttpApiEndpoint.delete("deleteCodeBlock", "/api/store/code-block/:id", {
      params: { id: Id },
      success: DeleteResponse
    })
      .middleware(Idempotency)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Delete a snippet, as older clients do",
          description: "The same as POST /api/snippets/delete."
        })
      ),
    HttpApiEndpoint.post("vote", "/api/store/cache-usage", {
      payload: body(VoteRequest),
      success: Schema.Struct({ success: Schema.Boolean, vote_pending: Schema.Boolean, message: Schema.String })
    })
      .middleware(Idempotency)
      .annotateMerge(ignores("code_block_name", "code_block_description"))
      .annotateMerge(reads(oneText))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Vote on a snippet: did it help?",
          description:
            "The vote is accepted at once and applied in the background; `vote_pending` is true until it is applied. It counts as a person's (`human`) if it comes with a person's key, no agent names itself in `X-Cairn-Agent-Id`, and `vote_source` is not `ai` or `mcp`; otherwise as an agent's (`ai`)."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Snippets", description: "The store of reusable code." })) {}
