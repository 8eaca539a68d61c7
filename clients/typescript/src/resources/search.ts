import type { Result } from "../Result.ts"
import { type Call, json } from "../request.ts"
import { type CodeBlock, type CodeBlockWire, codeBlockOf, type Dependencies, type JsonObject } from "./codeBlocks.ts"
import { type Comment, type CommentWire, commentOf } from "./comments.ts"
import { type Explanation, type ExplanationWire, explanationOf } from "./explanation.ts"
import { type FunctionReputation, type FunctionWire, functionOf } from "./functions.ts"

/** What `search` takes. */
export interface SearchParams {
  /** What the code should do, in plain words. One short sentence finds best; above 200 characters it is split. */
  readonly task: string
  /** The most matches, 1 to 100. Default: 5. */
  readonly topK?: number | undefined
  /** 0 to 1: what was voted down below it is left out. Default: 0.3, which unvoted snippets pass. */
  readonly minVerdictScore?: number | undefined
  /** Votes of people that a match has at least. Default: 0. */
  readonly minHumanUpvotes?: number | undefined
  /** Whether longer, more complete code comes first. Default: no. */
  readonly preferComplete?: boolean | undefined
  /** A JSON schema of what you can give: only code that takes such an input is found. */
  readonly inputSchema?: JsonObject | undefined
  /** Whether each match tells of its functions, in `functions` and above each in `source`. Default: no. */
  readonly perFunctionReputation?: boolean | undefined
  /** Whether each match says why it has its score, in `explanation`. Default: no. */
  readonly explain?: boolean | undefined
  /** `file`: no repositories; `repo`: only these. Default: `any`. */
  readonly resultType?: "file" | "repo" | "any" | undefined
  /** In place of the client's workspace. */
  readonly workspaceId?: string | undefined
}

/** A snippet that was found. */
export interface SearchMatch {
  /** The snippet itself. */
  readonly codeBlock: CodeBlock
  /** 0 to 1: how likely it is that it answers the task, votes counted. */
  readonly score: number
  /** The same as `score`. */
  readonly combinedScore: number
  /** 0 to 1: how near its meaning is; 0 where the service has no vectors. */
  readonly vectorScore: number
  /** 0 to 1: what its votes say; 0.5 without any. */
  readonly verdictScore: number
  /** Whether it is worth giving to an agent as code for the task: near enough, and no more votes against than for. */
  readonly offered: boolean
  /** 0 to 1: the share of uploads and runs of this code that went well. */
  readonly errorResilience: number
  /** Votes for it, counted as often as they say. */
  readonly thumbsUp: number
  /** Votes against it, counted as often as they say. */
  readonly thumbsDown: number
  /** Flat, safe, and unique among the matches. */
  readonly filename: string
  /** As `codeBlock` says. */
  readonly language: string
  /** As `codeBlock` says. */
  readonly entrypoint: string
  /** As `codeBlock` says. */
  readonly dependencies: Dependencies
  /** The agent that stored it. */
  readonly agentId: string | null
  /** The latest 20. */
  readonly comments: ReadonlyArray<Comment>
  /** `null` unless `perFunctionReputation` was asked for. */
  readonly functions: ReadonlyArray<FunctionReputation> | null
  /** `null` unless `explain` was asked for. */
  readonly explanation: Explanation | null
  /** One file, or a repository with the fields below. */
  readonly type: "file" | "repo"
  /** Of a repository: where all its files are, relative to the service. From here on `null` for a file. */
  readonly downloadUrl: string | null
  /** Paths, one a line. */
  readonly fileTree: string | null
  /** How many files it has. */
  readonly fileCount: number | null
  /** Such as `fastapi`, as its files show. */
  readonly framework: string | null
  /** Its first 500 characters. */
  readonly readmePreview: string | null
}

/** A word of the task that no snippet has, and so was taken for others. */
export interface MendedWord {
  /** The word of the task. */
  readonly asked: string
  /** What it was taken for, the likeliest first. */
  readonly found: ReadonlyArray<string>
}

