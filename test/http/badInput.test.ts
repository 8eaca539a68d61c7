import { request } from "node:http"
import { OpenApi } from "effect/http-api"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { Api } from "#src/api/Api.ts"
import { type Answer, ownerKey, type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { findByName, stored } from "./store.ts"

let service: Service
let head = 0
beforeAll(async () => {
  service = await startService()
  await stored(service.call, "before")
  await findByName(service.call, "before")
  await vi.waitFor(
    async () => {
      // the search and the key's use are noted in the background
      const [row] = await service.sql<{ rows: bigint }>(
        "SELECT count(*) AS rows FROM events WHERE type IN ('KeyUsed', 'SearchAnswered')"
      )
      assert.strictEqual(Number(row!.rows), 2)
    },
    { timeout: 60_000 }
  )
  head = await service.head()
})
afterAll(async () => {
  assert.strictEqual(await service.head(), head, "something was stored")
  assert.deepStrictEqual(service.log, [], "something was logged")
  await service.close()
})

const upload = "/api/store/execution-result"
const search = "/api/retrieve/search"
const chat = "/api/agent-chat"
const vote = "/api/store/cache-usage"
const remove = "/api/snippets/delete"
const create = "/api/keys/org/create"
const block = "/api/store/code-block"
const repo = "/api/store/repo"
const logs = "/api/raw/search"
const openList = "/api/snippets/public/list"
const openSearch = "/api/snippets/public/search"
const posts = [
  ...[upload, search, chat, vote, remove, create, "/api/keys/org/revoke"],
  ...[block, repo, logs, openList, openSearch]
]

const good: { readonly [path: string]: { readonly [field: string]: unknown } } = {
  [upload]: { task: "t", file_written: { path: "a.py", content: "x = 1" }, succeeded: true },
  [search]: { task: "t" },
  [chat]: { user_query: "q", user_id: "u", org_id: "o" },
  [vote]: { code_block_id: "00000000-0000-4000-8000-000000000000", succeeded: true },
  [remove]: { snippet_id: "n" },
  [create]: { email: "a@example.org", key_name: "k" },
  "/api/keys/org/revoke": { key_id: "k" },
  [block]: { name: "n", source: "x = 1", entrypoint: "", language: "python" },
  [repo]: { task: "t", files: [{ path: "a.py", content: "x = 1" }] },
  [logs]: { query: "q" },
  [openList]: { language: "python" },
  [openSearch]: { query: "q" }
}
// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is JSON
const document = OpenApi.fromApi(Api) as any
const limits = (path: string): number => document.paths[path].post.requestBody["x-max-bytes"]
const values = (path: string): number => document.paths[path].post.requestBody["x-max-values"]
const post = (path: string, body: unknown, headers = {}) => service.call("POST", path, body, headers)
const fieldsOf = (answer: Answer) => refused(answer, 400, "validation/invalid_field").errors.map(({ field }) => field)

describe("a body that is no JSON object", () => {
  it.each(posts)("is refused by %s", async (path) => {
    for (const body of ["{", "nonsense", '{"task": }', "{'task': 1}", '{"task": "t"', "\u{feff}{", "{} {}"]) {
      refused(await post(path, body), 400, "validation/invalid_json")
    }
    for (const body of ["[]", "1", '"text"', "true", "[{}]"]) {
      refused(await post(path, body), 400, "validation/invalid_body")
    }
    for (const body of ["", "null"]) {
      const answer = await post(path, body, { "content-type": "application/json" })
      assert.match(refused(answer, 400, answer.json.code).message, /JSON|missing|object/)
    }
  })

  it.each(posts)("is refused by %s when it is not UTF-8", async (path) => {
    const bytes = Buffer.from(JSON.stringify({ ...good[path], task: "caf\u00e9" }), "latin1")
    refused(await post(path, bytes), 400, "validation/invalid_json")
  })

  it.each(posts)("is refused by %s when it says that it is something else", async (path) => {
    const body = JSON.stringify(good[path])
    for (const type of [
      "text/plain",
      "application/xml",
      "multipart/form-data; boundary=x",
      "application/x-www-form-urlencoded"
    ]) {
      refused(await post(path, body, { "content-type": type }), 415, "body/unsupported_type")
    }
  })
})

describe("fields", () => {
  it("that are missing are all named at once", async () => {
    const missing: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      [upload, ["task", "succeeded"]],
      [search, ["task"]],
      [chat, ["user_query", "user_id", "org_id"]],
      [vote, ["code_block_id", "succeeded"]],
      [remove, ["snippet_id"]],
      [create, ["email", "key_name"]],
      [block, ["name", "source", "entrypoint", "language"]],
      [repo, ["task"]],
      [logs, ["query"]],
      [openSearch, ["query"]],
      ["/api/keys/org/revoke", ["key_id"]]
    ]
    for (const [path, names] of missing) {
      const answer = await post(path, {})
      assert.includeMembers(fieldsOf(answer), [...names], path)
      for (const name of names) assert.include(answer.json.message, name)
      const nulls = Object.fromEntries(names.map((name) => [name, null]))
      assert.includeMembers(fieldsOf(await post(path, nulls)), [...names], path)
    }
    const { file_written, ...without } = good[upload]!
    assert.deepStrictEqual(fieldsOf(await post(upload, without)), ["file_written"])
    assert.sameMembers(fieldsOf(await post(upload, { ...without, file_written: {} })), [
      "file_written.path",
      "file_written.content"
    ])
  })

  const wrong: ReadonlyArray<readonly [path: string, field: string, values: ReadonlyArray<unknown>]> = [
    [search, "task", ["", 1, ["t"], {}, "a\u0000b", "\ud800", "\udc00x"]],
    [search, "top_k", [0, 101, -1, 1.5, "5", 1e308, true]],
    [search, "min_verdict_score", [-0.1, 1.1, "0.3", {}]],
    [search, "prefer_complete", ["true", 1]],
    [search, "input_schema", ["{}", [], 1]],
    [search, "min_human_upvotes", [-1, 1.5, "1", 1_000_001]],
    [search, "result_type", ["files", 1]],
    [search, "content_type", ["page", 1]],
    [upload, "content_type", ["page", 1]],
    [upload, "cached_code_blocks", [{}, [{}], [1], Array.from({ length: 101 }, () => ({ code_block_id: "x" }))]],
    [upload, "run_url", [1, "a\u0000"]],
    [block, "language", ["", 1, "x".repeat(101), "a\u0000"]],
    [block, "output_schema", ["{}", []]],
    [repo, "files", ["a.py", [{}], [{ path: "a", content: 1 }], [{ path: "../a", content: "" }]]],
    [repo, "github_url", [1, "\ud800"]],
    [logs, "days_back", [0, 1.5, "1", 36_501]],
    [logs, "offset", [-1, 1_001]],
    [openList, "offset", [-1, 10_001, "1"]],
    [openSearch, "limit", [0, 101]],
    [upload, "succeeded", ["true", 1, 0, "yes"]],
    [upload, "user_vote", [0, 2, -2, "1", true, 0.5]],
    [upload, "vote_count", [0, 101, -1, 1.5, "1"]],
    [upload, "vote_source", [1, "robot", "AI", "a\u0000"]],
    [upload, "execution_logs", [1, "l\u0000g", "\udfff", "x".repeat(1_048_577)]],
    [upload, "dependencies", ["numpy", 1, { numpy: 2 }, { numpy: ["2"] }, [1], { "a\u0000": "1" }, { a: "\ud800" }]],
    [upload, "dependencies", [{ a: "1".repeat(65_536) }, ["n".repeat(65_537)]]],
    [block, "dependencies", [{ a: "1".repeat(65_536) }]],
    [repo, "dependencies", [{ ["n".repeat(65_537)]: "" }]],
    [upload, "tags", ["math", [1], ["\ud800"], ["x".repeat(201)]]],
    [upload, "public", ["yes", 1]],
    [upload, "file_written", ["a.py", [], 1, { path: "a.py" }, { path: "", content: "x" }]],
    [
      upload,
      "file_written",
      [
        { path: "a\u0000.py", content: "x" },
        { path: "a.py", content: "x\u0000" },
        { path: "a", content: 1 }
      ]
    ],
    [
      upload,
      "file_written",
      [
        { path: "p".repeat(4_097), content: "x" },
        { path: "a", content: "é".repeat(524_289) }
      ]
    ],
    [upload, "files_written", [[], Array(201).fill({ path: "a.py", content: "x" }), [{ path: "a.py" }]]],
    [chat, "user_query", ["", 1, "\u0000", "x".repeat(100_001)]],
    [chat, "user_id", ["", 7, "x".repeat(1_001), "\ud83d"]],
    [chat, "org_id", ["", {}, "a\u0000"]],
    [chat, "model", ["", "../x", "has space", "UPPER", "x", "m".repeat(129), 4, "sonett", "claude-x-1"]],
    [chat, "max_turns", [0, 101, 1.5, "8", -3]],
    [vote, "succeeded", ["yes", 1]],
    [vote, "code_block_id", ["", 1]],
    [vote, "task", [1, "\u0000"]],
    [remove, "snippet_id", ["", 1, "\u0000"]],
    [remove, "workspace_id", [1, "\ud800"]],
    [create, "email", ["", "no address", "a@", "@b", "a b@c.d", "a@b\u0000", 1]],
    [create, "key_name", ["", "x".repeat(201), 1, "\u0000"]],
    [create, "role", ["owner", "root", 1, ""]]
  ]
  it.each(wrong)("%s %s of a wrong type or out of range", async (path, field, values) => {
    for (const value of values) {
      const named = fieldsOf(await post(path, { ...good[path], [field]: value }))
      const shown = JSON.stringify(value)?.slice(0, 60)
      assert.isTrue(
        named.every((name) => name === field || name.startsWith(`${field}.`)),
        `${shown}: ${named}`
      )
    }
  })

  it("that are wrong are all named at once", async () => {
    const answer = await post(chat, { user_query: "", user_id: 1, max_turns: 0 })
    assert.sameMembers(fieldsOf(answer), ["user_query", "user_id", "max_turns", "org_id"])
  })

  it("are named, their contents are not", async () => {
    const secret = "s3cret-content"
    for (const field of ["user_vote", "succeeded", "vote_count", "dependencies"]) {
      assert.notInclude((await post(upload, { ...good[upload], [field]: secret })).text, secret)
    }
    assert.notInclude((await post(create, { email: secret, key_name: "k", role: secret })).text, secret)
    assert.notInclude((await post(upload, `{"task": "${secret}`)).text, secret)
  })

  it("of the query are checked too", async () => {
    for (const query of [
      "after=x",
      "after=-1",
      "limit=0",
      "limit=1001",
      "limit=ten",
      "limit=1.5",
      `after=${"9".repeat(16)}`,
      "type=%00",
      "stream=a%00"
    ]) {
      assert.deepStrictEqual(fieldsOf(await service.call("GET", `/api/events?${query}`)), [query.split("=")[0]!])
    }
  })
})

