import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { ownerKey, type Service, startService } from "../../../../test/service.ts"
import { startCairnMcp } from "./program.ts"
import { initialize, initialized, listing, result, standIn } from "./standIn.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const environment = () => ({ CAIRN_API_KEY: ownerKey, CAIRN_BASE_URL: service.url })
describe("cairn-mcp", () => {
  it("passes a session's messages on, also those written at once, and says nothing else", async () => {
    const program = startCairnMcp(environment())
    for (const message of [initialize, initialized, listing]) program.write(message)
    assert.strictEqual((await program.next()).result.serverInfo.name, "cairn")
    const listed = await program.next()
    assert.deepStrictEqual([listed.id, listed.result.tools.length], [1, 5])
    assert.deepStrictEqual(await program.end(), { code: 0, lines: [], stderr: "" })
  })

  it("says what is wrong with a key, as a JSON-RPC error", async () => {
    for (const [key, said] of [
      ["", /No API key.*CAIRN_API_KEY/],
      [`cairn_live_${"A".repeat(43)}`, /not valid.*CAIRN_API_KEY/]
    ] as const) {
      const program = startCairnMcp({ ...environment(), CAIRN_API_KEY: key })
      program.write(initialize)
      const { id, error } = await program.next()
      assert.deepStrictEqual([id, error.code, error.data.field], [0, -32000, null])
      assert.match(error.message, said)
      program.write(initialized)
      const { lines, stderr } = await program.end()
      assert.deepStrictEqual(lines, [])
      assert.match(stderr, /^cairn-mcp: /)
      if (key !== "") assert.notInclude(stderr + error.message, key)
    }
  })

  it("says that nobody is there, or somebody else", async () => {
    const closed = await standIn(() => ({ text: "" }))
    await closed.close()
    const dead = startCairnMcp(closed.env)
    dead.write(initialize)
    const { id, error } = await dead.next()
    assert.strictEqual(id, 0)
    assert.match(error.message, /can't be reached.*CAIRN_BASE_URL/)
    assert.strictEqual((await dead.end()).code, 0)
    const other = await standIn(() => ({ status: 502, type: "text/html", text: "<html>" }))
    const program = startCairnMcp(other.env)
    program.write(listing)
    assert.match((await program.next()).error.message, /answered 502, and not as Cairn/)
    await program.end()
    await other.close()
  })

  it("says that a line is no message, and goes on", async () => {
    const program = startCairnMcp(environment())
    for (const line of ["{", "1", "null", "", initialize]) program.write(line)
    for (const code of [-32700, -32600, -32600]) {
      const { id, error } = await program.next()
      assert.deepStrictEqual([id, error.code], [null, code])
    }
    assert.strictEqual((await program.next()).id, 0)
    await program.end()
  })

  it("begins an ended session anew, without a word to the client", async () => {
    let begun = 0
    const server = await standIn((headers, body) => {
      const { id, method } = JSON.parse(body)
      if (method === "initialize") return { session: `s${++begun}`, text: result(id) }
      if (method === "notifications/initialized") return { status: 202, text: "" }
      return headers["mcp-session-id"] === "s1"
        ? { status: 404, text: '{"message":"No such session.","code":"not_found/session"}' }
        : { text: result(id, { session: headers["mcp-session-id"] }) }
    })
    const program = startCairnMcp(server.env)
    program.write(initialize)
    await program.next()
    program.write(listing)
    assert.deepStrictEqual(await program.next(), { jsonrpc: "2.0", id: 1, result: { session: "s2" } })
    await program.end()
    assert.deepStrictEqual(
      server.seen.map(({ method, headers }) => [method, headers["mcp-session-id"]]),
      [
        ["initialize", undefined],
        ["tools/list", "s1"],
        ["initialize", undefined],
        ["notifications/initialized", "s2"],
        ["tools/list", "s2"],
        ["DELETE", "s2"]
      ]
    )
    await server.close()
  })

  it("passes on every message of a stream, and what a version without sessions wants in the head", async () => {
    const server = await standIn((_, body) => ({
      type: "text/event-stream",
      text: `: hello\n\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\ndata: ${result(JSON.parse(body).id)}\n\n`
    }))
    const program = startCairnMcp(server.env)
    const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }
    program.write({ jsonrpc: "2.0", id: "ü", method: "resources/read", params: { uri: "cairn://ü", _meta: meta } })
    assert.strictEqual((await program.next()).method, "notifications/progress")
    assert.strictEqual((await program.next()).id, "ü")
    await program.end()
    const [{ headers }] = server.seen as [(typeof server.seen)[0]]
    assert.strictEqual(headers["mcp-protocol-version"], "2026-07-28")
    assert.strictEqual(headers["mcp-method"], "resources/read")
    assert.strictEqual(headers["mcp-name"], `=?base64?${Buffer.from("cairn://ü").toString("base64")}?=`)
    assert.strictEqual(headers["authorization"], "Bearer k")
    await server.close()
  })

  it("gives up a request that is cancelled, and answers the others", async () => {
    const server = await standIn((_, body) => {
      const { id, method } = JSON.parse(body)
      return method === "tools/call" ? undefined : { text: result(id) }
    })
    const program = startCairnMcp(server.env)
    program.write({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "chat" } })
    program.write(listing)
    assert.strictEqual((await program.next()).id, 1)
    program.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } })
    await server.left
    assert.deepStrictEqual(await program.end(), { code: 0, lines: [], stderr: "" })
    await server.close()
  })

  it("hands a cancellation on to the session that its request is of", async () => {
    const sent: Array<unknown> = []
    const server = await standIn((headers, body) => {
      const { id, method } = JSON.parse(body)
      if (method === "tools/call") return undefined
      if (method === "initialize") return { text: result(id), session: "s" }
      if (id !== undefined) return { text: result(id) }
      sent.push([headers["mcp-session-id"], JSON.parse(body)])
      return { status: 202, text: "" }
    })
    const program = startCairnMcp(server.env)
    program.write(initialize)
    assert.strictEqual((await program.next()).id, 0)
    program.write({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "chat" } })
    program.write(listing)
    assert.strictEqual((await program.next()).id, 1)
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7, reason: "enough" } }
    program.write(cancelled)
    await vi.waitFor(() => assert.deepStrictEqual(sent, [["s", cancelled]]), { timeout: 60_000 })
    assert.deepStrictEqual(await program.end(), { code: 0, lines: [], stderr: "" })
    await server.close()
  })
})
