import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, assert, describe, it } from "vitest"
import { type APIError, Cairn } from "../../../clients/typescript/src/index.ts"
import { failure } from "./stub.ts"

const servers: Array<Server> = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A server of the machine's own HTTP, for what an injected `fetch` can't show. */
const listening = async (answer: RequestListener) => {
  const server = createServer(answer)
  servers.push(server)
  const connections = { made: 0 }
  server.on("connection", () => connections.made++)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections }
}

describe("a connection", () => {
  it("is used again, also after a refusal: answers are read to their end", async () => {
    let requests = 0
    const { url, connections } = await listening((request, response) => {
      request.resume()
      request.on("end", () => {
        const refused = requests++ % 2 === 1
        response.writeHead(refused ? 404 : 200, { "content-type": "application/json" })
        response.end(JSON.stringify({ workspaces: [], message: "x".repeat(100_000) }))
      })
    })
    const cairn = new Cairn({ apiKey: "k", baseUrl: url })
    for (let call = 0; call < 20; call++) await cairn.workspaces.list().catch(() => {})
    assert.strictEqual(requests, 20)
    // one, and another where the first was not yet free; without reading to the end there would be ten and more
    assert.isAtMost(connections.made, 3)
  })

  it("carries nothing to another host, though this one says so", async () => {
    const heard: Array<string | undefined> = []
    const other = await listening((request, response) => {
      heard.push(request.url)
      response.end("{}")
    })
    for (const status of [302, 307]) {
      const one = await listening((request, response) => {
        request.resume()
        response.writeHead(status, { location: `${other.url.replace("127.0.0.1", "localhost")}${request.url}` }).end()
      })
      const cairn = new Cairn({ apiKey: "k", baseUrl: one.url, organizationId: "org" })
      const upload = cairn.upload({ task: "x", fileWritten: { path: "a", content: "private" }, succeeded: true })
      const error = (await failure(upload)) as APIError
      assert.strictEqual(error.statusCode, status)
      assert.include(error.message, `http://localhost:${new URL(other.url).port}`)
    }
    assert.deepStrictEqual(heard, [])
  })
})
