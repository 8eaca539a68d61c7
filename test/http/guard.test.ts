import { request } from "node:http"
import { connect } from "node:net"
import { gunzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { findByName, stored } from "./store.ts"

let service: Service
let id: string
beforeAll(async () => {
  service = await startService()
  const content = Array.from({ length: 20_000 }, (_, n) => `x${n} = ${n * n}\n`).join("")
  await stored(service.call, "guarded", { file_written: { path: "guarded.py", content } })
  id = (await findByName(service.call, "guarded"))!.code_block.id
})
afterAll(() => service.close())

interface Raw {
  readonly status: number
  readonly headers: Record<string, string | undefined>
  readonly body: Buffer
}

/** A request with every header as it stands: `fetch` sets Host and undoes compression by itself. */
const raw = (method: string, path: string, headers: Record<string, string> = {}, body = "", url = service.url) =>
  new Promise<Raw>((resolve, reject) => {
    const sent = request(url + path, { method, headers }, (answer) => {
      const chunks: Array<Buffer> = []
      answer.on("data", (chunk: Buffer) => chunks.push(chunk))
      answer.on("end", () =>
        resolve({ status: answer.statusCode!, headers: answer.headers as Raw["headers"], body: Buffer.concat(chunks) })
      )
    })
    sent.on("error", reject).end(body)
  })

const key = { authorization: `Bearer ${ownerKey}` }
const json = { "content-type": "application/json" }
const zip = { "accept-encoding": "gzip, deflate, br" }

describe("every answer", () => {
  /** A route's answer of each kind: what it is asked with, its status, and what caches are told. */
  const kinds: ReadonlyArray<readonly [string, () => Promise<Raw>, number, string]> = [
    ["a document", () => raw("GET", "/docs"), 200, "public, max-age=300"],
    ["the OpenAPI document", () => raw("GET", "/openapi.json"), 200, "public, max-age=300"],
    ["the skill", () => raw("GET", "/skill.md"), 200, "public, max-age=300"],
    ["a document that is asked for with a key", () => raw("GET", "/skill.md", key), 200, "no-store"],
    ["health", () => raw("GET", "/health"), 200, "no-store"],
    ["a private answer", () => raw("GET", "/api/workspaces", key), 200, "no-store"],
    ["a public search", () => raw("POST", "/api/snippets/public/list", json, "{}"), 200, "no-store"],
    ["a raw file", () => raw("GET", `/raw/${id}.md`, key), 200, "no-store"],
    ["a refused body", () => raw("POST", "/api/snippets/public/list", json, "{"), 400, "no-store"],
    ["a missing key", () => raw("GET", "/api/workspaces"), 401, "no-store"],
    ["no route", () => raw("GET", "/nothing"), 404, "no-store"],
    ["a path that can't be decoded", () => raw("GET", "/raw/%zz"), 404, "no-store"],
    ["a wrong method", () => raw("DELETE", "/docs"), 405, "no-store"],
    ["git without a key", () => raw("GET", "/git/x.git/info/refs"), 401, "no-store"],
    ["git with one", () => raw("GET", "/git/x.git/info/refs", key), 404, "no-store"],
    ["MCP", () => raw("POST", "/mcp", { ...json, ...key }, "{}"), 406, "no-store"],
    ["MCP's other methods", () => raw("GET", "/mcp", key), 405, "no-store"]
  ]

  it.each(kinds)("is guarded: %s", async (_, ask, status, caching) => {
    const answer = await ask()
    assert.strictEqual(answer.status, status, answer.body.toString().slice(0, 300))
    const { headers } = answer
    assert.strictEqual(headers["cache-control"], caching)
    const policy = headers["content-security-policy"] ?? ""
    for (const part of ["default-src 'none'", "frame-ancestors 'none'"]) assert.include(policy, part)
    for (const part of ["http", "unsafe", "*"]) assert.notInclude(policy, part)
    assert.deepStrictEqual(
      ["x-content-type-options", "x-frame-options", "referrer-policy"].map((name) => headers[name]),
      ["nosniff", "DENY", "no-referrer"]
    )
    for (const name of ["cross-origin-resource-policy", "cross-origin-opener-policy"]) {
      assert.strictEqual(headers[name], "same-origin")
    }
  })

  it("of raw files keeps its own stricter policy", async () => {
    const { headers } = await raw("GET", `/raw/${id}.md`, key)
    assert.match(headers["content-security-policy"] ?? "", /^sandbox; /)
  })
})

describe("the documents", () => {
  it("name no other host that a browser would ask, and run only what they came with", async () => {
    const { body, headers } = await raw("GET", "/docs")
    const html = body.toString()
    assert.notMatch(html, /<(?:script|link|img|iframe)[^>]+(?:src|href)=/i)
    assert.notMatch(html.slice(0, html.indexOf("</style>")), /@import|url\(\s*["']?(?:https?:)?\/\//i)
    assert.match(headers["content-security-policy"] ?? "", /script-src 'sha256-[^']{44}'; style-src 'sha256-[^']{44}';/)
  })

  it("are not sent again to who has them", async () => {
    for (const path of ["/docs", "/openapi.json", "/skill.md"]) {
      const { etag = "", vary } = (await raw("GET", path, zip)).headers
      assert.strictEqual(vary, "Accept-Encoding")
      for (const tag of [etag, `"other", ${etag.replace("W/", "")}`]) {
        const again = await raw("GET", path, { ...zip, "if-none-match": tag })
        assert.deepStrictEqual([again.status, again.body.length, again.headers.etag], [304, 0, etag])
      }
      assert.strictEqual((await raw("GET", path, { "if-none-match": '"other"' })).status, 200)
      const head = await raw("HEAD", path)
      assert.deepStrictEqual([head.status, head.body.length, head.headers.etag], [200, 0, etag])
    }
  })
})

describe("compression", () => {
  const page = (headers: Record<string, string>) => raw("GET", `/raw/${id}.md`, { ...key, ...headers })

  it("is what the caller takes, and the same text whole", async () => {
    const plain = await page({})
    assert.isAbove(plain.body.length, 200_000)
    assert.isUndefined(plain.headers["content-encoding"])
    const gzipped = await page(zip)
    assert.deepStrictEqual([gzipped.headers["content-encoding"], gzipped.headers.vary], ["gzip", "Accept-Encoding"])
    assert.isBelow(gzipped.body.length, plain.body.length / 2)
    assert.isTrue(gunzipSync(gzipped.body).equals(plain.body))
    // one that would keep megabytes for each answer that nobody reads is not among them
    const both = await page({ "accept-encoding": "br;q=1, gzip;q=0.1" })
    assert.strictEqual(both.headers["content-encoding"], "gzip")
    for (const takes of ["identity", "zstd", "br", "deflate", "gzip;q=0", "nonsense;;"]) {
      const answer = await page({ "accept-encoding": takes })
      assert.isUndefined(answer.headers["content-encoding"])
      assert.isTrue(answer.body.equals(plain.body))
    }
  })

  it("leaves small answers as they are, and those to HEAD without a body", async () => {
    const small = await raw("GET", "/health", zip)
    assert.deepStrictEqual([small.headers["content-encoding"], small.headers.vary], [undefined, "Accept-Encoding"])
    const head = await raw("HEAD", `/raw/${id}.md`, { ...key, ...zip })
    assert.deepStrictEqual([head.status, head.body.length], [200, 0])
  })

  it("leaves streams of events and git as they are", async () => {
    const abort = new AbortController()
    const stream = await fetch(`${service.url}/api/events/stream`, {
      headers: { ...key, ...zip },
      signal: abort.signal
    })
    assert.deepStrictEqual([stream.status, stream.headers.get("content-encoding")], [200, null])
    abort.abort()
    const git = await raw("GET", "/git/x.git/info/refs", { ...key, ...zip })
    assert.isUndefined(git.headers["content-encoding"])
    assert.isUndefined(git.headers.vary)
  })
})

describe("the name in Host", () => {
  const port = () => new URL(service.url).port
  const asked = (host: string, path = "/health", at = service) => raw("GET", path, { host }, "", at.url)

  it("is this machine's, with any port, or the request is refused", async () => {
    for (const host of ["localhost", `127.0.0.1:${port()}`, "[::1]:1", "LocalHost.:80"]) {
      assert.strictEqual((await asked(host)).status, 200, host)
    }
    for (const host of ["evil.example", `evil.example:${port()}`, "127.0.0.1.evil.example", "localhost@evil.example"]) {
      for (const path of ["/health", "/docs", "/mcp", "/git/x.git/info/refs", "/nothing"]) {
        const { status, body, headers } = await asked(host, path)
        assert.deepStrictEqual([status, JSON.parse(body.toString()).code], [421, "permission/foreign_host"], host)
        assert.strictEqual(headers["cache-control"], "no-store")
      }
    }
  })

  it("stands in every request of HTTP/1.1", async () => {
    const { port, hostname } = new URL(service.url)
    const heard = (head: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => void socket.write(head))
        let said = ""
        socket.setEncoding("utf8").on("data", (text: string) => void (said += text))
        socket.once("error", reject).once("close", () => resolve(said))
      })
    const [head = "", body = ""] = (await heard("GET /health HTTP/1.1\r\nConnection: close\r\n\r\n")).split("\r\n\r\n")
    assert.match(head, /^HTTP\/1\.1 400 /)
    assert.include(body, "validation/malformed_request")
    assert.match(await heard("GET /health HTTP/1.0\r\n\r\n"), /^HTTP\/1\.1 200 /)
  })

  it("is any that the operator gave, and any at all where the service listens to the world", async () => {
    const named = await startService({ CAIRN_ALLOWED_HOSTS: "cairn.example.com" })
    const open = await startService({ HOST: "0.0.0.0" })
    try {
      assert.strictEqual((await asked("cairn.example.com:443", "/health", named)).status, 200)
      assert.strictEqual((await asked("localhost", "/health", named)).status, 200)
      assert.strictEqual((await asked("evil.example", "/health", named)).status, 421)
      assert.strictEqual((await asked("anything.example", "/health", open)).status, 200)
    } finally {
      await named.close()
      await open.close()
    }
  })
})
