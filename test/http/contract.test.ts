import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Service, startService } from "#test/service.ts"

/** Whether a value is what the contract says; named for the message. */
type Check = readonly [name: string, holds: (value: unknown) => boolean]
type Shape = { readonly [field: string]: Check }

const text: Check = ["a text", (value) => typeof value === "string"]
const whole: Check = ["a whole number", (value) => Number.isInteger(value)]
const finite: Check = ["a number", (value) => typeof value === "number" && Number.isFinite(value)]
const fraction: Check = ["a number from 0 to 1", (value) => typeof value === "number" && value >= 0 && value <= 1]
const yesOrNo: Check = ["true or false", (value) => typeof value === "boolean"]
const uuid: Check = ["a UUID", (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(String(value))]
const iso: Check = ["ISO 8601", (value) => typeof value === "string" && new Date(value).toISOString() === value]
const object: Check = ["an object", (value) => typeof value === "object" && value !== null && !Array.isArray(value)]
const anything: Check = ["there", (value) => value !== undefined]
const constant = (expected: unknown): Check => [JSON.stringify(expected), (value) => value === expected]
const oneOf = (...all: ReadonlyArray<string>): Check => [all.join(" or "), (value) => all.includes(value as string)]
const orNull = ([name, holds]: Check): Check => [`${name} or null`, (value) => value === null || holds(value)]
const listOf = ([name, holds]: Check): Check => [
  `a list of ${name}`,
  (value) => Array.isArray(value) && value.every(holds)
]
const texts = listOf(text)
const versions: Check = [
  "a map of texts",
  (value) => object[1](value) && Object.values(value as object).every((version) => typeof version === "string")
]

const problemsOf = (shape: Shape, value: unknown): ReadonlyArray<string> =>
  object[1](value)
    ? Object.entries(shape).flatMap(([field, [name, holds]]) => {
        const found = (value as Record<string, unknown>)[field]
        return holds(found) ? [] : [`${field} is ${JSON.stringify(found)}, expected ${name}`]
      })
    : [`${JSON.stringify(value)} is no object`]
const shaped = (shape: Shape): Check => ["as below", (value) => problemsOf(shape, value).length === 0]

const CodeBlock: Shape = {
  id: uuid,
  name: text,
  description: text,
  source: text,
  entrypoint: text,
  language: text,
  language_version: orNull(text),
  dependencies: versions,
  tags: texts,
  capabilities: texts,
  input_schema: object,
  output_schema: object,
  example_queries: orNull(texts),
  created_at: orNull(iso),
  updated_at: orNull(iso),
  agent_id: orNull(text)
}
const FunctionReputation: Shape = {
  fingerprint: text,
  function_name: text,
  signature: text,
  execution_count: whole,
  thumbs_up: whole,
  thumbs_down: whole,
  last_success_at: orNull(iso),
  last_failure_at: orNull(iso),
  common_errors: texts,
  avg_output_size: finite,
  output_completeness: fraction,
  repeat_call_rate: fraction,
  total_logged_calls: whole,
  author_agent: orNull(text),
  reviewed_by_human: yesOrNo,
  derived_from: orNull(text)
}
const SearchMatch: Shape = {
  code_block: shaped(CodeBlock),
  score: fraction,
  thumbs_up: whole,
  thumbs_down: whole,
  filename: text,
  language: text,
  entrypoint: text,
  dependencies: versions,
  functions: orNull(listOf(shaped(FunctionReputation))),
  // what existing clients read besides
  combined_score: fraction,
  vector_score: fraction,
  verdict_score: fraction,
  error_resilience: fraction,
  agent_id: orNull(text),
  comments: listOf(object),
  type: oneOf("file", "repo"),
  // what ours read
  offered: yesOrNo
}
const ListedKey: Shape = {
  id: uuid,
  name: text,
  key_prefix: text,
  user_email: text,
  user_id: uuid,
  created_at: iso,
  role: oneOf("owner", "admin", "member"),
  last_used_at: orNull(iso)
}
const Review: Shape = {
  timestamp: text,
  verdict: oneOf("thumbs_up", "thumbs_down", "pending"),
  reasoning: text,
  what_worked: texts,
  what_didnt_work: texts,
  output_was_useful: yesOrNo,
  output_was_correct: yesOrNo,
  output_was_complete: yesOrNo,
  error_was_appropriate: orNull(yesOrNo),
  would_use_again: yesOrNo,
  suggested_improvements: texts,
  required_workaround: yesOrNo,
  workaround_description: orNull(text)
}
const Execution: Shape = {
  id: text,
  code_block_id: text,
  triggering_task: text,
  timestamp: iso,
  retrieval_score: finite,
  execution_state: oneOf("completed", "errored", "timed_out", "cancelled"),
  duration_ms: finite,
  io: shaped({ input_data: anything }),
  error_message: orNull(text),
  error_type: orNull(text),
  verdict: orNull(oneOf("thumbs_up", "thumbs_down", "pending")),
  review: orNull(shaped(Review))
}
const PublicSnippet: Shape = {
  id: uuid,
  name: text,
  description: text,
  source: text,
  language: text,
  entrypoint: text,
  thumbs_up: whole,
  thumbs_down: whole,
  created_at: orNull(iso),
  namespace: text
}

/** Type of an answer → its fields. */
const shapes = {
  ChatResponse: {
    success: yesOrNo,
    output: text,
    changed_files: texts,
    workspace_files: texts,
    duration_ms: whole,
    session_id: text,
    error: text,
    org_workspace_files: texts,
    workspace_id: uuid,
    commit: text
  },
  SearchResponse: { matches: listOf(shaped(SearchMatch)), total_found: whole, cache_hit: yesOrNo },
  SearchMatch,
  CodeBlock,
  FunctionReputation,
  SubmitExecutionResultResponse: {
    success: constant(true),
    code_blocks_stored: constant(1),
    message: text,
    snippet_name: text,
    status_url: orNull(text)
  },
  BulkExecutionResultResponse: {
    success: constant(true),
    code_blocks_stored: constant(2),
    votes_queued: constant(2),
    message: text,
    status_url: text
  },
  DeleteResponse: { success: constant(true), deleted_count: constant(1), message: text },
  VoteCodeSnipResponse: { success: constant(true), vote_pending: yesOrNo, message: text },
  CreatedKey: {
    id: uuid,
    name: text,
    key: text,
    key_prefix: text,
    user_email: text,
    organization_id: uuid,
    organization_name: text,
    is_new_member: yesOrNo,
    created_at: iso
  },
  ListedKeys: { keys: listOf(shaped(ListedKey)), organization_id: uuid },
  RevokedKey: { success: constant(true), key_id: uuid },
  GradingStatus: {
    id: text,
    status: oneOf("pending", "done", "failed"),
    reason: orNull(text),
    votes: listOf(shaped({ snippet_id: uuid, filename: text, verdict: text, reason: orNull(text) }))
  },
  StoredCodeBlock: { success: constant(true), code_block_id: uuid, embedding_id: text, message: text },
  StoredExecution: { success: constant(true), execution_id: text, pattern_updated: yesOrNo, message: text },
  StoredRepo: { success: constant(true), repo_id: uuid, message: text },
  StoredComment: {
    success: constant(true),
    comment: shaped({ id: text, email: text, text: text, created_at: iso })
  },
  AutoReview: { success: yesOrNo, execution_id: text, message: text, review: shaped(Review) },
  FewShotExamples: {
    examples: listOf(shaped({ task: text, input_sample: object, output_sample: anything, code_snippet: text }))
  },
  TaskPatterns: {
    patterns: listOf(
      shaped({
        task_pattern: text,
        code_block_id: uuid,
        code_block_name: text,
        thumbs_up: whole,
        thumbs_down: whole,
        last_thumbs_up: orNull(iso),
        last_thumbs_down: orNull(iso),
        verdict_score: fraction
      })
    ),
    next_cursor: orNull(text)
  },
  Executions: { executions: listOf(shaped(Execution)), total_found: whole },
  RawSearch: {
    matches: listOf(
      shaped({
        snippet_id: uuid,
        name: text,
        language: text,
        created_at: iso,
        score: finite,
        preview: text,
        raw_markdown_url: text,
        filename: orNull(text),
        triggering_query: orNull(text),
        log_url: orNull(text)
      })
    ),
    total_found: whole,
    has_more: yesOrNo
  },
  PublicList: { snippets: listOf(shaped(PublicSnippet)), total: whole, has_more: yesOrNo },
  PublicSearch: { snippets: listOf(shaped(PublicSnippet)), total: whole, query: text }
} satisfies Record<string, Shape>

const source = (name: string) =>
  `import csv\n\ndef ${name}(path: str) -> list:\n    """Reads a CSV file."""\n    return []\n`
const logs = [
  "read the CSV file of zebras",
  "--- CAIRN_TELEMETRY_START ---",
  '{"cairn_telemetry":{"version":1,"functions":{"csv_rows":{"call_count":4,"avg_value_size":10,"empty_rate":0.25}}}}',
  "--- CAIRN_TELEMETRY_END ---"
].join("\n")

describe("an answer has every field of the contract, of its type: ", () => {
  let service: Service
  const answers: Record<string, unknown> = {}
  beforeAll(async () => {
    service = await startService()
    const post = async (path: string, body: object) => {
      const { status, json, text } = await service.call("POST", path, body)
      assert.strictEqual(status, 200, `${path}: ${text}`)
      return json
    }
    const task = "read a CSV file into rows"
    answers["SubmitExecutionResultResponse"] = await post("/api/store/execution-result", {
      task,
      file_written: { path: "csv_rows.py", content: source("csv_rows") },
      succeeded: true,
      user_vote: 1,
      per_function_reputation: true,
      execution_logs: logs,
      dependencies: { pandas: "2" },
      public: true
    })
    answers["BulkExecutionResultResponse"] = await post("/api/store/bulk-execution-result", {
      prompts: ["read a TSV file", "and a third one"],
      files_written: ["tsv_rows", "psv_rows"].map((name) => ({ path: `${name}.py`, content: source(name) }))
    })
    const { status_url } = answers["BulkExecutionResultResponse"] as { status_url: string }
    answers["GradingStatus"] = (await service.call("GET", status_url)).json
    const search = await post("/api/retrieve/search", { task, per_function_reputation: true })
    const match = search.matches.find(
      ({ code_block }: { code_block: { name: string } }) => code_block.name === "csv_rows"
    )
    answers["SearchResponse"] = search
    answers["SearchMatch"] = match
    answers["CodeBlock"] = match.code_block
    answers["FunctionReputation"] = match.functions[0]
    const code_block_id = match.code_block.id
    answers["VoteCodeSnipResponse"] = await post("/api/store/cache-usage", { task, code_block_id, succeeded: true })
    answers["StoredCodeBlock"] = await post("/api/store/code-block", {
      name: "given",
      source: source("given"),
      entrypoint: "given",
      language: "python"
    })
    answers["StoredExecution"] = await post("/api/store/execution", {
      code_block_id,
      triggering_task: task,
      execution_state: "completed",
      duration_ms: 12.5,
      verdict: "thumbs_up",
      io: { input_data: { path: "a.csv" }, output_data: [], output_type: "list" }
    })
    const { execution_id } = answers["StoredExecution"] as { execution_id: string }
    answers["AutoReview"] = await post("/api/store/auto-review", {
      execution_id,
      triggering_task: task,
      execution_state: "completed",
      input_data: {},
      output_data: [],
      code_block_name: "csv_rows",
      code_block_description: "",
      error_message: null
    })
    answers["StoredRepo"] = await post("/api/store/repo", {
      task: "a web server",
      files: [{ path: "package.json", content: '{"dependencies":{"express":"4"}}' }]
    })
    answers["StoredComment"] = await post("/api/store/comment", { code_block_id, text: "Fine." })
    answers["FewShotExamples"] = await post("/api/retrieve/few-shot-examples", { task })
    answers["TaskPatterns"] = await post("/api/retrieve/task-patterns", { task })
    answers["Executions"] = await post("/api/retrieve/executions", { code_block_id })
    answers["RawSearch"] = await post("/api/raw/search", { query: "zebras" })
    answers["PublicList"] = await post("/api/snippets/public/list", {})
    answers["PublicSearch"] = await post("/api/snippets/public/search", { query: "CSV file" })
    answers["CreatedKey"] = await post("/api/keys/org/create", { email: "ada@example.org", key_name: "ci" })
    answers["ListedKeys"] = await post("/api/keys/org/list", {})
    const { id } = answers["CreatedKey"] as { id: string }
    answers["RevokedKey"] = await post("/api/keys/org/revoke", { key_id: id })
    answers["ChatResponse"] = await post("/api/agent-chat", {
      user_query: task,
      user_id: "ada",
      org_id: "acme",
      model: "local"
    })
    answers["DeleteResponse"] = await post("/api/snippets/delete", { snippet_id: "given" })
  })
  afterAll(() => service.close())

  it.each(Object.keys(shapes) as Array<keyof typeof shapes>)("%s has every field, of its type", (type) => {
    assert.deepStrictEqual(problemsOf(shapes[type], answers[type]), [], JSON.stringify(answers[type]))
  })

  it("and lists are not empty where something was stored", () => {
    for (const [type, list] of [
      ["FewShotExamples", "examples"],
      ["TaskPatterns", "patterns"],
      ["Executions", "executions"],
      ["RawSearch", "matches"],
      ["PublicList", "snippets"],
      ["PublicSearch", "snippets"],
      ["GradingStatus", "votes"]
    ] as const) {
      assert.isNotEmpty((answers[type] as Record<string, ReadonlyArray<unknown>>)[list], type)
    }
  })
})
