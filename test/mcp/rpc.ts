import { assert } from "vitest"
import { type Answer, type Headers, send } from "#test/service/call.ts"

export const accept = "application/json, text/event-stream"
export const modern = "2026-07-28"

/** A body of JSON, or of server-sent events: the one message that is no progress. */
const messageOf = ({ json, text }: Answer) =>
  json ??
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!)).find((message) => message.id !== undefined)

/** One POST to /mcp, as it stands. */
export const post = async (url: string, key: string, body: unknown, headers: Headers = {}): Promise<Answer> => {
  const answer = await send(url, "POST", "/mcp", body, { authorization: `Bearer ${key}`, accept, ...headers })
  return { ...answer, json: messageOf(answer) }
}

let id = 0

/** A request of the protocol without sessions, with what it needs in its head. */
export const message = (method: string, params: Record<string, unknown> = {}) => {
  const name = params.name ?? params.uri
  const meta = {
    "io.modelcontextprotocol/protocolVersion": modern,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
    ...(params._meta as object | undefined)
  }
  return {
    body: { jsonrpc: "2.0", id: ++id, method, params: { ...params, _meta: meta } },
    headers: {
      "mcp-protocol-version": modern,
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": encodeName(name) } : {})
    }
  }
}

/** Sends it; gives the whole HTTP answer. */
export const request = (
  url: string,
  key: string,
  method: string,
  params: Record<string, unknown> = {},
  headers: Headers = {}
): Promise<Answer> => {
  const sent = message(method, params)
  return post(url, key, sent.body, { ...sent.headers, ...headers })
}

/** A name that is no plain ASCII goes encoded. */
const encodeName = (name: string) =>
  /^[\x21-\x7e]+$/.test(name) ? name : `=?base64?${Buffer.from(name).toString("base64")}?=`

/** A tool's result. */
export const call = async (url: string, key: string, name: string, given: unknown, headers: Headers = {}) => {
  const { status, json, text } = await request(url, key, "tools/call", { name, arguments: given }, headers)
  assert.strictEqual(status, 200, text)
  assert.isDefined(json.result, text)
  return {
    failed: json.result.isError === true,
    text: json.result.content[0].text as string,
    // the route's answer, for programs: the text is for models
    structure: json.result._meta["cairn/answer"]
  }
}

/** A tool's result, which must be no error. */
export const done = async (...given: Parameters<typeof call>) => {
  const result = await call(...given)
  assert.isFalse(result.failed, result.text)
  return result
}

/** Begins a session; gives its headers. */
export const initialize = async (url: string, key: string, version = "2025-11-25"): Promise<Headers> => {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: "test", version: "1" } }
  const { status, headers, json, text } = await post(url, key, { jsonrpc: "2.0", id: 0, method: "initialize", params })
  assert.strictEqual(status, 200, text)
  assert.strictEqual(json.result.protocolVersion, version, text)
  const session = headers.get("mcp-session-id")
  assert.isNotNull(session, text)
  return { "mcp-session-id": session!, "mcp-protocol-version": version }
}
