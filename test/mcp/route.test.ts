import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { refused } from "#test/http/problem.ts"
import { source } from "#test/http/store.ts"
import { send } from "#test/service/call.ts"
import { organization } from "#test/service/tenants.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { accept, call, done, initialize, modern, post, request } from "./rpc.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const ping = { jsonrpc: "2.0", id: 1, method: "ping" }
const plain = async (headers: Record<string, string>, body: unknown = ping) =>
  send(service.url, "POST", "/mcp", body, headers)

describe("a caller", () => {
  it("without a key, or with a wrong one, is refused in the one error body", async () => {
    const missing = await plain({ accept })
    refused(missing, 401, "auth/missing_api_key")
    assert.match(missing.headers.get("www-authenticate") ?? "", /^Bearer/)
    for (const key of ["nonsense", `cairn_live_${"A".repeat(43)}`]) {
      const wrong = await plain({ accept, authorization: `Bearer ${key}` })
      refused(wrong, 401, "auth/invalid_api_key")
      assert.match(wrong.headers.get("www-authenticate") ?? "", /^Bearer/)
    }
  })

  it("with a scope that the key does not open is refused as over REST", async () => {
    const headers = { "x-cairn-org-id": randomUUID() }
    refused(await request(service.url, ownerKey, "tools/list", {}, headers), 403, "permission/not_org_member")
    const free = await organization(service, "FREE")
    refused(
      await request(service.url, free.key, "tools/list", {}, { "x-cairn-workspace-id": "w" }),
      403,
      "permission/tier_required"
    )
  })
})

describe("what the server would refuse without a word", () => {
  const owner = { authorization: `Bearer ${ownerKey}` }

  it("is said in the one error body", async () => {
    refused(await plain({ ...owner, accept: "application/json" }), 406, "header/not_acceptable")
    refused(await plain({ ...owner, accept, "content-type": "text/plain" }), 415, "body/unsupported_type")
    refused(await plain({ ...owner, accept, origin: "https://evil.example" }), 403, "permission/foreign_origin")
    refused(await plain({ ...owner, accept, "mcp-session-id": randomUUID() }), 404, "not_found/session")
    refused(await plain({ ...owner, accept }, [ping]), 400, "validation/invalid_body")
    refused(await plain({ ...owner, accept }, Array(51).fill(ping)), 400, "validation/invalid_body")
    refused(await plain({ ...owner, accept }, new Uint8Array([0xff, 0xfe])), 400, "validation/invalid_json")
    refused(await plain({ ...owner, accept }, `${"[".repeat(1000)}${"]".repeat(1000)}`), 400, "validation/invalid_body")
  })

  it("is a body of more than 32 MiB", async () => {
    refused(await plain({ ...owner, accept }, `"${"x".repeat(33 * 1024 * 1024)}"`), 413, "body/too_large")
  })

  it("is another method", async () => {
    const ids = new Set<string>()
    for (const method of ["GET", "PUT", "PATCH", "OPTIONS"]) {
      const answer = await send(service.url, method, "/mcp", undefined, owner)
      refused(answer, 405, "method/not_allowed")
      assert.strictEqual(answer.headers.get("allow"), "POST, DELETE")
      ids.add(answer.json.request_id)
    }
    assert.strictEqual(ids.size, 4)
  })
})

