import { connect } from "node:net"
import { OpenApi } from "effect/http-api"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Api } from "#src/api/Api.ts"
import { calls, says, startMessagesApi } from "#test/MessagesApi.ts"
import { newInstallation, ownerKey, removeInstallation, type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { chatting, creating, deleting, revoking, uploading, voting } from "./routes.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  assert.deepStrictEqual(service.log, [], "something was logged")
  await service.close()
})

const search = "/api/retrieve/search"
const posts = [uploading, search, chatting, voting, deleting, creating, revoking, "/api/keys/org/list"]
const post = (path: string, body: unknown, headers = {}) => service.call("POST", path, body, headers)

describe("keys", () => {
  it.each(posts)("are asked for by %s before anything is looked at", async (path) => {
    for (const body of ["{}", "{", "[]"]) {
      refused(await post(path, body, { authorization: "" }), 401, "auth/missing_api_key")
      refused(await post(path, body, { authorization: "Bearer cairn_live_wrong" }), 401, "auth/invalid_api_key")
    }
  })

  it("are asked for by every route that is not open to all", async () => {
    // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked as the JSON that it is
    const { paths } = OpenApi.fromApi(Api) as any
    const open: Array<string> = []
    for (const [path, methods] of Object.entries<Record<string, { readonly security?: ReadonlyArray<unknown> }>>(paths))
      for (const [method, { security = [] }] of Object.entries(methods)) {
        const at = path.replaceAll(/\{\w+\}/g, "x").replace("*", "x")
        const ask = (authorization: string) =>
          service.call(method.toUpperCase(), at, method === "post" ? {} : undefined, { authorization })
        if (security.length === 0) open.push(path)
        else {
          refused(await ask(""), 401, "auth/missing_api_key")
          refused(await ask("Bearer cairn_live_wrong"), 401, "auth/invalid_api_key")
        }
      }
    assert.deepStrictEqual(open.sort(), [
      // who erased an organization has no key any more
      "/api/erasures/{id}",
      // the code of its link stands for one
      "/api/sign-in",
      ...["/api/snippets/public/list", "/api/snippets/public/search", "/health", "/ready", "/skill.md"]
    ])
  })

  it("of any shape are no defect", async () => {
    for (const key of ["x".repeat(8_000), "cairn_live_é", "a b c", "%00", "' OR 1=1 --"]) {
      const authorization = `Bearer ${Buffer.from(key).toString("latin1")}`
      refused(await post(search, { task: "t" }, { authorization }), 401, "auth/invalid_api_key")
    }
  })
})

describe("bodies", () => {
  it("that are compressed are refused as that, and not as no JSON", async () => {
    for (const encoding of ["gzip", "br", "gzip, gzip"]) {
      const answer = await post(search, { task: "t" }, { "content-encoding": encoding })
      refused(answer, 415, "body/unsupported_type")
      assert.match(answer.json.message, /compressed/)
    }
    assert.strictEqual((await post(search, { task: "t" }, { "content-encoding": "identity" })).status, 200)
  })
})

