/** A request as the existing TypeScript client sends it, and what it reads of the answer. */
export interface Sent {
  /** Its method. */
  readonly by: string
  readonly path: string
  readonly body: (known: Known) => object
  /** Paths in the answer; `[]` is each of a list that must not be empty. A `?` at the end may be null or not there. */
  readonly reads: ReadonlyArray<string>
}

/** What earlier answers said. */
export interface Known {
  readonly task: string
  readonly source: string
  readonly snippet: string
  readonly execution: string
}

/** Every request carries these, whether it has a body or not. */
export const headersOf = (key: string): { readonly [name: string]: string } => ({
  "Content-Type": "application/json",
  Authorization: `Bearer ${key}`,
  "X-Raysurfer-SDK-Version": "typescript/1.4.0"
})

const stored = ["success", "code_blocks_stored", "message", "snippet_name?"]
const block = [
  ...["id", "name", "description", "source", "entrypoint", "language", "input_schema", "output_schema"],
  ...["language_version?", "dependencies", "tags", "capabilities", "example_queries?", "created_at?", "updated_at?"],
  "agent_id?"
].map((field) => `matches[].code_block.${field}`)
const match = [
  ...["score", "vector_score", "verdict_score", "thumbs_up", "thumbs_down", "filename", "language", "entrypoint"],
  ...["dependencies", "agent_id?", "comments", "combined_score", "error_resilience", "type"]
].map((field) => `matches[].${field}`)
const reputation = [
  ...["fingerprint", "function_name", "signature", "execution_count", "thumbs_up", "thumbs_down", "last_success_at?"],
  ...["last_failure_at?", "common_errors", "avg_output_size", "output_completeness", "repeat_call_rate"],
  ...["total_logged_calls", "author_agent?", "reviewed_by_human", "derived_from?"]
].map((field) => `matches[].functions[].${field}`)
const review = [
  ...["timestamp", "verdict", "reasoning", "what_worked", "what_didnt_work", "output_was_useful"],
  ...["output_was_correct", "output_was_complete", "error_was_appropriate?", "would_use_again"],
  ...["suggested_improvements", "required_workaround", "workaround_description?"]
]
const publicSnippet = [
  ...["id", "name", "description", "source", "language", "entrypoint", "thumbs_up", "thumbs_down", "created_at?"],
  "namespace"
].map((field) => `snippets[].${field}`)