describe("bad input", () => {
  it("is answered as a JSON-RPC error or a refusal, never as a defect", async () => {
    const before = service.log.length
    const tools = ["search", "upload", "vote", "patterns", "chat"]
    const values = [undefined, null, 1, "x", [], {}, true, [null], { task: null }, { task: 1 }, { task: "\u0000" }]
    const more = [{ task: "t", top_k: 1e9 }, { task: "\ud800" }, { file: { path: 1 } }, { code_block_id: "../x" }]
    for (const name of tools) {
      for (const given of [...values, ...more]) {
        const { status, json, text } = await request(service.url, ownerKey, "tools/call", { name, arguments: given })
        // patterns needs no argument; vote's id is a text that no snippet has
        assert.isTrue(status === 200 || status === 400, text)
        assert.isTrue(json?.error !== undefined || json?.result !== undefined || json?.code !== undefined, text)
        if (json.result?.isError === true) assert.isAbove(json.result.content[0].text.length, 20)
        else if (json.result !== undefined) assert.strictEqual(name, "patterns", text)
      }
    }
    const bodies = ["", "{", "null", "1", '"x"', "[]", "{}", "[[]]", "[1]", '{"jsonrpc":"2.0"}', '{"method":1,"id":{}}']
    const messages = [
      { ...ping, id: null },
      { ...ping, method: "tools/none" },
      { ...ping, method: "__proto__", params: { __proto__: 1 } },
      { jsonrpc: "2.0", id: 1, result: {} },
      { ...ping, method: "tools/call", params: "x" },
      { ...ping, method: "resources/read", params: { uri: {} } }
    ]
    const versions: ReadonlyArray<Record<string, string>> = [
      {},
      { "mcp-protocol-version": modern },
      { "mcp-protocol-version": "1999-01-01" }
    ]
    const session = await initialize(service.url, ownerKey)
    for (const body of [...bodies, ...messages]) {
      for (const headers of [...versions, session]) {
        const { status, text } = await post(service.url, ownerKey, body, headers as never)
        assert.isBelow(status, 500, `${JSON.stringify(body)} ${JSON.stringify(headers)}: ${text}`)
        if (status !== 202)
          assert.isAbove(text.length, 0, `${status} ${JSON.stringify(body)} ${JSON.stringify(headers)}`)
      }
    }
    const logged = service.log.slice(before).filter((line) => /ERROR|FATAL/.test(line))
    assert.deepStrictEqual(logged, [])
  })

  it("names every field that is wrong", async () => {
    const { failed, text, structure } = await call(service.url, ownerKey, "search", { top_k: 101, min_score: 2 })
    assert.isTrue(failed)
    for (const field of ["task", "top_k", "min_score"]) assert.include(text, `${field}: `)
    // a model has no list of the tools to look into
    assert.include(text, "search needs task, and takes top_k, min_score, content_type, public_snips, explain.")
    const misspelt = await call(service.url, ownerKey, "upload", { task: "t", path: "s3cret" })
    assert.include(misspelt.text, "upload needs task, file {path, content}, and takes succeeded, public.")
    assert.include(misspelt.text, "path: is no field of this; expected task, file, succeeded, public")
    assert.notInclude(misspelt.text, "s3cret")
    assert.strictEqual(structure.code, "validation/invalid_field")
    assert.deepStrictEqual(structure.errors.map(({ field }: { field: string }) => field).sort(), [
      "min_score",
      "task",
      "top_k"
    ])
  })
})

describe("rates", () => {
  it("are those of the routes, and counted together with them", async () => {
    const slow = await startService({ CAIRN_RATE_LIMITS: "search=2,store=1,chat=1,other=2" })
    try {
      await slow.call("POST", "/api/retrieve/search", { task: "t" })
      await done(slow.url, ownerKey, "search", { task: "t" })
      const over = await call(slow.url, ownerKey, "patterns", {})
      assert.deepStrictEqual([over.failed, over.structure.code], [true, "rate_limit/exceeded"])
      assert.match(over.text, /Retry after \d+ s/)
      await done(slow.url, ownerKey, "upload", { task: "t", file: { path: "a.py", content: source("a") } })
      assert.strictEqual((await slow.call("POST", "/api/store/cache-usage", {})).status, 429)
      // tools are not counted as requests besides
      for (const status of [200, 200, 429]) {
        const answer = await request(slow.url, ownerKey, "tools/list")
        assert.strictEqual(answer.status, status, answer.text)
      }
    } finally {
      await slow.close()
    }
  })
})
