import { assert, describe, it, vi } from "vitest"
import {
  APIError,
  AuthenticationError,
  CacheUnavailableError,
  Cairn,
  ConflictError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServiceError,
  ValidationError
} from "../../../clients/typescript/src/index.ts"
import { failure, key, type Reply, stub } from "./stub.ts"

const problem = (status: number, code: string, field: string | null = null): Reply => ({
  status,
  body: { detail: "Why.", message: "Why.", code, error: code, field, errors: [], request_id: "req_7" }
})

describe("a refusal", () => {
  for (const [reply, kind, properties] of [
    [problem(401, "auth/invalid_api_key"), AuthenticationError, { code: "auth/invalid_api_key" }],
    [problem(400, "validation/invalid_field", "file_written.path"), ValidationError, { field: "file_written.path" }],
    [problem(400, "validation/member_limit_reached"), ValidationError, { field: null }],
    [
      problem(403, "permission/tier_required"),
      PermissionDeniedError,
      { statusCode: 403, code: "permission/tier_required" }
    ],
    [problem(404, "not_found/snippet"), NotFoundError, { statusCode: 404 }],
    [problem(409, "conflict/ambiguous_name"), ConflictError, { statusCode: 409, code: "conflict/ambiguous_name" }],
    [problem(413, "body/too_large"), APIError, { statusCode: 413 }],
    [problem(429, "rate_limit/exceeded"), RateLimitError, { retryAfter: null }],
    [problem(500, "internal/error"), CacheUnavailableError, { statusCode: 500, retryAfter: null }]
  ] as const) {
    it(`of ${(reply as { status: number }).status} ${properties.code ?? ""} is a ${kind.name}`, async () => {
      const { vote } = stub([reply])
      const error = (await failure(vote({ maxRetries: 0 }))) as ServiceError
      assert.strictEqual(error.constructor, kind)
      assert.instanceOf(error, ServiceError)
      assert.strictEqual(error.name, kind.name)
      assert.deepInclude(error, { message: "Why.", requestId: "req_7", ...properties } as never)
    })
  }

  it("that is not the service's names request, status and its beginning, on one line, without keys", async () => {
    const { vote } = stub([{ status: 404, body: `<html>\n no ${key} ${"x".repeat(1000)}</html>` }])
    const error = (await failure(vote())) as APIError
    assert.instanceOf(error, APIError)
    assert.match(
      error.message,
      /^POST \/api\/store\/cache-usage was answered with 404: <html> no cairn_live_\*\*\* x+\.$/
    )
    assert.isBelow(error.message.length, 300)
    assert.deepInclude(error, { code: null, requestId: "req_1" })
    const { vote: again } = stub([{ status: 400, body: '"no object"' }])
    assert.strictEqual(((await failure(again())) as Error).constructor, APIError)
    const { vote: empty } = stub([{ status: 401, body: "" }])
    assert.instanceOf(await failure(empty()), AuthenticationError)
  })
})

describe("an answer that is none", () => {
  for (const body of ["", "<html>hello</html>", '{"success": tr', "null", "[]", "7"]) {
    it(`like ${JSON.stringify(body)} is an APIError, and not asked for again`, async () => {
      const { vote, sent } = stub([{ status: 200, body }])
      const error = (await failure(vote())) as APIError
      assert.instanceOf(error, APIError)
      assert.deepInclude(error, { statusCode: 200, requestId: "req_1" })
      assert.include(error.message, "baseUrl")
      assert.strictEqual(sent.length, 1)
    })
  }
  it("without the fields that a result is made of is one too", async () => {
    const { cairn } = stub([{ status: 200, body: { total_found: 1 } }])
    const error = (await failure(cairn.search({ task: "x" }))) as APIError
    assert.instanceOf(error, APIError)
    assert.include(error.message, "missing")
  })
})

describe("before anything is sent", () => {
  it("a wrong option is a ValidationError that names it, and never says a URL", () => {
    const wrong = [
      ["baseUrl", { baseUrl: "cairn.test" }],
      ["baseUrl", { baseUrl: "ftp://cairn.test" }],
      ["baseUrl", { baseUrl: "http://me:hunter2@cairn.test" }],
      ["baseUrl", { baseUrl: "http://cairn.test/?key=hunter2" }],
      ["timeout", { timeout: 0 }],
      ["timeout", { timeout: Number.NaN }],
      ["maxRetries", { maxRetries: -1 }],
      ["maxRetries", { maxRetries: 1.5 }],
      ["snipsDesired", { snipsDesired: "both" as never }],
      ["logLevel", { logLevel: "loud" as never }]
    ] as const
    for (const [field, options] of wrong) {
      try {
        new Cairn(options)
        assert.fail(`${field} was taken`)
      } catch (error) {
        assert.instanceOf(error, ValidationError, JSON.stringify(options))
        assert.strictEqual((error as ValidationError).field, field)
        assert.notInclude((error as ValidationError).message, "hunter2")
      }
    }
  })
  it("so is one of a call, a header that can't be sent, and a part of a path that would call another route", async () => {
    const { cairn, vote, sent } = stub([{ status: 200 }])
    const calls = [
      ["timeout", vote({ timeout: -1 })],
      ["maxRetries", vote({ maxRetries: Number.NaN })],
      ["X-Cairn-Workspace-Id", cairn.delete("x", { workspaceId: "日\n本" })],
      ["X-Note", vote({ headers: { "X-Note": `a\n${key}` } })]
    ] as const
    for (const [field, call] of calls) {
      const error = (await failure(call)) as ValidationError
      assert.instanceOf(error, ValidationError)
      assert.strictEqual(error.field, field)
      assert.notInclude(error.message, key)
    }
    for (const call of [
      cairn.workspaces.commits(""),
      cairn.workspaces.tree(".."),
      cairn.workspaces.file("id", "a/../../x"),
      cairn.workspaces.commit("id", "."),
      cairn.uploads.status("/api/store/status/")
    ]) {
      assert.instanceOf(await failure(call), ValidationError)
    }
    // JSON would make null of it, which the service takes for the default
    const nan = (await failure(cairn.search({ task: "x", topK: Number.NaN }))) as ValidationError
    assert.deepInclude(nan, { name: "ValidationError", field: "top_k" })
    const cyclic: Record<string, unknown> = {}
    cyclic["self"] = cyclic
    assert.instanceOf(await failure(cairn.search({ task: "x", inputSchema: cyclic })), ValidationError)
    assert.strictEqual(sent.length, 0)
  })
  it("no key is an AuthenticationError", async () => {
    vi.stubEnv("CAIRN_API_KEY", "")
    const { cairn, sent } = stub([{ status: 200 }], { apiKey: "" })
    vi.unstubAllEnvs()
    const error = (await failure(cairn.search({ task: "x" }))) as AuthenticationError
    assert.instanceOf(error, AuthenticationError)
    assert.strictEqual(error.code, "auth/missing_api_key")
    assert.include(error.message, "CAIRN_API_KEY")
    assert.strictEqual(sent.length, 0)
  })
})
