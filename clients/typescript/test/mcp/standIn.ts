import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

export const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } }
}
export const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }
export const listing = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }

export const result = (id: unknown, value: unknown = {}) => JSON.stringify({ jsonrpc: "2.0", id, result: value })

interface Answered {
  readonly status?: number
  readonly type?: string
  /** Of a session that begins. */
  readonly session?: string
  readonly text: string
  /** Where it sends on to. */
  readonly location?: string
  /** The connection ends behind the text, as if the answer went on. */
  readonly cut?: boolean
}

/** A server in the place of Cairn; where there is no answer it never gives one. */
export const standIn = async (
  answer: (headers: IncomingHttpHeaders, body: string) => Answered | undefined | Promise<Answered | undefined>
) => {
  const seen: Array<{ readonly headers: IncomingHttpHeaders; readonly method: string | undefined }> = []
  let gone = () => {}
  const left = new Promise<void>((resolve) => {
    gone = resolve
  })
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += chunk
    seen.push({ headers: request.headers, method: body === "" ? request.method : JSON.parse(body).method })
    response.once("close", () => gone())
    if (body === "") return void response.writeHead(204).end()
    const given = await answer(request.headers, body)
    if (given === undefined) return
    const { status = 200, type = "application/json", session, location, text, cut = false } = given
    response.writeHead(status, {
      "content-type": type,
      ...(location && { location }),
      ...(session && { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" })
    })
    if (cut) response.write(text, () => response.destroy())
    else response.end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    seen,
    left,
    env: { CAIRN_API_KEY: "k", CAIRN_BASE_URL: `${url}/` },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    }
  }
}
