import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import manifest from "../../../clients/typescript/package.json" with { type: "json" }
import { RaySurfer } from "../../../clients/typescript/src/compat/index.ts"
import { Cairn, VERSION } from "../../../clients/typescript/src/index.ts"
import { failure, fine, key, stub } from "./stub.ts"

const found = { status: 200, body: { matches: [], total_found: 0, cache_hit: false } }

describe("headers", () => {
  it("carry the key, the scope and the version", async () => {
    const { cairn, sent } = stub([found], {
      organizationId: "org",
      workspaceId: "customer",
      snipsDesired: "client",
      publicSnips: true,
      agentId: "bot"
    })
    await cairn.search({ task: "x" })
    const { headers } = sent[0]!
    assert.strictEqual(headers.get("authorization"), `Bearer ${key}`)
    assert.strictEqual(headers.get("content-type"), "application/json")
    assert.strictEqual(headers.get("x-cairn-org-id"), "org")
    assert.strictEqual(headers.get("x-cairn-workspace-id"), "customer")
    assert.strictEqual(headers.get("x-cairn-snips-desired"), "client")
    assert.strictEqual(headers.get("x-cairn-public-snips"), "true")
    assert.strictEqual(headers.get("x-cairn-agent-id"), "bot")
    assert.strictEqual(headers.get("x-cairn-sdk-version"), `typescript/${VERSION}`)
    assert.strictEqual(VERSION, manifest.version)
  })
  it("carry names as UTF-8, which is how the service reads them", async () => {
    const { cairn, sent } = stub([found], { workspaceId: "顧客", agentId: "Müller" })
    await cairn.search({ task: "x" }, { headers: { "X-Cairn-Org-Id": "ä" } })
    const names = ["x-cairn-workspace-id", "x-cairn-agent-id", "x-cairn-org-id"]
    const read = names.map((name) => Buffer.from(sent[0]!.headers.get(name)!, "latin1").toString("utf8"))
    assert.deepStrictEqual(read, ["顧客", "Müller", "ä"])
    const { cairn: half } = stub([found], { workspaceId: "half \ud800" })
    await failure(half.search({ task: "x" }))
  })
  it("say nothing of what is not set", async () => {
    const { cairn, sent } = stub([found], { publicSnips: false })
    await cairn.search({ task: "x" })
    const scope = [...sent[0]!.headers.keys()].filter((name) => name.startsWith("x-cairn"))
    assert.deepStrictEqual(scope, ["x-cairn-sdk-version"])
  })
  it("are the call's before the client's: workspace, and any other by its name", async () => {
    const { cairn, sent } = stub([found], { workspaceId: "one" })
    await cairn.search(
      { task: "x", workspaceId: "two" },
      { headers: { "X-Trace": "t", authorization: "Bearer other" } }
    )
    assert.strictEqual(sent[0]!.headers.get("x-cairn-workspace-id"), "two")
    assert.strictEqual(sent[0]!.headers.get("x-trace"), "t")
    assert.strictEqual(sent[0]!.headers.get("authorization"), "Bearer other")
  })
  it("have no empty scope, which would be everybody's: the existing client's users mean none by it", async () => {
    for (const option of ["organizationId", "workspaceId", "agentId"] as const) {
      assert.throws(() => new Cairn({ apiKey: key, [option]: "" }), `${option} is empty`)
    }
    const { cairn, sent } = stub([found], { workspaceId: "one" })
    const error = await cairn.search({ task: "x", workspaceId: "" }).catch((error) => error)
    assert.deepInclude(error, { name: "ValidationError", field: "workspaceId" })
    assert.lengthOf(sent, 0)
    assert.doesNotThrow(() => new RaySurfer({ apiKey: key, organizationId: "", workspaceId: "", agentId: "" }))
  })
})

