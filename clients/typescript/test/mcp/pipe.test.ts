import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { ownerKey, type Service, startService } from "../../../../test/service.ts"
import { startCairnMcp } from "./program.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const environment = () => ({ CAIRN_API_KEY: ownerKey, CAIRN_BASE_URL: service.url })
const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } }
}
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }
const listing = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }

/** A server in the place of Cairn. */
const standIn = async (
  answer: (
    headers: IncomingHttpHeaders,
    body: string
  ) => { status?: number; type?: string; session?: string; text: string } | undefined
) => {
  const seen: Array<{ readonly headers: IncomingHttpHeaders; readonly method: string | undefined }> = []
  let gone = () => {}
  const left = new Promise<void>((resolve) => {
    gone = resolve
  })
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += chunk
    seen.push({ headers: request.headers, method: JSON.parse(body).method })
    response.once("close", () => gone())
    const given = answer(request.headers, body)
    if (given === undefined) return
    const { status = 200, type = "application/json", session, text } = given
    response.writeHead(status, {
      "content-type": type,
      ...(session && { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" })
    })
    response.end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ seen, left, env: { CAIRN_API_KEY: "k", CAIRN_BASE_URL: `${url}/` } },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    }
  }
}
const result = (id: unknown, value: unknown = {}) => JSON.stringify({ jsonrpc: "2.0", id, result: value })

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
    for (let n = 0; n < 3; n++) {
      const { id, error } = await program.next()
      assert.deepStrictEqual([id, error.code], [null, -32700])
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
        ["tools/list", "s2"]
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
})
