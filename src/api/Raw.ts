import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { body } from "./body.ts"
import { Cursor, NextCursor } from "./cursor.ts"
import { Id, optional, textUpTo, whole } from "./fields.ts"
import { Authentication, Problems, Rate, Scoping, WellFormed } from "./middleware.ts"

const LogMatch = Schema.Struct({
  snippet_id: Schema.String,
  name: Schema.String,
  language: Schema.String,
  /** Of the log. ISO 8601. */
  created_at: Schema.String,
  /** Up to 10: 6 for a log that has every word of the query once. */
  score: Schema.Finite,
  /** Some 300 characters of the log around the words. */
  preview: Schema.String,
  /** Relative to this service. */
  raw_markdown_url: Schema.String,
  filename: Schema.NullOr(Schema.String),
  /** The task it was run for. */
  triggering_query: Schema.NullOr(Schema.String),
  log_url: Schema.NullOr(Schema.String)
}).annotate({ identifier: "LogMatch" })

export const LogSearchRequest = Schema.Struct({
  query: textUpTo(10_000),
  limit: optional(whole(1, 100)),
  offset: optional(whole(0, 1_000)),
  cursor: optional(Cursor),
  code_block_id: optional(Id),
  language: optional(textUpTo(100)),
  days_back: optional(whole(1, 36_500))
}).annotate({ identifier: "LogSearchRequest" })

export const LogSearchResponse = Schema.Struct({
  matches: Schema.Array(LogMatch),
  total_found: Schema.Int,
  has_more: Schema.Boolean,
  next_cursor: NextCursor
}).annotate({ identifier: "LogSearchResponse" })

/** Routes of a snippet's page as Markdown, and of a search through logs. */
export class RawApi extends HttpApiGroup.make("raw")
  .add(
    HttpApiEndpoint.post("searchLogs", "/api/raw/search", {
      payload: body(LogSearchRequest),
      success: LogSearchResponse
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Search what uploads and runs of snippets printed",
        description:
          "Any one of the words is enough; best first. `limit` defaults to 20. The latest 1,000 matching logs are compared and counted. To continue, send `next_cursor` as `cursor`: this goes through the logs that existed at the first page, each once. At most 100,000 characters of a log are searched: its beginning and its end. Logs of public snippets of others are never found."
      })
    ),
    HttpApiEndpoint.get("rawSnippet", "/raw/:file", {
      params: { file: Schema.String },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/markdown; charset=utf-8" }))
    }).annotateMerge(
      OpenApi.annotations({
        summary: "A snippet with its tasks, votes, source and latest logs, as Markdown",
        description:
          "`file` is a snippet's id followed by `.md`. The page of a public snippet of others has no tasks and logs."
      })
    )
  )
  .middleware(WellFormed)
  .middleware(Scoping)
  .middleware(Rate)
  .middleware(Authentication)
  .middleware(Problems)
  .annotateMerge(OpenApi.annotations({ title: "Logs", description: "What snippets printed when they ran." })) {}