describe("paths", () => {
  it("name a file of the workspace, with or without the slash before it, and nothing else", async () => {
    const { cairn, sent } = stub([{ status: 200, body: "" }])
    await cairn.workspaces.file("w", "/lib/a b.py")
    await cairn.workspaces.file("w", "lib/a b.py")
    for (const { url } of sent) assert.isTrue(url.endsWith("/api/workspaces/w/files/lib/a%20b.py"), url)
    for (const path of ["a/../b", "", "/", "a//b", "./a", "half \ud83d"]) {
      const error = await cairn.workspaces.file("w", path).catch((error) => error)
      assert.deepInclude(error, { name: "ValidationError", field: "path" })
    }
    assert.lengthOf(sent, 2)
  })
})

describe("headers of one's own", () => {
  const defaultHeaders = { "X-Gateway": "one", "X-Trace": "client", "User-Agent": "mine" }
  it("go with every call: the client's, and in place of them the call's", async () => {
    const { cairn, vote, sent } = stub([found, fine], { defaultHeaders })
    await cairn.search({ task: "x" })
    await vote({ headers: { "x-trace": "call", "X-Gateway": undefined } })
    assert.deepStrictEqual(
      sent.map(({ headers }) => ["x-gateway", "x-trace", "user-agent"].map((name) => headers.get(name))),
      [
        ["one", "client", "mine"],
        ["one", "call", "mine"]
      ]
    )
  })
  it("may be a Headers, and null takes one away, also the library's own", async () => {
    const { vote, sent } = stub([fine], { defaultHeaders: new Headers(defaultHeaders) })
    await vote({ headers: new Headers({ "X-Trace": "call" }) })
    await vote({ headers: { "x-gateway": null, "X-Cairn-SDK-Version": null } })
    assert.deepStrictEqual(
      sent.map(({ headers }) => ["x-gateway", "x-trace"].map((name) => headers.get(name))),
      [
        ["one", "call"],
        [null, "client"]
      ]
    )
    assert.isNull(sent[1]!.headers.get("x-cairn-sdk-version"))
  })
})

describe("a timeout", () => {
  const chatted = { success: true, output: "", error: "", changed_files: [], workspace_files: [] }
  it("is 60 s, and ten minutes for a chat; the client's, and before it the call's", async () => {
    const { cairn, vote, timeouts } = stub([fine, { status: 200, body: chatted }, fine])
    await vote()
    await cairn.chat("x", { user: "u", org: "o" })
    await vote({ timeout: 5 })
    const {
      cairn: quick,
      vote: quickly,
      timeouts: short
    } = stub([fine, { status: 200, body: chatted }, fine], {
      timeout: 1_000
    })
    await quickly()
    await quick.chat("x", { user: "u", org: "o" })
    await quickly({ timeout: 90_000 })
    const milliseconds = [...timeouts, ...short].map((timeout) => timeout.milliseconds)
    assert.deepStrictEqual(milliseconds, [60_000, 600_000, 5, 1_000, 1_000, 90_000])
  })
})

describe("the environment", () => {
  const before = { ...process.env }
  beforeEach(() => {
    process.env["CAIRN_API_KEY"] = "cairn_live_environment"
    process.env["CAIRN_BASE_URL"] = "http://elsewhere.test/cairn/"
  })
  afterEach(() => {
    for (const name of ["CAIRN_API_KEY", "CAIRN_BASE_URL", "CAIRN_LOG"]) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
  })
  it("gives key and address where the options do not; an empty one is none", async () => {
    const { cairn, sent } = stub([found], { apiKey: undefined, baseUrl: undefined })
    await cairn.search({ task: "x" })
    assert.strictEqual(sent[0]!.url, "http://elsewhere.test/cairn/api/retrieve/search")
    assert.strictEqual(sent[0]!.headers.get("authorization"), "Bearer cairn_live_environment")
    const { cairn: blank, sent: alike } = stub([found], { apiKey: " \n" })
    await blank.search({ task: "x" })
    assert.strictEqual(alike[0]!.headers.get("authorization"), "Bearer cairn_live_environment")
    process.env["CAIRN_BASE_URL"] = ""
    const { cairn: local, sent: there } = stub([found], { baseUrl: undefined })
    await local.search({ task: "x" })
    assert.strictEqual(there[0]!.url, "http://127.0.0.1:8080/api/retrieve/search")
  })
  it("gives the level of the log, warn unless told; nothing goes to standard output", async () => {
    const written = vi.spyOn(console, "log").mockImplementation(() => {})
    const failed = vi.spyOn(console, "error").mockImplementation(() => {})
    const retried = async () => {
      const { cairn } = stub([{ status: 500 }, found], { logger: undefined })
      await cairn.search({ task: "x" })
      return failed.mock.calls.length
    }
    try {
      assert.strictEqual(await retried(), 0)
      process.env["CAIRN_LOG"] = "info"
      assert.strictEqual(await retried(), 1)
      process.env["CAIRN_LOG"] = "loud"
      assert.strictEqual(await retried(), 2, "one line says that the level is unknown")
      assert.include(String(failed.mock.lastCall), "CAIRN_LOG")
      assert.strictEqual(written.mock.calls.length, 0)
    } finally {
      vi.restoreAllMocks()
    }
  })
})