/** What `search` gives. */
export interface SearchResponse extends Result {
  /** The best first. */
  readonly matches: ReadonlyArray<SearchMatch>
  /** How many there are without `topK`. */
  readonly totalFound: number
  /** Whether the service had the answer in its memory. */
  readonly cacheHit: boolean
  /** What was searched: `organization` or `personal`, `workspace`, `public`. */
  readonly searchNamespaces: ReadonlyArray<string>
  /** Words of the task that no snippet has, and what they were taken for. */
  readonly mended: ReadonlyArray<MendedWord>
  /**
   * Why it was searched by the service's own table where its operator has named an embedding model: `not_embedded`, it
   * did not embed the task in time; `filling`, it has yet to embed what is stored. `null` otherwise.
   */
  readonly fallback: string | null
  /** What was stored last may be missing: it is found by the same call a moment later. */
  readonly stale: boolean
}

interface MatchWire {
  readonly code_block: CodeBlockWire
  readonly score: number
  readonly combined_score?: number
  readonly vector_score?: number
  readonly verdict_score?: number
  readonly offered?: boolean
  readonly error_resilience?: number
  readonly thumbs_up: number
  readonly thumbs_down: number
  readonly filename: string
  readonly language: string
  readonly entrypoint: string
  readonly dependencies?: Dependencies
  readonly agent_id?: string | null
  readonly comments?: ReadonlyArray<CommentWire>
  readonly functions?: ReadonlyArray<FunctionWire> | null
  readonly explanation?: ExplanationWire
  readonly type?: "file" | "repo"
  readonly download_url?: string
  readonly file_tree?: string
  readonly file_count?: number
  readonly framework?: string | null
  readonly readme_preview?: string
}

interface SearchWire {
  readonly matches: ReadonlyArray<MatchWire>
  readonly total_found: number
  readonly cache_hit: boolean
  readonly search_namespaces?: ReadonlyArray<string>
  readonly mended?: ReadonlyArray<MendedWord>
  readonly fallback?: string
  readonly stale?: boolean
}

const matchOf = (wire: MatchWire): SearchMatch => ({
  codeBlock: codeBlockOf(wire.code_block),
  score: wire.score,
  combinedScore: wire.combined_score ?? wire.score,
  vectorScore: wire.vector_score ?? 0,
  verdictScore: wire.verdict_score ?? 0.5,
  offered: wire.offered ?? false,
  errorResilience: wire.error_resilience ?? 1,
  thumbsUp: wire.thumbs_up,
  thumbsDown: wire.thumbs_down,
  filename: wire.filename,
  language: wire.language,
  entrypoint: wire.entrypoint,
  dependencies: wire.dependencies ?? {},
  agentId: wire.agent_id ?? null,
  comments: (wire.comments ?? []).map(commentOf),
  functions: wire.functions?.map(functionOf) ?? null,
  explanation: wire.explanation === undefined ? null : explanationOf(wire.explanation),
  type: wire.type ?? "file",
  downloadUrl: wire.download_url ?? null,
  fileTree: wire.file_tree ?? null,
  fileCount: wire.file_count ?? null,
  framework: wire.framework ?? null,
  readmePreview: wire.readme_preview ?? null
})

export const search = (params: SearchParams): Call<SearchResponse> => ({
  method: "POST",
  path: "/api/retrieve/search",
  workspaceId: params.workspaceId,
  body: {
    task: params.task,
    top_k: params.topK,
    min_verdict_score: params.minVerdictScore,
    min_human_upvotes: params.minHumanUpvotes,
    prefer_complete: params.preferComplete,
    input_schema: params.inputSchema,
    per_function_reputation: params.perFunctionReputation,
    explain: params.explain,
    result_type: params.resultType
  },
  answer: json((wire: SearchWire) => ({
    matches: wire.matches.map(matchOf),
    totalFound: wire.total_found,
    cacheHit: wire.cache_hit,
    searchNamespaces: wire.search_namespaces ?? [],
    mended: wire.mended ?? [],
    fallback: wire.fallback ?? null,
    stale: wire.stale ?? false
  }))
})
