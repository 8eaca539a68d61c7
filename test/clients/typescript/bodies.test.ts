import { assert, describe, it } from "vitest"
import { ValidationError } from "../../../clients/typescript/src/index.ts"
import { failure, stub } from "./stub.ts"

const found = { status: 200, body: { matches: [], total_found: 0, cache_hit: false } }

describe("a body", () => {
  it("has what is set under the wire's names, and keeps the keys that are the user's", async () => {
    const { cairn, sent } = stub([found])
    const inputSchema = { properties: { filePath: { type: "string" }, user_id: {} } }
    await cairn.search({ task: "x", topK: 7, minVerdictScore: 0, preferComplete: false, inputSchema })
    assert.deepStrictEqual(sent[0]!.body, {
      task: "x",
      top_k: 7,
      min_verdict_score: 0,
      prefer_complete: false,
      input_schema: inputSchema
    })
    assert.deepStrictEqual([sent[0]!.url, sent[0]!.method], ["http://cairn.test/api/retrieve/search", "POST"])
  })
  it("of an upload has every parameter", async () => {
    const { cairn, sent } = stub([{ status: 200, body: { success: true, code_blocks_stored: 1, message: "" } }])
    const fileWritten = { path: "a.ts", content: "1" }
    await cairn.upload({
      task: "t",
      fileWritten,
      succeeded: false,
      useServiceAiVoting: false,
      userVote: -1,
      voteSource: "human",
      voteCount: 3,
      executionLogs: "log",
      dependencies: { "left-pad": "1" },
      tags: ["a"],
      public: true,
      perFunctionReputation: true,
      cachedCodeBlocks: [{ codeBlockId: "id", filename: "f" }],
      runUrl: "u"
    })
    assert.deepStrictEqual(sent[0]!.body, {
      task: "t",
      file_written: fileWritten,
      succeeded: false,
      use_service_ai_voting: false,
      user_vote: -1,
      vote_source: "human",
      vote_count: 3,
      execution_logs: "log",
      dependencies: { "left-pad": "1" },
      tags: ["a"],
      public: true,
      per_function_reputation: true,
      cached_code_blocks: [{ code_block_id: "id", filename: "f" }],
      run_url: "u"
    })
  })
  it("of a bulk upload has bytes as base64, also of a large log and of a view into a buffer", async () => {
    const body = { success: true, code_blocks_stored: 1, votes_queued: 1, message: "", status_url: null }
    const { cairn, sent } = stub([{ status: 200, body }])
    const large = Buffer.alloc(300_000, "öx")
    await cairn.uploadBulkCodeSnips({
      prompts: ["p"],
      filesWritten: [{ path: "a", content: "1" }],
      logFiles: [
        { path: "large", content: large, contentType: "text/plain" },
        { path: "view", content: new Uint8Array([9, 255, 0, 128, 9]).subarray(1, 4) },
        { path: "text", content: "ö" },
        { path: "sent", content: "/wA=", encoding: "base64" }
      ],
      userVotes: { a: 1 },
      perFunctionReputation: true
    })
    const { log_files, ...rest } = sent[0]!.body
    assert.deepStrictEqual(log_files, [
      { path: "large", content: large.toString("base64"), encoding: "base64", content_type: "text/plain" },
      { path: "view", content: "/wCA", encoding: "base64" },
      { path: "text", content: "ö" },
      { path: "sent", content: "/wA=", encoding: "base64" }
    ])
    assert.deepStrictEqual(rest, {
      prompts: ["p"],
      files_written: [{ path: "a", content: "1" }],
      user_votes: { a: 1 },
      per_function_reputation: true
    })
  })
  it("of a bulk upload has a Blob, a File and any other bytes too, and refuses what is none", async () => {
    const body = { success: true, code_blocks_stored: 1, votes_queued: 1, message: "", status_url: null }
    const { cairn, sent } = stub([{ status: 200, body }])
    const given = { prompts: ["p"], filesWritten: [{ path: "a", content: "1" }] }
    await cairn.uploadBulkCodeSnips({
      ...given,
      logFiles: [
        { path: "blob", content: new Blob(["run"], { type: "text/x-log" }) },
        { path: "file", content: new File([new Uint8Array([255])], "a.log"), contentType: "text/plain" },
        { path: "buffer", content: new Uint8Array([114, 117, 110]).buffer },
        { path: "empty", content: new Uint8Array() }
      ]
    })
    const base64 = { encoding: "base64" }
    assert.deepStrictEqual(sent[0]!.body.log_files, [
      { path: "blob", content: "cnVu", ...base64, content_type: "text/x-log" },
      { path: "file", content: "/w==", ...base64, content_type: "text/plain" },
      { path: "buffer", content: "cnVu", ...base64 },
      { path: "empty", content: "", ...base64 }
    ])
    for (const content of [undefined, null, 7, { length: 3 }, ["a"]]) {
      const logFiles = [
        { path: "a", content: "fine" },
        { path: "b", content: content as never }
      ]
      const error = (await failure(cairn.uploadBulkCodeSnips({ ...given, logFiles }))) as ValidationError
      assert.instanceOf(error, ValidationError)
      assert.strictEqual(error.field, "log_files.1.content")
    }
    assert.strictEqual(sent.length, 1)
  })
})

it("a path's parts are encoded, a query has what is set", async () => {
  const { cairn, sent } = stub([
    async () => new Response("x"),
    { status: 200, body: { commits: [] } },
    { status: 200, body: { id: "ert_1", status: "done", reason: null, votes: [] } }
  ])
  await cairn.workspaces.file("id", "a b/ü#?.txt", { at: "abc" })
  await cairn.workspaces.commits("a/b", { limit: 2 })
  await cairn.uploads.status("/api/store/status/ert_1")
  assert.deepStrictEqual(
    sent.map(({ url }) => url.replace("http://cairn.test/api", "")),
    ["/workspaces/id/files/a%20b/%C3%BC%23%3F.txt?at=abc", "/workspaces/a%2Fb/commits?limit=2", "/store/status/ert_1"]
  )
})