/** In an order in which each finds what it asks for. What is not set is left out, as `JSON.stringify` does. */
export const requests: ReadonlyArray<Sent> = [
  {
    by: "upload",
    path: "/api/store/execution-result",
    body: ({ task, source }) => ({
      task,
      file_written: { path: "/home/ada/work/wombat_rows.ts", content: source },
      succeeded: true,
      use_raysurfer_ai_voting: true,
      user_vote: 1,
      execution_logs: "wombats walked by",
      run_url: "https://ci.example/1",
      dependencies: { zod: "4.0.0" },
      tags: ["tables"],
      public: true,
      vote_source: "human",
      vote_count: 2,
      per_function_reputation: true
    }),
    reads: stored
  },
  {
    by: "search",
    path: "/api/retrieve/search",
    body: ({ task }) => ({
      task,
      top_k: 5,
      min_verdict_score: 0.3,
      min_human_upvotes: 0,
      prefer_complete: false,
      input_schema: null,
      per_function_reputation: true
    }),
    reads: ["total_found", "cache_hit", "matches[].code_block.id", ...block, ...match, ...reputation]
  },
  {
    by: "upload, by an agent session that used snippets",
    path: "/api/store/execution-result",
    body: ({ task, source, snippet }) => ({
      task,
      file_written: { path: "generated-code.ts", content: `${source}\n// twice\n` },
      succeeded: true,
      use_raysurfer_ai_voting: true,
      execution_logs: "fine\n---\nfine",
      per_function_reputation: true,
      cached_code_blocks: [{ code_block_id: snippet, filename: "wombat_rows.ts", description: "Reads rows." }]
    }),
    reads: stored
  },
  {
    by: "uploadBulkCodeSnips, with a Buffer as a log",
    path: "/api/store/bulk-execution-result",
    body: ({ task, source }) => ({
      prompts: [task, "add tests"],
      files_written: [{ path: "src/b.ts", content: `${source}\n// bulk\n` }],
      log_files: [
        { path: "run.log", content: "fine", encoding: "utf-8" },
        { path: "core.bin", content: Buffer.from([0, 255]).toString("base64"), encoding: "base64", content_type: "x/y" }
      ],
      use_raysurfer_ai_voting: true,
      user_votes: { "b.ts": -1 },
      vote_source: "ai",
      vote_count: 1
    }),
    reads: ["success", "code_blocks_stored", "votes_queued", "message", "status_url?"]
  },
  {
    by: "storeCodeBlock, with dependencies as a list",
    path: "/api/store/code-block",
    body: ({ source }) => ({
      name: "wombat_block",
      description: "",
      source: `${source}\n// block\n`,
      entrypoint: "wombatRows",
      language: "typescript",
      input_schema: {},
      output_schema: {},
      language_version: null,
      dependencies: ["zod"],
      tags: [],
      capabilities: [],
      example_queries: null
    }),
    reads: ["success", "code_block_id", "embedding_id", "message"]
  },
  {
    by: "storeExecution, with a review in its own spelling",
    path: "/api/store/execution",
    body: ({ task, snippet }) => ({
      code_block_id: snippet,
      triggering_task: task,
      execution_state: "completed",
      duration_ms: 12,
      io: {
        input_data: { path: "a.csv" },
        input_hash: "",
        output_data: [["a"]],
        output_hash: "",
        output_type: "object"
      },
      error_message: null,
      error_type: null,
      verdict: "thumbs_up",
      review: {
        verdict: "thumbs_up",
        reasoning: "Fine.",
        whatWorked: ["all"],
        whatDidntWork: [],
        outputWasUseful: true,
        outputWasCorrect: true,
        outputWasComplete: true,
        wouldUseAgain: true,
        suggestedImprovements: []
      }
    }),
    reads: ["success", "execution_id", "pattern_updated", "message"]
  },
  {
    by: "storeExecution, of a decorated function that gave nothing",
    path: "/api/store/execution",
    body: () => ({
      code_block_id: "function_registry:wombats",
      triggering_task: "agent_accessible:wombats",
      io: { input_data: { args: [null] }, input_hash: "", output_hash: "", output_type: "undefined" },
      execution_state: "errored",
      duration_ms: 0,
      error_message: "boom",
      error_type: null,
      verdict: null,
      review: null
    }),
    reads: ["success", "execution_id", "pattern_updated", "message"]
  },
  {
    by: "getExecutions",
    path: "/api/retrieve/executions",
    body: ({ snippet }) => ({ code_block_id: snippet, limit: 20 }),
    reads: [
      "total_found",
      ...["id", "code_block_id", "timestamp", "execution_state", "duration_ms", "error_message?", "error_type?"].map(
        (field) => `executions[].${field}`
      ),
      ...["input_data", "input_hash", "output_data", "output_hash", "output_type"].map((it) => `executions[].io.${it}`),
      ...["triggering_task", "retrieval_score", "verdict"].map((field) => `executions[].${field}`),
      ...review.map((field) => `executions[].review.${field}`)
    ]
  },
  {
    by: "autoReview",
    path: "/api/store/auto-review",
    body: ({ task, execution }) => ({
      execution_id: execution,
      triggering_task: task,
      execution_state: "completed",
      input_data: { path: "a.csv" },
      output_data: [["a"]],
      code_block_name: "wombatRows",
      code_block_description: ""
    }),
    reads: ["success", "execution_id", "message", ...review.map((field) => `review.${field}`)]
  },
  {
    by: "getFewShotExamples",
    path: "/api/retrieve/few-shot-examples",
    body: ({ task }) => ({ task, k: 3 }),
    reads: ["task", "input_sample", "output_sample?", "code_snippet"].map((field) => `examples[].${field}`)
  },
  {
    by: "getTaskPatterns",
    path: "/api/retrieve/task-patterns",
    body: ({ task }) => ({ task, code_block_id: null, min_thumbs_up: 0, top_k: 20 }),
    reads: [
      ...["task_pattern", "code_block_id", "code_block_name", "thumbs_up", "thumbs_down", "verdict_score"],
      ...["last_thumbs_up?", "last_thumbs_down?"]
    ].map((field) => `patterns[].${field}`)
  },
  {
    by: "searchLogs",
    path: "/api/raw/search",
    body: () => ({ query: "wombats", limit: 20, offset: 0 }),
    reads: [
      ...["total_found", "has_more"],
      ...["snippet_id", "name", "language", "created_at", "score", "preview", "raw_markdown_url", "filename?"].map(
        (field) => `matches[].${field}`
      ),
      ...["matches[].triggering_query?", "matches[].log_url?"]
    ]
  },
  {
    by: "voteCodeSnip",
    path: "/api/store/cache-usage",
    body: ({ task, snippet }) => ({
      task,
      code_block_id: snippet,
      code_block_name: "wombat_rows.ts",
      code_block_description: "",
      succeeded: true
    }),
    reads: ["success", "vote_pending", "message"]
  },
  {
    by: "commentOnCodeSnip",
    path: "/api/store/comment",
    body: ({ snippet }) => ({ code_block_id: snippet, text: "Good." }),
    reads: ["success", ...["id", "email", "text", "created_at"].map((field) => `comment.${field}`)]
  },
  {
    by: "browsePublic",
    path: "/api/snippets/public/list",
    body: () => ({ limit: 20, offset: 0, sort_by: "upvoted" }),
    reads: ["total", "has_more", ...publicSnippet]
  },
  {
    by: "searchPublic",
    path: "/api/snippets/public/search",
    body: ({ task }) => ({ query: task, limit: 20 }),
    reads: ["total", "query", ...publicSnippet]
  },
  {
    by: "chat",
    path: "/api/agent-chat",
    body: ({ task }) => ({ user_query: task, user_id: "ada", org_id: "acme", model: "local", max_turns: 8 }),
    reads: ["success", "output", "error", "session_id", "duration_ms", "changed_files", "org_workspace_files"]
  },
  {
    by: "delete",
    path: "/api/snippets/delete",
    body: ({ snippet }) => ({ snippet_id: snippet }),
    reads: ["success", "deleted_count", "message"]
  }
]
