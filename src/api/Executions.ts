import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AnyJson } from "#domain/anyJson.ts"
import { AgentVerdict, ExecutionState } from "#domain/Execution.ts"
import { body } from "./body.ts"
import { AnyText, Id, JsonObject, optional, TextOrEmpty, whole } from "./fields.ts"
import { oneRun, oneText, reads } from "./limits.ts"
import { Authentication, Idempotency, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"
import { eitherCase, GivenReview, ShownReview, Verdict } from "./Review.ts"

/** The most bytes of JSON for a run's input and output together. */
const mostData = 1_048_576

const State = eitherCase(ExecutionState.literals)
const ShortText = TextOrEmpty.check(
  Schema.isMaxLength(1_000, { message: "is too long; expected at most 1,000 characters" })
)

/** Checks that a run's input and output together have at most `mostData` bytes. */
const bounded = Schema.makeFilter(
  ({ input_data: input, output_data: output }: { readonly input_data?: unknown; readonly output_data?: unknown }) =>
    Buffer.byteLength(JSON.stringify([input ?? null, output ?? null])) > mostData
      ? "has too much data; expected at most 1 MiB (1,048,576 bytes) of JSON for input_data and output_data together"
      : undefined
)

const GivenIo = Schema.Struct({
  input_data: optional(AnyJson),
  input_hash: optional(ShortText),
  output_data: optional(AnyJson),
  output_hash: optional(ShortText),
  output_type: optional(ShortText)
})
  .check(bounded)
  .annotate({ identifier: "GivenExecutionIo" })

const year = 366 * 86_400_000

export const RecordRequest = Schema.Struct({
  code_block_id: Id,
  triggering_task: AnyText,
  io: GivenIo,
  execution_state: optional(State),
  duration_ms: optional(
    Schema.Finite.check(
      Schema.isBetween({ minimum: 0, maximum: year }, { message: "is out of range; expected 0 up to a year" })
    )
  ),
  error_message: optional(TextOrEmpty),
  error_type: optional(ShortText),
  verdict: optional(Verdict),
  review: optional(GivenReview)
}).annotate({ identifier: "StoreExecutionRequest" })

const RecordResponse = Schema.Struct({
  success: Schema.Boolean,
  execution_id: Schema.String,
  pattern_updated: Schema.Boolean,
  message: Schema.String
}).annotate({ identifier: "StoreExecutionResponse" })

export const ReviewRequest = Schema.Struct({
  execution_id: Id,
  triggering_task: optional(TextOrEmpty),
  execution_state: optional(State),
  input_data: optional(AnyJson),
  output_data: optional(AnyJson),
  code_block_name: optional(TextOrEmpty),
  code_block_description: optional(TextOrEmpty),
  error_message: optional(TextOrEmpty)
})
  .check(bounded)
  .annotate({ identifier: "AutoReviewRequest" })

const ReviewResponse = Schema.Struct({
  success: Schema.Boolean,
  execution_id: Schema.String,
  message: Schema.String,
  review: ShownReview
}).annotate({ identifier: "AutoReviewResponse" })

const ShownExecution = Schema.Struct({
  id: Schema.String,
  code_block_id: Schema.String,
  execution_state: ExecutionState,
  duration_ms: Schema.Int,
  io: Schema.Struct({
    input_data: JsonObject,
    input_hash: Schema.String,
    output_data: AnyJson,
    output_hash: Schema.String,
    output_type: Schema.String
  }).annotate({ identifier: "ExecutionIo" }),
  triggering_task: Schema.String,
  timestamp: Schema.String,
  error_message: Schema.NullOr(Schema.String),
  error_type: Schema.NullOr(Schema.String),
  retrieval_score: Schema.Finite,
  verdict: AgentVerdict,
  review: Schema.NullOr(ShownReview)
}).annotate({ identifier: "ExecutionRecord" })
export type ShownExecution = typeof ShownExecution.Type
export const FoundExecutions = Schema.Struct({ executions: Schema.Array(ShownExecution), total_found: Schema.Int })

/** Routes to record runs of code as agents report them, to find them, and to review them. */
export class ExecutionsApi extends HttpApiGroup.make("executions")
  .add(
    HttpApiEndpoint.post("recordExecution", "/api/store/execution", {
      payload: body(RecordRequest),
      success: RecordResponse
    })
      .middleware(Idempotency)
      .annotateMerge(reads(oneRun))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Record a run of a snippet or of any named code",
          description:
            "`code_block_id` is a snippet's id or name, or `function_registry:<name>`; a name that no stored snippet has is recorded as it is. A verdict on a stored snippet counts as a vote."
        })
      ),
    HttpApiEndpoint.post("autoReview", "/api/store/auto-review", {
      payload: body(ReviewRequest),
      success: ReviewResponse
    })
      .middleware(Idempotency)
      .annotateMerge(reads(oneRun))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Let the service's language model review a run",
          description:
            "A run is reviewed once; asking again answers with the same review. If no model can be asked, `success` is false and the verdict `pending`."
        })
      ),
    HttpApiEndpoint.post("executions", "/api/retrieve/executions", {
      payload: body(
        Schema.Struct({
          code_block_id: optional(Id),
          task: optional(AnyText),
          verdict: optional(Verdict),
          limit: optional(whole(1, 100))
        }).annotate({ identifier: "ExecutionsRequest" })
      ),
      success: FoundExecutions
    })
      .annotateMerge(reads(oneText))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Find recorded runs of code",
          description:
            "Newest first; with a task, runs of similar tasks, the most similar first. `limit` defaults to 20."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Executions", description: "Runs of code, and their reviews." })) {}
