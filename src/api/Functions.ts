import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Id } from "./fields.ts"
import { Authentication, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

/** What is known of a function, from all snippets of its tenant that hold it. Times are ISO 8601. */
export const FunctionReputation = Schema.Struct({
  fingerprint: Schema.String,
  function_name: Schema.String,
  signature: Schema.String,
  /** Runs of snippets that hold it. */
  execution_count: Schema.Int,
  /** Votes on snippets that hold it. */
  thumbs_up: Schema.Int,
  thumbs_down: Schema.Int,
  last_success_at: Schema.NullOr(Schema.String),
  last_failure_at: Schema.NullOr(Schema.String),
  /** At most five, most frequent first. */
  common_errors: Schema.Array(Schema.String),
  /** Average size of what its logged calls returned; 0: none was logged. */
  avg_output_size: Schema.Finite,
  /** 0 to 1: the share of logged calls that returned something; 0: none was logged. */
  output_completeness: Schema.Finite,
  /** 0 to 1: the share of logged calls beyond the first of a run. */
  repeat_call_rate: Schema.Finite,
  total_logged_calls: Schema.Int,
  author_agent: Schema.NullOr(Schema.String),
  reviewed_by_human: Schema.Boolean,
  derived_from: Schema.NullOr(Schema.String)
}).annotate({ identifier: "FunctionReputation" })
export type FunctionReputation = typeof FunctionReputation.Type

/** Routes of a function's history, and of a snippet's functions. */
export class FunctionsApi extends HttpApiGroup.make("functions")
  .add(
    HttpApiEndpoint.get("functionHistory", "/api/functions/:fingerprint", {
      params: { fingerprint: Schema.String },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/markdown; charset=utf-8" }))
    }).annotateMerge(
      OpenApi.annotations({
        summary: "A function's history, as Markdown",
        description:
          "`fingerprint` is what a search with `per_function_reputation` gives, with or without `.md` at the end. The page has the function's signature, votes, calls and errors, the snippets of the scope that hold it, their latest runs, and what it was derived from."
      })
    ),
    HttpApiEndpoint.get("snippetFunctions", "/api/snippets/:id/functions", {
      params: { id: Id },
      success: Schema.Struct({ functions: Schema.Array(FunctionReputation) })
    }).annotateMerge(
      OpenApi.annotations({
        summary: "The functions of a snippet, with what is known of each",
        description:
          "In the order of the snippet's source, as a search with `per_function_reputation` gives them in the same scope; none if the snippet was stored without it."
      })
    )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Functions", description: "What is known of single functions." })) {}
