import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { source } from "./store.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const post = (path: string, body: unknown) => service.call("POST", path, body)
const upload = { task: "t", file_written: { path: "a.py", content: source("a") }, succeeded: true }

describe("a field that a route does not know", () => {
  it.each([
    ["/api/keys/org/create", { email: "a@b.c", key_name: "k", scopes: ["read"] }, "scopes", /expected email/],
    ["/api/retrieve/search", { task: "t", topk: 3 }, "topk", /did you mean top_k\?/],
    ["/api/retrieve/search", { task: "t", min_score: 0.5 }, "min_score", /did you mean min_verdict_score\?/],
    ["/api/agent-chat", { user_query: "q", user_id: "u", org_id: "o", stream: true }, "stream", /is no field/],
    [
      "/api/store/execution-result",
      { ...upload, file_written: { ...upload.file_written, mode: 1 } },
      "file_written.mode",
      /is no field/
    ],
    ["/api/keys/org/list", { limit: 5 }, "limit", /expected none/],
    ["/api/snippets/public/search", { query: "q", lang: "python" }, "lang", /is no field/]
  ])("is refused by %s with its name", async (path, body, field, said) => {
    const { errors } = refused(await post(path, body), 400, "validation/invalid_field")
    assert.deepStrictEqual(
      errors.map((error) => error.field),
      [field]
    )
    assert.match(JSON.stringify(errors), said)
  })

  it("is told together with whatever else is wrong", async () => {
    const { errors } = refused(
      await post("/api/retrieve/search", { topk: 3, top_k: 0 }),
      400,
      "validation/invalid_field"
    )
    assert.deepStrictEqual(
      errors.map(({ field }) => field),
      ["topk", "task", "top_k"]
    )
  })

  it("is nothing when it is null", async () => {
    assert.strictEqual((await post("/api/retrieve/search", { task: "t", more: null })).status, 200)
  })

  it("is refused in a query, too", async () => {
    const answer = await service.call("GET", "/api/events?limits=1")
    const { errors } = refused(answer, 400, "validation/invalid_field")
    assert.match(JSON.stringify(errors), /limits.*did you mean limit\?/)
    assert.match(answer.json.message, /did you mean limit\? See \/docs/)
    assert.strictEqual((await service.call("GET", "/health?anything=1")).status, 200)
  })

  it.each(["/api/events?limit=1&limit=2", "/api/workspaces?limit=1&limit=1"])(
    "is told from one that comes more than once in a query: %s",
    async (path) => {
      const { errors } = refused(await service.call("GET", path), 400, "validation/invalid_field")
      assert.deepStrictEqual(errors, [{ field: "limit", message: "comes more than once; expected it once" }])
    }
  )

  it("passes where existing clients send it, and the answer says that it did nothing", async () => {
    const cached_code_blocks = [
      { code_block_id: "00000000-0000-4000-8000-000000000000", filename: "a.py", description: "" }
    ]
    const answer = await post("/api/store/execution-result", {
      ...upload,
      run_url: "https://ci.example/1",
      cached_code_blocks
    })
    assert.deepStrictEqual(
      [answer.status, answer.headers.get("cairn-ignored-fields")],
      [200, "run_url, cached_code_blocks.0.filename, cached_code_blocks.0.description"]
    )
    assert.isNull((await post("/api/store/execution-result", upload)).headers.get("cairn-ignored-fields"))
  })
})

describe("an array of more entries than may be", () => {
  it("is one mistake, whatever its entries are", async () => {
    const prompts = Array.from({ length: 1_001 }, () => 1)
    const answer = await post("/api/store/bulk-execution-result", { prompts, files_written: [1], log_files: 1 })
    const { errors } = refused(answer, 400, "validation/invalid_field")
    assert.deepStrictEqual(errors, [{ field: "prompts", message: "has 1,001 entries; expected at most 1,000" }])
  })

  it("of 200 wrong ones twenty are told, in a few KiB", async () => {
    const files_written = Array.from({ length: 200 }, () => ({ path: 1, content: [] }))
    const answer = await post("/api/store/bulk-execution-result", { prompts: [], files_written })
    assert.strictEqual(refused(answer, 400, "validation/invalid_field").errors.length, 20)
    assert.isBelow(answer.text.length, 8_192)
  })
})
