import { readFileSync } from "node:fs"
import { request as tlsRequest } from "node:https"
import { connect } from "node:net"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { manyFiles } from "#src/api/limits.ts"
import { freePort } from "#test/freePort.ts"
import { ended, scripts, service, startsAgent } from "#test/http/agent.ts"
import { bundlePath } from "#test/http/bundle.ts"
import { good, makesClones, noise, place, urlOf, wrote } from "#test/http/clone.ts"
import { refused } from "#test/http/problem.ts"
import { listen } from "#test/http/sse.ts"
import { stored } from "#test/http/store.ts"
import { noGit } from "#test/infra/git/git.ts"
import { says } from "#test/MessagesApi.ts"
import { type Headers, send } from "#test/service/call.ts"
import { ownerKey, type Service } from "#test/service.ts"
import { hasNginx, startNginx } from "./nginx.ts"

const fileOf = (name: string) => fileURLToPath(new URL(`../data/tls/${name}`, import.meta.url))
const portOf = ({ url }: { readonly url: string }) => Number(new URL(url).port)
const mebibyte = 1024 * 1024

describe.skipIf(!hasNginx)("nginx before a service", () => {
  startsAgent()
  makesClones()
  let proxy: Awaited<ReturnType<typeof startNginx>>
  let tlsPort: number
  /** The service, as it is through nginx. */
  let behind: Service
  beforeAll(async () => {
    tlsPort = await freePort()
    const edits: { readonly [file: string]: (text: string) => string } = {
      "nginx.conf": (text) => text.replace(/# With certificates in place: /, ""),
      "tls.conf": (text) => text.replace("listen 8443", `listen 127.0.0.1:${tlsPort}`).replaceAll("/etc/cairn/tls/", "")
    }
    proxy = await startNginx({
      services: [portOf(service)],
      edit: (file, text) => edits[file]?.(text) ?? text,
      more: { "fullchain.pem": fileOf("cert.pem"), "privkey.pem": fileOf("key.pem") }
    })
    behind = { ...service, url: proxy.url, call: as(proxy.url, ownerKey), as: (key) => as(proxy.url, key) }
  })
  afterAll(() => proxy?.close())

  const as =
    (url: string, key: string): Service["call"] =>
    (method, path, body, headers: Headers = {}) =>
      send(url, method, path, body, { authorization: `Bearer ${key}`, ...headers })

  it("changes no error: status, headers and body are those of the service", async () => {
    const asked: ReadonlyArray<readonly [string, string, unknown, Headers, number]> = [
      ["GET", "/api/workspaces", undefined, { authorization: "" }, 401],
      ["GET", "/api/nothing", undefined, {}, 404],
      ["DELETE", "/api/events", undefined, {}, 405],
      ["POST", "/api/retrieve/search", "{", {}, 400],
      ["POST", "/api/retrieve/search", { task: "x", top_k: -1 }, {}, 400],
      ["POST", "/api/keys/org/create", "x".repeat(100_000), {}, 413],
      ["POST", "/api/retrieve/search", "task", { "content-type": "text/plain" }, 415],
      ["GET", "/git/nothing.git/info/refs", undefined, { authorization: "" }, 401],
      ["GET", "/api/workspaces?nothing=1", undefined, {}, 400]
    ]
    const own = new Set([
      "date",
      "server",
      "connection",
      "keep-alive",
      "x-request-id",
      "content-length",
      "transfer-encoding"
    ])
    for (const [method, path, body, headers, status] of asked) {
      const [direct, through] = [
        await service.call(method, path, body, headers),
        await behind.call(method, path, body, headers)
      ]
      assert.strictEqual(through.status, status, through.text)
      const told = ({ status, headers, json }: typeof direct) => [
        status,
        [...headers].filter(([name]) => !own.has(name)).sort(),
        { ...json, request_id: "" }
      ]
      assert.deepStrictEqual(told(through), told(direct), path)
      refused(through, status, through.json.code)
    }
  })

  it("takes a bundle of 28 MiB, and what is more than Cairn takes is refused in its words", async () => {
    const files = Array.from({ length: 3 }, (_, n) => ({ path: `/srv/${n}.txt`, content: noise(10_000, n + 1) }))
    const body = JSON.stringify({
      prompts: ["Keep these."],
      files_written: files,
      auto_vote: false,
      use_service_ai_voting: false
    })
    // what is between the values counts as much as they do, and is indexed by nobody
    const padded = body + " ".repeat(28 * mebibyte - body.length)
    const { status, json, text } = await behind.call("POST", bundlePath, padded)
    assert.deepStrictEqual([status, json.code_blocks_stored], [200, files.length], text)
    const most = await behind.call("POST", bundlePath, " ".repeat(manyFiles.bytes))
    refused(most, 400, "validation/invalid_json")
    refused(await behind.call("POST", bundlePath, " ".repeat(manyFiles.bytes + 1)), 413, "body/too_large")
  })

  /** Whatever is sent, as it stands. */
  const raw = (text: string) =>
    new Promise<string>((resolve, reject) => {
      let answer = ""
      const socket = connect(proxy.port, "127.0.0.1", () => socket.write(text))
      socket.setEncoding("utf8").on("data", (part) => {
        answer += part
      })
      socket.once("close", () => resolve(answer)).once("error", reject)
    })

  it("passes heads of nearly 16 KiB on, and refuses others in the one error body", async () => {
    const long = (length: number) => `/api/workspaces?${"x".repeat(length)}`
    refused(await behind.call("GET", long(15_000)), 400, "validation/invalid_field")
    refused(await behind.call("GET", long(17_000)), 431, "header/too_large")
    const answer = await raw("GET /health HTTP/1.1\r\n\r\n")
    assert.match(answer, /^HTTP\/1.1 400 /)
    assert.strictEqual(JSON.parse(answer.split("\r\n\r\n")[1]!).code, "validation/malformed_request")
    // what nginx itself refuses before Cairn is asked
    for (const [head, status, code] of [
      ["POST /health HTTP/1.1\r\nTransfer-Encoding: odd\r\n", 400, "validation/malformed_request"],
      ["TRACE /health HTTP/1.1\r\n", 400, "validation/malformed_request"],
      ["GET /.cairn/malformed HTTP/1.1\r\n", 404, "not_found/route"]
    ] as const) {
      const refusal = await raw(`${head}Host: localhost\r\nConnection: close\r\n\r\n`)
      assert.match(refusal, new RegExp(`^HTTP/1.1 ${status} `))
      assert.strictEqual(JSON.parse(refusal.split("\r\n\r\n")[1]!).code, code)
    }
  })

  it("passes a stream of events on as they come, and who hangs up is gone for the service, too", async () => {
    const streams = []
    // as many as a key may have
    for (let n = 0; n < 16; n++) streams.push(await listen(behind, "/api/events/stream"))
    const [first, ...others] = streams
    await first!.take(1)
    refused(await behind.call("GET", "/api/events/stream"), 429, "rate_limit/exceeded")
    await stored(behind.call, "streamed")
    const messages = await first!.until(({ data }) => JSON.stringify(data).includes("streamed"))
    assert.isAbove(messages.length, 0)
    await first!.close()
    const again = await vi.waitFor(() => listen(behind, "/api/events/stream"), { timeout: 60_000 })
    assert.match(again.headers.get("content-type") ?? "", /^text\/event-stream/)
    for (const stream of [again, ...others]) await stream.close()
  })

  it("answers chats, and the same one sent again joins it", async () => {
    const prompt = "Say it once."
    let asked = 0
    scripts.set(prompt, () => {
      asked += 1
      return says("Once.")
    })
    const [one, two] = await Promise.all([ended(behind.call, prompt, "ada"), ended(behind.call, prompt, "ada")])
    assert.deepStrictEqual([one.output, two.session_id, asked], ["Once.", one.session_id, 1])
  })

  it.skipIf(noGit)("lets git clone and pull", async () => {
    const first = await wrote("nginx", { "a.txt": "one\n", "big.txt": noise(900_000, 5) }, behind)
    const clone = place()
    await good("clone", "-q", urlOf(first.workspace_id, ownerKey, behind), clone)
    assert.lengthOf(readFileSync(`${clone}/big.txt`, "utf8"), 900_000)
    const second = await wrote("nginx", { "a.txt": "two\n" }, behind)
    await good("-C", clone, "pull", "-q", "--ff-only")
    assert.strictEqual(await good("-C", clone, "rev-parse", "HEAD"), second.commit)
  })

  it("speaks TLS", async () => {
    const answer = await new Promise<readonly [number | undefined, string | undefined]>((resolve, reject) => {
      const options = {
        host: "127.0.0.1",
        port: tlsPort,
        servername: "localhost",
        ca: readFileSync(fileOf("cert.pem"))
      }
      tlsRequest({ ...options, path: "/health" }, (got) => {
        got.resume().once("end", () => resolve([got.statusCode, got.headers["strict-transport-security"]]))
      })
        .once("error", reject)
        .end()
    })
    assert.deepStrictEqual(answer, [200, "max-age=31536000"])
  })
})