describe("bodies larger than a route takes", () => {
  const size = 33 * 1024 * 1024

  it.each(posts)("are refused by %s, which says how much it takes", async (path) => {
    const limit = limits(path)
    const body = Buffer.alloc(limit + 1, 0x20)
    body.write('{"task":"t"')
    const { message } = refused(await post(path, body), 413, "body/too_large")
    const said = /larger than (\d+) (KiB|MiB)/.exec(message)!
    assert.strictEqual(Number(said[1]) * 1024 ** (said[2] === "KiB" ? 1 : 2), limit)
    refused(await post(path, Buffer.alloc(limit, 0x20)), 400, "validation/invalid_json")
  })

  it("are refused also when their length is not said", async () => {
    const { status, text, id } = await new Promise<{ status: number; text: string; id: string }>((resolve, reject) => {
      const { hostname, port } = new URL(service.url)
      const headers = { authorization: `Bearer ${ownerKey}`, "content-type": "application/json" }
      const sending = request({ method: "POST", hostname, port, path: upload, headers }, async (response) => {
        let text = ""
        for await (const chunk of response) text += chunk
        resolve({ status: response.statusCode!, text, id: String(response.headers["x-request-id"]) })
      })
      // the service may answer and close before it has read all
      sending.on("error", reject)
      const chunk = Buffer.alloc(1024 * 1024, 0x20)
      for (let sent = 0; sent < size; sent += chunk.length) sending.write(chunk)
      sending.end()
    })
    const answer = { status, text, json: JSON.parse(text) }
    refused(
      { ...answer, headers: new Headers({ "x-request-id": id, "content-type": "application/json" }) },
      413,
      "body/too_large"
    )
  })

  it("but not ones of nearly as many, however they are filled", async () => {
    const content = "x".repeat(1_048_577)
    const files_written = Array.from({ length: 31 }, (_, n) => ({ path: `${n}.py`, content }))
    const named = fieldsOf(await post(upload, { task: "t", succeeded: true, files_written }))
    assert.isTrue(named.every((name) => /^files_written\.\d+\.content$/.test(name)))
    assert.strictEqual(named.length, 20)
  })
})

describe("a body of more values than a route takes", () => {
  it.each(posts)("is refused by %s before all of it is read", async (path) => {
    const body = `{"task":[${"0,".repeat(Math.min(values(path), (limits(path) - 20) / 2))}`
    assert.match(refused(await post(path, body), 400, "validation/invalid_body").message, /more than [\d,]+ values/)
  })
})

describe("a body that is nested deeper than anyone can read", () => {
  it.each(posts.filter((path) => path !== openList))("is refused by %s, and not a level before that", async (path) => {
    const nested = (levels: number) => `{"more":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)},"text":"[[{{\\""}`
    const { message } = refused(await post(path, nested(201)), 400, "validation/invalid_body")
    assert.match(message, /200 levels/)
    refused(await post(path, nested(20_000)), 400, "validation/invalid_body")
    refused(await post(path, nested(200)), 400, "validation/invalid_field")
  })
})
