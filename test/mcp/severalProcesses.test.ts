import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { refused } from "#test/http/problem.ts"
import { type MessagesApi, says, startMessagesApi } from "#test/MessagesApi.ts"
import { send } from "#test/service/call.ts"
import { organization } from "#test/service/tenants.ts"
import {
  newInstallation,
  ownerKey,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"
import { opened } from "./opened.ts"
import { initialize, post } from "./rpc.ts"

const listing = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }
type Session = Record<string, string>
const lists = ({ url }: Service, session: Session, key = ownerKey) => post(url, key, listing, session)
const ending = ({ url }: Service, session: Session, key = ownerKey) =>
  send(url, "DELETE", "/mcp", undefined, { authorization: `Bearer ${key}`, ...session })

describe("a session of one process", () => {
  let installation: TestInstallation
  let a: Service
  let b: Service
  let api: MessagesApi
  /** The model says nothing before. */
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const start = () =>
    startService(
      { CAIRN_DATABASE_CONNECTIONS: "6", ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url },
      installation
    )
  beforeAll(async () => {
    installation = await newInstallation()
    api = await startMessagesApi(() => ({ ...says("Done."), after: held }))
    a = await start()
    b = await start()
  })
  afterAll(async () => {
    letGo()
    await a.stop()
    await b.stop()
    await api.close()
    removeInstallation(installation)
  })

  const tools = (answer: Awaited<ReturnType<typeof lists>>) => {
    assert.strictEqual(answer.status, 200, answer.text)
    return answer.json.result.tools.length
  }

  it("is used at another as it was begun, in each version that has them, by many requests at once", async () => {
    for (const version of ["2025-11-25", "2025-06-18", "2025-03-26"]) {
      const session = await initialize(a.url, ownerKey, version)
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, id) => post(b.url, ownerKey, { ...listing, id }, session))
      )
      answers.forEach((answer) => void assert.strictEqual(tools(answer), 5))
      assert.deepStrictEqual(
        answers.map(({ headers }) => headers.get("mcp-protocol-version")),
        answers.map(() => version)
      )
      assert.strictEqual(tools(await lists(a, session)), 5)
    }
    // what only one version has is there at the other one, too
    const session = await initialize(a.url, ownerKey, "2025-03-26")
    const { status, text } = await post(b.url, ownerKey, [listing, { ...listing, id: 2 }], session)
    assert.strictEqual(status, 200, text)
  })

  it("calls tools at another", async () => {
    const session = await initialize(a.url, ownerKey)
    const params = { name: "search", arguments: { task: "anything", top_k: 1 } }
    const { status, json, text } = await post(
      b.url,
      ownerKey,
      { jsonrpc: "2.0", id: 7, method: "tools/call", params },
      session
    )
    assert.strictEqual(status, 200, text)
    assert.deepStrictEqual([json.id, json.result.isError === true], [7, false])
  })

  it("ended at one is unknown at the other, which had it in hand", async () => {
    const session = await initialize(a.url, ownerKey)
    assert.strictEqual(tools(await lists(b, session)), 5)
    assert.strictEqual((await ending(a, session)).status, 204)
    refused(await lists(b, session), 404, "not_found/session")
    refused(await ending(b, session), 404, "not_found/session")
    refused(await lists(a, session), 404, "not_found/session")
    // and the other way round
    const other = await initialize(a.url, ownerKey)
    assert.strictEqual((await ending(b, other)).status, 204)
    refused(await lists(a, other), 404, "not_found/session")
  })

  it("is its key's own at each of them, and another's try does it no harm", async () => {
    const { key } = await organization(a, "ENTERPRISE")
    const session = await initialize(a.url, key)
    for (const service of [a, b]) {
      refused(await lists(service, session), 404, "not_found/session")
      refused(await ending(service, session), 404, "not_found/session")
      assert.strictEqual(tools(await lists(service, session, key)), 5)
      refused(await lists(service, session), 404, "not_found/session")
      refused(await ending(service, session), 404, "not_found/session")
    }
    assert.strictEqual(tools(await lists(a, session, key)), 5)
  })

  it("is one of at most a hundred of its key, wherever they began", async () => {
    const { key } = await organization(a, "FREE")
    const sessions = []
    for (let n = 0; n < 100; n++) sessions.push(await initialize((n % 2 === 0 ? a : b).url, key))
    // the first one is in use, at the process that did not begin it
    assert.strictEqual(tools(await lists(b, sessions[0]!, key)), 5)
    sessions.push(await initialize(b.url, key))
    for (const service of [a, b]) {
      refused(await lists(service, sessions[1]!, key), 404, "not_found/session")
      assert.strictEqual(tools(await lists(service, sessions[0]!, key)), 5)
    }
    const [row] = await a.sql<{ n: number }>(
      "SELECT max(n)::int AS n FROM (SELECT count(*) AS n FROM mcp_sessions GROUP BY key) AS counts"
    )
    assert.strictEqual(row!.n, 100)
  })

  it("is one of at most a thousand of its organization, of whose keys it may be", async () => {
    const { key } = await organization(a, "FREE")
    const session = await initialize(a.url, key)
    const more = `INSERT INTO mcp_sessions SELECT sha256(n::text::bytea), 'another''s ' || n % 20, tenant, '{}',
        clock_timestamp() - n * interval '1 second'
      FROM (SELECT tenant FROM mcp_sessions ORDER BY used_at DESC LIMIT 1) AS newest, generate_series(1, 1000) AS n`
    await a.sql(more)
    await initialize(b.url, key)
    const [row] = await a.sql<{ n: number; oldest: number }>(
      `SELECT count(*)::int AS n, count(*) FILTER (WHERE id IN (sha256('999'), sha256('1000')))::int AS oldest
       FROM mcp_sessions WHERE tenant = (SELECT tenant FROM mcp_sessions WHERE id = sha256('1'))`
    )
    assert.deepStrictEqual(row, { n: 1000, oldest: 0 })
    assert.strictEqual(tools(await lists(b, session, key)), 5)
  })

  it("ends everywhere after an hour without a request, and lies in the database as a digest", async () => {
    const session = await initialize(a.url, ownerKey)
    const used = await initialize(a.url, ownerKey)
    const rows = await a.sql<{ row: string }>(
      "SELECT to_json(s)::text || encode(id, 'escape') AS row FROM mcp_sessions s"
    )
    const id = session["mcp-session-id"]!
    assert.isAbove(rows.length, 1)
    for (const { row } of rows) assert.notInclude(JSON.stringify(row).toLowerCase(), id.toLowerCase())
    await a.sql("UPDATE mcp_sessions SET used_at = used_at - interval '59 minutes'")
    assert.strictEqual(tools(await lists(b, used)), 5)
    await a.sql("UPDATE mcp_sessions SET used_at = used_at - interval '2 minutes'")
    for (const service of [a, b]) {
      refused(await lists(service, session), 404, "not_found/session")
      assert.strictEqual(tools(await lists(service, used)), 5)
    }
    refused(await ending(b, session), 404, "not_found/session")
  })

  it("of a revoked key opens nothing, at any of them", async () => {
    const other = await organization(a, "ENTERPRISE")
    const made = await other.call("POST", "/api/keys/org/create", { email: "m@example.org", key_name: "m" })
    assert.strictEqual(made.status, 200, made.text)
    const session = await initialize(b.url, made.json.key)
    assert.strictEqual(tools(await lists(b, session, made.json.key)), 5)
    assert.strictEqual((await other.call("POST", "/api/keys/org/revoke", { key_id: made.json.id })).status, 200)
    for (const service of [b, a]) refused(await lists(service, session, made.json.key), 401, "auth/invalid_api_key")
  })

  it("has its call stopped that is under way at the other, when the client cancels it here", async () => {
    const session = await initialize(a.url, ownerKey)
    const given = { user_query: "wait", user_id: "ada", org_id: "acme" }
    const call = { jsonrpc: "2.0", id: "a call", method: "tools/call", params: { name: "chat", arguments: given } }
    const stream = await opened(b.url, ownerKey, call, session)
    assert.strictEqual(await stream.next(), ": under way")
    await api.arrived(1)
    // another session's request is none of it
    const other = await initialize(a.url, ownerKey)
    const params = { requestId: "a call", reason: "the user is impatient" }
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params }
    for (const id of [other, session]) {
      const { status, text } = await post(a.url, ownerKey, cancel, id)
      assert.strictEqual(status, 202, text)
    }
    assert.deepStrictEqual(await stream.rest(), [])
    // and its run with it, though the model says nothing
    const again = await post(a.url, ownerKey, { ...call, id: "again" }, session)
    assert.include(again.text, "cancelled")
    assert.lengthOf(api.requests, 1)
    letGo()
  })

  it("goes on when that process has ended, and after the service was started again", async () => {
    const session = await initialize(a.url, ownerKey)
    await a.stop()
    assert.strictEqual(tools(await lists(b, session)), 5)
    a = await start()
    assert.strictEqual(tools(await lists(a, session)), 5)
  })
})
