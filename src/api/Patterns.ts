import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AnyJson } from "#domain/anyJson.ts"
import { body } from "./body.ts"
import { Cursor, NextCursor } from "./cursor.ts"
import { AnyText, JsonObject, optional, Stale, Task, textUpTo, whole } from "./fields.ts"
import { oneText, reads } from "./limits.ts"
import { Authentication, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

export const TaskPattern = Schema.Struct({
  task_pattern: Schema.String,
  code_block_id: Schema.String,
  code_block_name: Schema.String,
  thumbs_up: Schema.Int,
  thumbs_down: Schema.Int,
  last_thumbs_up: Schema.NullOr(Schema.String),
  last_thumbs_down: Schema.NullOr(Schema.String),
  verdict_score: Schema.Finite
}).annotate({ identifier: "TaskPattern" })

const FewShotExample = Schema.Struct({
  task: Schema.String,
  input_sample: JsonObject,
  output_sample: AnyJson,
  code_snippet: Schema.String
}).annotate({ identifier: "FewShotExample" })
export const FewShotExamples = Schema.Struct({ examples: Schema.Array(FewShotExample), stale: Stale })

export const TaskPatternsRequest = Schema.Struct({
  task: optional(AnyText),
  code_block_id: optional(textUpTo(1_000)),
  min_thumbs_up: optional(whole(0, 1_000_000)),
  top_k: optional(whole(1, 100)),
  cursor: optional(Cursor)
}).annotate({ identifier: "TaskPatternsRequest" })

export const FewShotRequest = Schema.Struct({ task: Task, k: optional(whole(1, 100)) }).annotate({
  identifier: "FewShotRequest"
})

/** Routes that tell which snippet helped with which task. */
export class PatternsApi extends HttpApiGroup.make("patterns")
  .add(
    HttpApiEndpoint.post("taskPatterns", "/api/retrieve/task-patterns", {
      payload: body(TaskPatternsRequest),
      success: Schema.Struct({ patterns: Schema.Array(TaskPattern), next_cursor: NextCursor })
    })
      .annotateMerge(reads(oneText))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Which snippet helped with which task",
          description:
            "Best verdict first; with a task, those of similar tasks come first. `top_k` defaults to 20. To continue, send `next_cursor` as `cursor`: a pattern then comes twice only if votes move it down, and one that votes move up past the page is skipped."
        })
      ),
    HttpApiEndpoint.post("fewShotExamples", "/api/retrieve/few-shot-examples", {
      payload: body(FewShotRequest),
      success: FewShotExamples
    })
      .annotateMerge(reads(oneText))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Examples for a task: code that fits, with the input and output of its last run",
          description: "`k` defaults to 3. For code that never ran, the input is `{}` and the output `null`."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Patterns", description: "What the store has learned." })) {}