describe("a result", () => {
  it("comes with its answer, and with the request's id where no comparison sees it", async () => {
    const { vote } = stub([fine])
    const { data, response, requestId } = await vote().withResponse()
    assert.deepStrictEqual(data, { success: true, votePending: true, message: "Thanks." })
    assert.strictEqual(response.status, 200)
    assert.deepStrictEqual([requestId, data._requestId], ["req_1", "req_1"])
    assert.notInclude(JSON.stringify(data), "req_1")
  })
  it("that fails does so once, also with its answer", async () => {
    const { vote } = stub([{ status: 404, body: { message: "No." } }])
    assert.include(String(await failure(vote().withResponse())), "No.")
    assert.strictEqual(await vote().catch(() => "caught"), "caught")
    let ended = false
    await failure(vote().finally(() => void (ended = true)))
    assert.isTrue(ended)
  })
})

it("withOptions is another client: what it does not say is as before", async () => {
  const { cairn, sent } = stub([found], { workspaceId: "one", agentId: "bot" })
  await cairn.withOptions({ workspaceId: "two", agentId: undefined }).search({ task: "x" })
  await cairn.search({ task: "x" })
  const seen = sent.map(({ headers }) => [headers.get("x-cairn-workspace-id"), headers.get("x-cairn-agent-id")])
  assert.deepStrictEqual(seen, [
    ["two", "bot"],
    ["one", "bot"]
  ])
  assert.instanceOf(cairn, Cairn)
})

it("events are read page by page, to the first that is empty", async () => {
  const event = (position: number) => ({
    position: String(position),
    stream: "s",
    revision: 0,
    event_id: "e",
    type: "VoteCast",
    schema_version: 1,
    data: { snake_case: 1 },
    actor: { key_id: "k", user_id: null, organization_id: "o" },
    command_id: "c",
    correlation_id: "c",
    causation_id: null,
    recorded_at: "2026-11-21T12:00:00.000Z"
  })
  const page = (...positions: ReadonlyArray<number>) => ({
    status: 200,
    body: { events: positions.map(event), next_after: String(positions.at(-1) ?? 9) }
  })
  const pages = [page(3, 4), { status: 503 }, page(9), page()]
  const { cairn, sent } = stub(pages)
  const seen: Array<string> = []
  for await (const { position, data, actor } of cairn.events({ type: "VoteCast", after: "2", limit: 2 })) {
    seen.push(position)
    assert.deepStrictEqual([data, actor.keyId], [{ snake_case: 1 }, "k"])
  }
  assert.deepStrictEqual(seen, ["3", "4", "9"])
  assert.deepStrictEqual(
    sent.map(({ url }) => new URL(url).search),
    ["2", "4", "4", "9"].map((after) => `?type=VoteCast&limit=2&after=${after}`)
  )
  const again = stub(pages)
  for await (const { events, nextAfter } of again.cairn.events().pages()) {
    assert.deepStrictEqual([events.length, nextAfter], [2, "4"])
    break
  }
  assert.strictEqual(again.sent.length, 1)
})
