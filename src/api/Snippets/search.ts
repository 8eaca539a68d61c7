import { Schema } from "effect"
import { parts } from "#domain/search/explanation.ts"
import { ShownComment } from "../Comments.ts"
import { FunctionReputation } from "../Functions.ts"
import { fraction, JsonObject, JsonSchema, optional, Stale, Task, whole } from "../fields.ts"

export const SearchRequest = Schema.Struct({
  task: Task,
  top_k: optional(whole(1, 100)),
  min_verdict_score: optional(fraction),
  min_human_upvotes: optional(whole(0, 1_000_000)),
  prefer_complete: optional(Schema.Boolean),
  input_schema: optional(JsonSchema),
  per_function_reputation: optional(Schema.Boolean),
  explain: optional(Schema.Boolean),
  result_type: optional(Schema.Literals(["file", "repo", "any"])),
  content_type: optional(Schema.Literals(["file", "repo", "route", "script"]))
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

const Effected = Schema.Struct({ value: Schema.Finite, effect: Schema.Finite })

const Explanation = Schema.Struct({
  probability: Schema.Finite,
  word_share: Schema.Finite,
  words: Schema.Array(
    Schema.Struct({
      word: Schema.String,
      place: Schema.Literals(parts),
      share: Schema.Finite,
      /** The task's own word, if it was taken for this one. */
      asked: Schema.optionalKey(Schema.String)
    }).annotate({ identifier: "ExplainedWord" })
  ),
  /** `table`, or the embedding model's name. */
  meaning_by: Schema.String,
  cosine: Schema.Finite,
  nearest: Schema.Array(
    Schema.Struct({
      asked: Schema.String,
      found: Schema.String,
      place: Schema.Literals(parts),
      cosine: Schema.Finite
    }).annotate({ identifier: "NearestPiece" })
  ),
  verdict: Effected,
  completeness: Effected,
  /** What votes for tasks near this one add, and which tasks these are; `task` is `null` if it is somebody else's. */
  learned: Schema.Struct({
    effect: Schema.Finite,
    tasks: Schema.Array(
      Schema.Struct({
        task: Schema.NullOr(Schema.String),
        up: Schema.Int,
        down: Schema.Int,
        nearness: Schema.Finite
      }).annotate({ identifier: "LearnedTask" })
    )
  }),
  hub: Effected,
  length: Schema.Struct({ characters: Schema.Int, effect: Schema.Finite })
}).annotate({ identifier: "Explanation" })

export const SearchMatch = Schema.Struct({
  code_block: CodeBlock,
  /** 0…1: how likely the snippet answers the task, adjusted by votes. */
  score: Schema.Finite,
  /** The same. */
  combined_score: Schema.Finite,
  /** 0…1: how near the meanings are (cosine); 0 if nothing of the task could be read. */
  vector_score: Schema.Finite,
  /** 0…1: what the votes say; 0.5 without any. */
  verdict_score: Schema.Finite,
  /** Whether clients give it to an agent as code for the task: it is near enough, and not voted down. */
  offered: Schema.Boolean,
  /** 0…1: the share of uploads and runs of this code that went well; cancelled runs don't count. */
  error_resilience: Schema.Finite,
  thumbs_up: Schema.Int,
  thumbs_down: Schema.Int,
  filename: Schema.String,
  language: Schema.String,
  entrypoint: Schema.String,
  dependencies: Versions,
  agent_id: Schema.NullOr(Schema.String),
  comments: Schema.Array(ShownComment),
  functions: Schema.NullOr(Schema.Array(FunctionReputation)),
  /** Only if it was asked for. */
  explanation: Schema.optionalKey(Explanation),
  type: Schema.Literals(["file", "repo"]),
  /** This field and those below: only of a repository. Relative to this service. */
  download_url: Schema.optionalKey(Schema.String),
  /** Paths, one a line. */
  file_tree: Schema.optionalKey(Schema.String),
  file_count: Schema.optionalKey(Schema.Int),
  framework: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** First 500 characters. */
  readme_preview: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "SearchMatch" })
export type SearchMatch = typeof SearchMatch.Type

const MendedWord = Schema.Struct({
  asked: Schema.String,
  /** The likeliest first. */
  found: Strings
}).annotate({ identifier: "MendedWord" })
export type MendedWord = typeof MendedWord.Type

/** Why a search used the table of embeddings although an embedding model is named. */
const Fallback = Schema.Literals(["not_embedded", "filling"])

export const SearchResponse = Schema.Struct({
  matches: Schema.Array(SearchMatch),
  total_found: Schema.Int,
  cache_hit: Schema.Boolean,
  /** What was searched: `organization` or `personal`, `workspace`, `public`. */
  search_namespaces: Strings,
  /** Words of the task that no snippet has, and what they were taken for. */
  mended: Schema.Array(MendedWord),
  /** Only if it used the table of embeddings instead of the model. */
  fallback: Schema.optionalKey(Fallback),
  stale: Stale
}).annotate({ identifier: "SearchResponse" })
