import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, assert, describe, it } from "vitest"
import { refused } from "#test/http/problem.ts"
import { nobodysPorts } from "#test/nobodysPorts.ts"
import { send } from "#test/service/call.ts"
import { type Changes, hasNginx, startNginx } from "./nginx.ts"

type Handler = (request: IncomingMessage, response: ServerResponse) => void

describe.skipIf(!hasNginx)("nginx before several processes", () => {
  const closing: Array<() => unknown> = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  /** Stands for a process: its port, and what it was asked. */
  const standIn = async (handle: Handler) => {
    const asked: Array<string> = []
    const server = createServer((request, response) => {
      if (request.url !== "/health") asked.push(`${request.method} ${request.url}`)
      request.url === "/health" ? response.end() : handle(request, response)
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    closing.push(() => {
      server.closeAllConnections()
      server.close()
    })
    return { port: (server.address() as AddressInfo).port, asked }
  }
  const before = async (services: ReadonlyArray<number>, edit?: Changes["edit"]) => {
    const proxy = await startNginx({ services, ...(edit === undefined ? {} : { edit }) })
    closing.push(proxy.close)
    return (method: string, path: string, headers: { readonly [name: string]: string } = {}) =>
      send(proxy.url, method, path, method === "POST" ? "{}" : undefined, headers)
  }
  const fine: Handler = (request, response) => {
    request.resume().once("end", () => response.end("fine"))
  }
  const cut: Handler = (request) => {
    request.resume().once("end", () => request.socket.destroy())
  }

  it("asks another one where one is not there, whatever is asked", async () => {
    const there = await standIn(fine)
    const call = await before([nobodysPorts[0], there.port, nobodysPorts[1]])
    for (let n = 0; n < 20; n++) {
      assert.strictEqual((await call(n % 2 === 0 ? "POST" : "GET", `/${n}`)).status, 200)
    }
    assert.lengthOf(there.asked, 20)
  })

  it("lets a backup be silent for longer than other answers", async () => {
    const arrivals = [Promise.withResolvers<ServerResponse>(), Promise.withResolvers<ServerResponse>()] as const
    const there = await standIn((_, response) => {
      response.write("one, ")
      arrivals[there.asked.length - 1]!.resolve(response)
    })
    const short = (_: string, text: string) => text.replace("proxy_read_timeout 5m", "proxy_read_timeout 1s")
    const proxy = await startNginx({ services: [there.port], edit: short })
    closing.push(proxy.close)
    const answer = async (path: string): Promise<unknown> => (await fetch(proxy.url + path)).text()
    // silent first, and so for longer than the other one when that is cut
    const backup = answer("/api/admin/backup").catch((error: unknown) => error)
    const begun = await arrivals[0].promise
    const other = answer("/api/workspaces").catch((error: unknown) => error)
    await arrivals[1].promise
    assert.instanceOf(await other, Error)
    begun.end("two")
    assert.strictEqual(await backup, "one, two")
  })

  it("sends what was sent to no other one, unless asking twice is as good as once", async () => {
    const [one, two] = [await standIn(cut), await standIn(cut)]
    const call = await before([one.port, two.port])
    const answer = await call("POST", "/api/agent-chat")
    refused(answer, 503, "unavailable/busy")
    assert.strictEqual(answer.headers.get("retry-after"), "1")
    assert.lengthOf([...one.asked, ...two.asked], 1)

    const other = await standIn(fine)
    const mixed = await before([(await standIn(cut)).port, other.port])
    for (let n = 0; n < 4; n++) assert.strictEqual((await mixed("GET", `/${n}`)).status, 200)
    assert.lengthOf(other.asked, 4)
  })

  it("says in the one error body that none is there", async () => {
    const there = await standIn(fine)
    const call = await before([there.port])
    while (closing.length > 1) await closing.shift()!()
    const answer = await call("POST", "/api/retrieve/search")
    refused(answer, 503, "unavailable/busy")
    assert.strictEqual(answer.headers.get("cache-control"), "no-store")
  })

  it("tells who asked and under which name, in no words but its own", async () => {
    let heard: IncomingMessage["headers"] = {}
    const there = await standIn((request, response) => {
      heard = request.headers
      response.end()
    })
    const call = await before([there.port])
    await call("GET", "/api/a%2Fb//c?x=%20", {
      "x-forwarded-for": "203.0.113.7",
      "x-forwarded-host": "elsewhere.example",
      "x-forwarded-proto": "https",
      authorization: "Bearer key",
      "idempotency-key": "one"
    })
    assert.include(heard, { "x-forwarded-for": "127.0.0.1", "x-forwarded-proto": "http", authorization: "Bearer key" })
    assert.strictEqual(heard["idempotency-key"], "one")
    assert.match(heard.host ?? "", /^127\.0\.0\.1:\d+$/)
    assert.isUndefined(heard["x-forwarded-host"])
    assert.deepStrictEqual(there.asked, ["GET /api/a%2Fb//c?x=%20"])
  })

  it("waits for chats and streams longer than for anything else", async () => {
    const held: Array<ServerResponse> = []
    const there = await standIn((request, response) => {
      request.resume()
      held.push(response)
    })
    // a second for all else: by the time that it was given up, the others would have been, too
    const call = await before([there.port], (_, text) => text.replace("proxy_read_timeout 5m", "proxy_read_timeout 1s"))
    const long = [call("POST", "/api/agent-chat"), call("POST", "/mcp"), call("GET", "/api/events/stream")]
    while (held.length < long.length) await new Promise((resolve) => setTimeout(resolve, 10))
    refused(await call("POST", "/api/retrieve/search"), 503, "unavailable/busy")
    for (const response of held.slice(0, long.length)) response.end("late")
    for (const answer of await Promise.all(long)) assert.deepStrictEqual([answer.status, answer.text], [200, "late"])
  })
})