describe("paths and methods", () => {
  const get = (path: string) => service.call("GET", path)

  it("that are not there are 404, with and without a key", async () => {
    const paths = ["/api", "/api/", "/api/nothing", "/api/retrieve/search/x", "/API/RETRIEVE/SEARCH", "/favicon.ico"]
    for (const path of [
      ...paths,
      `/${"x".repeat(4_000)}`,
      "/%E0%A4%A",
      "/%00",
      "/%ff",
      "/api/%2e%2e/%2e%2e/etc/passwd"
    ]) {
      refused(await get(path), 404, "not_found/route")
      refused(await service.call("GET", path, undefined, { authorization: "" }), 404, "not_found/route")
    }
  })

  it.each([
    ["POST", "/api/sharedCode", "/api/snippets/public/search"],
    ["POST", "/api/execute/run", "/api/store/execution"],
    ["GET", "/api/execute/ws/1f0c6d1e", "/api/store/execution"],
    ["POST", "/api/agents/heartbeat", "/api/retrieve/executions"],
    ["POST", "/api/logs/ingest", "/api/raw/search"],
    ["GET", "/api/logs/hash/4d967a?limit=50", "/api/raw/search"],
    ["POST", "/api/retrieve/code-files", "/api/retrieve/search"]
  ])("of existing clients for what is not done here say what is instead: %s %s", async (method, path, instead) => {
    assert.include(
      refused(await service.call(method, path, method === "POST" ? {} : undefined), 404, "not_found/route").message,
      instead
    )
  })

  it("that are there for another method are 405 and say which", async () => {
    for (const [method, path, allowed] of [
      ["GET", search, "POST"],
      ["PUT", uploading, "POST"],
      ["DELETE", chatting, "POST"],
      ["PUT", "/api/workspaces", "GET, POST"],
      ["POST", "/api/workspaces/w/files/a.txt", "GET, PUT, DELETE"],
      ["PATCH", "/api/events", "GET"],
      ["POST", "/health", "GET"],
      ["POST", "/skill.md", "GET"],
      ["POST", "/docs", "GET"],
      ["PUT", "/openapi.json", "GET"],
      ["DELETE", "/git/acme/ada", "GET, POST"]
    ] as const) {
      const answer = await service.call(method, path)
      assert.include(refused(answer, 405, "method/not_allowed").message, allowed)
      assert.strictEqual(answer.headers.get("allow"), allowed)
    }
  })

  it("of reads are there for HEAD too", async () => {
    const { status, text } = await service.call("HEAD", "/health")
    assert.deepStrictEqual([status, text], [200, ""])
    assert.strictEqual((await service.call("HEAD", search)).status, 405)
    assert.strictEqual((await service.call("HEAD", "/nothing")).status, 404)
  })

  it("with absurd parts are 404", async () => {
    const id = "00000000-0000-4000-8000-000000000000"
    for (const odd of [
      "%00",
      "%ff",
      "%E0%A4%A",
      "..%2f..%2fetc",
      "x".repeat(3_000),
      "'",
      "%F0%9F%92%A9",
      "a%2fb",
      "..."
    ]) {
      for (const path of [
        `${odd}/commits`,
        `${odd}/tree`,
        `${id}/commits/${odd}`,
        `${id}/files/${odd}`,
        `${id}/tree?at=${odd}`
      ]) {
        const answer = await get(`/api/workspaces/${path}`)
        const { code } = refused(answer, answer.status, answer.json?.code) as unknown as { code: string }
        assert.include(["not_found/workspace", "not_found/route"], code, path)
        assert.strictEqual(answer.status, 404)
      }
    }
  })

  it("that no client would send are answered and harm nothing", async () => {
    const { hostname, port } = new URL(service.url)
    const raw = (text: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => socket.write(text, "latin1"))
        let answer = ""
        socket.on("data", (chunk) => {
          answer += chunk
        })
        socket.on("close", () => resolve(answer))
        socket.on("error", reject)
      })
    const lines = [
      "GET /../../etc/passwd HTTP/1.1",
      "GET http://evil/ HTTP/1.1",
      "GET /%%% HTTP/1.1",
      "OPTIONS * HTTP/1.1"
    ]
    for (const line of lines) {
      const answer = await raw(`${line}\r\nHost: x\r\nConnection: close\r\n\r\n`)
      assert.match(answer, /^HTTP\/1\.1 4\d\d /, line)
      const body = JSON.parse(/\{.*\}/s.exec(answer)![0])
      assert.strictEqual(body.detail, body.message, line)
    }
  })
})

it("a defect is a 500 whose cause the log has under the request's id, without what was sent", async () => {
  const installation = await newInstallation()
  const api = await startMessagesApi([
    calls({ name: "Write", input: { file_path: "a/b.txt", content: "hush-hush" } }),
    says("Done.")
  ])
  const whole = await startService({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url }, installation)
  const chat = { user_query: "hush-hush task", user_id: "u", org_id: "o" }
  const { workspace_id: id } = (await whole.call("POST", chatting, chat)).json
  await whole.stop()
  await api.close()
  const broken = await startService({}, installation)
  // a read model without its table is nothing that the service reckons with
  await broken.sql("ALTER TABLE workspaces_v5.workspaces RENAME TO gone")
  try {
    const answer = await broken.call("GET", `/api/workspaces/${id}/tree`)
    const { message } = refused(answer, 500, "internal/error")
    assert.notInclude(message, installation.dataDir)
    const logged = broken.log.filter((line) => line.includes(answer.json.request_id))
    assert.strictEqual(logged.length, 1, broken.log.join("\n"))
    assert.include(logged[0]!, "at ", "the log has no stack")
    assert.notInclude(broken.log.join("\n"), "hush-hush")
    assert.notInclude(broken.log.join("\n"), ownerKey)
    assert.strictEqual((await broken.call("GET", "/health")).status, 200)
  } finally {
    await broken.stop()
    removeInstallation(installation)
  }
})
