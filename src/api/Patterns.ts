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

/** Routes of what helped with which task. */
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
            "Best verdict first; with a task, similar tasks before that. `top_k` is 20 unless told. Go on with `cursor` = `next_cursor`: no pattern comes twice then but one that votes move down; one that they move up past the page is passed over."
        })
      ),
    HttpApiEndpoint.post("fewShotExamples", "/api/retrieve/few-shot-examples", {
      payload: body(FewShotRequest),
      success: FewShotExamples
    })
      .annotateMerge(reads(oneText))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Examples for a task: code that fits, with what it took and gave when it last ran",
          description: "`k` is 3 unless told. Of code that never ran the input is `{}` and the output `null`."
        })
      )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Patterns", description: "What the store has learned." })) {}
