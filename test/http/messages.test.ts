import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Call } from "#test/service/call.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"

let service: Service
let free: Call
beforeAll(async () => {
  service = await startService()
  free = service.as((await organization(service, "FREE")).key)
})
afterAll(() => service.close())

const none = "00000000-0000-4000-8000-000000000000"
const search = "/api/retrieve/search"
const upload = "/api/store/execution-result"
const file = { path: "a.py", content: "x = 1" }

/** A mistake, the field that is named, and what is said of it. */
const mistakes: ReadonlyArray<readonly [path: string, body: object, field: string, said: string]> = [
  [search, {}, "task", "is missing"],
  [search, { task: null }, "task", "is of a wrong type; expected text"],
  [search, { task: 1 }, "task", "is of a wrong type; expected text"],
  [search, { task: "a\u0000" }, "task", "has a NUL or half a surrogate pair; expected well-formed text without NUL"],
  [search, { task: "t", top_k: "5" }, "top_k", "is of a wrong type; expected a number"],
  [search, { task: "t", top_k: 1.5 }, "top_k", "is out of range; expected a whole number from 1 to 100"],
  [search, { task: "t", top_k: 0 }, "top_k", "is out of range; expected a whole number from 1 to 100"],
  [search, { task: "t", topK: 0 }, "topK", "is no field of this; did you mean top_k?"],
  [search, { task: "t", prefer_complete: "yes" }, "prefer_complete", "is of a wrong type; expected true or false"],
  [search, { task: "t", result_type: "files" }, "result_type", 'is of a wrong type; expected "file", "repo" or "any"'],
  [search, { task: "t", input_schema: [] }, "input_schema", "is of a wrong type; expected an object"],
  [upload, { task: "t", succeeded: true }, "file_written", "is missing; expected an object {path, content}"],
  [
    upload,
    { task: "t", succeeded: true, file_written: file, user_vote: 2 },
    "user_vote",
    "is of a wrong type; expected 1 or -1"
  ],
  [
    upload,
    { task: "t", succeeded: true, file_written: file, tags: "a" },
    "tags",
    "is of a wrong type; expected an array"
  ],
  [
    upload,
    { task: "t", succeeded: true, file_written: file, dependencies: 1 },
    "dependencies",
    "is of a wrong type; expected an object"
  ],
  ["/api/keys/org/create", { email: "a", key_name: "k" }, "email", "is no e-mail address; expected name@domain"],
  [
    "/api/keys/org/create",
    { email: "a@b.c", key_name: "" },
    "key_name",
    "is empty or too long; expected 1 to 200 characters"
  ],
  [
    "/api/agent-chat",
    { user_query: "q", user_id: "u", org_id: "o", model: "NO" },
    "model",
    "is no model; expected sonnet, opus, haiku, local, or a model's full id"
  ]
]

describe("what is said of a mistake", () => {
  it.each(mistakes)("%s %j", async (path, body, field, said) => {
    const { status, json } = await service.call("POST", path, body)
    assert.deepStrictEqual([status, json.field, json.errors], [400, field, [{ field, message: said }]])
    const end = said.endsWith("?") ? "" : "."
    assert.strictEqual(json.message, `${field}: ${said}${end} See /docs for what is expected.`)
  })

  it("names the field that the route has: a vote takes an id, and offers no name", async () => {
    const { status, json } = await service.call("POST", "/api/store/cache-usage", {
      code_block_id: none,
      succeeded: true
    })
    assert.deepStrictEqual([status, json.field], [404, "code_block_id"])
    assert.match(json.message, /Send the id .* not a name/)
    const gone = await service.call("POST", "/api/snippets/delete", { snippet_id: none })
    assert.deepStrictEqual([gone.status, gone.json.field], [404, "snippet_id"])
  })

  it.each([
    [{ "x-cairn-workspace-id": "w" }, "X-Cairn-Workspace-Id"],
    [{ "x-raysurfer-workspace-id": "w" }, "X-Raysurfer-Workspace-Id"],
    [{ "x-cairn-snips-desired": "company" }, "X-Cairn-Snips-Desired"],
    [{ "x-raysurfer-snips-desired": "client" }, "X-Raysurfer-Snips-Desired"],
    [{ "x-raysurfer-org-id": none }, "X-Raysurfer-Org-Id"]
  ])("names the header that was sent: %j", async (headers, name) => {
    const { status, json } = await free("POST", search, { task: "t" }, headers as never)
    assert.deepStrictEqual([status, json.field], [403, name])
    assert.include(json.message, name)
  })

  it("names a header that is missing under the prefix that the caller uses", async () => {
    const headers = { "x-raysurfer-snips-desired": "client" }
    const { status, json } = await service.call("POST", search, { task: "t" }, headers)
    assert.deepStrictEqual([status, json.field], [400, "X-Raysurfer-Workspace-Id"])
    const unknown = await service.call("POST", search, { task: "t" }, { "x-raysurfer-snips-desired": "all" })
    assert.deepStrictEqual([unknown.status, unknown.json.field], [400, "X-Raysurfer-Snips-Desired"])
  })

  it("names the field of a body that opens a scope", async () => {
    const { status, json } = await free("POST", "/api/snippets/delete", { snippet_id: "x", workspace_id: "w" })
    assert.deepStrictEqual([status, json.field], [403, "workspace_id"])
  })
})
