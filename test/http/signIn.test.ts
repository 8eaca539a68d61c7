import { request } from "node:http"
import { networkInterfaces } from "node:os"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { signInLink } from "#src/http/SignIn.ts"
import { SignInCodes } from "#src/keys/SignInCodes.ts"
import { type Answer, type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"

/** An address of this machine that others have a way to. */
const outward = Object.values(networkInterfaces())
  .flat()
  .find((one) => one !== undefined && !one.internal && one.family === "IPv4")?.address

describe("a sign-in by the link that is printed", () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ HOST: "0.0.0.0" })
  })
  afterAll(() => service.close())

  const port = () => new URL(service.url).port
  const issued = () => service.run(Effect.flatMap(SignInCodes, ({ issue }) => issue))
  const own = () => `127.0.0.1:${port()}`

  /** Without a key, to an address of this machine, with headers as they are. */
  const exchange = (code: string, headers: { readonly [name: string]: string } = {}, to = "127.0.0.1") =>
    new Promise<Answer>((resolve, reject) => {
      const sent = request(
        { host: to, port: port(), method: "POST", path: "/api/sign-in", headers: { host: own(), ...headers } },
        (response) => {
          let text = ""
          response.setEncoding("utf8").on("data", (part: string) => void (text += part))
          response.on("end", () => {
            const told = new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)]))
            resolve({ status: response.statusCode!, headers: told, text, json: JSON.parse(text) })
          })
        }
      )
      sent.on("error", reject)
      sent.setHeader("content-type", "application/json")
      sent.end(JSON.stringify({ code }))
    })

  it("gives a key of the operator's that ends by itself, is listed, and can be revoked", async () => {
    const answer = await exchange(await issued())
    assert.strictEqual(answer.status, 200, answer.text)
    assert.strictEqual(answer.headers.get("cache-control"), "no-store")
    const { key, key_id, expires_at } = answer.json
    const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000
    assert.isAbove(hours, 11)
    assert.isAtMost(hours, 12)
    const call = service.as(key)
    const access = (await call("GET", "/api/access")).json
    assert.deepInclude(access, { key_id, role: "owner", operator: true, expires_at, user_email: "owner@cairn.local" })
    assert.strictEqual((await call("GET", "/api/admin/status")).status, 200)
    const { keys } = (await service.call("POST", "/api/keys/org/list")).json
    const listed = keys.find(({ id }: { id: string }) => id === key_id)
    assert.deepInclude(listed, { name: "Sign-in link", expires_at })
    const { events } = (await service.call("GET", "/api/events/newest?type=KeyCreated&limit=1")).json
    assert.strictEqual(events[0].data.key, key_id)
    assert.deepStrictEqual(events[0].actor, { key_id: null, user_id: null, organization_id: null })
    assert.strictEqual((await service.call("POST", "/api/keys/org/revoke", { key_id })).status, 200)
    refused(await call("GET", "/api/access"), 401, "auth/invalid_api_key")
  })

  it("works once, of two at the same time for one", async () => {
    const code = await issued()
    const both = await Promise.all([exchange(code), exchange(code)])
    assert.deepStrictEqual(both.map(({ status }) => status).sort(), [200, 403])
    refused(await exchange(code), 403, "permission/invalid_code")
  })

  it("is for this machine alone: not through a proxy, wherever that is, and not under another name; the code stays", async () => {
    const code = await issued()
    const elsewhere: ReadonlyArray<{ readonly [name: string]: string }> = [
      { "x-forwarded-for": "127.0.0.1" },
      { forwarded: "for=127.0.0.1" },
      { "x-real-ip": "127.0.0.1" },
      { via: "1.1 proxy" },
      { "x-forwarded-proto": "https" },
      // a page of somebody else's, in a browser of this machine
      { origin: "https://example.com" },
      { origin: "null" },
      { host: "cairn.example.com" },
      { host: `localhost.example.com:${port()}` }
    ]
    for (const headers of elsewhere) refused(await exchange(code, headers), 403, "permission/not_this_machine")
    assert.strictEqual((await exchange(code, { origin: `http://127.0.0.1:${port()}` })).status, 200)
  })

  it.skipIf(outward === undefined)("is for the other end of the connection, and not for what it says", async () => {
    const code = await issued()
    refused(await exchange(code, {}, outward), 403, "permission/not_this_machine")
    assert.strictEqual((await exchange(code, { host: `localhost:${port()}` })).status, 200)
  })

  it("says nothing of codes and keys in the log's lines", async () => {
    const code = await issued()
    const { key } = (await exchange(code)).json
    refused(await exchange(code), 403, "permission/invalid_code")
    const lines = [...service.log, ...service.asked].join("\n")
    assert.include(lines, "/api/sign-in")
    assert.notInclude(lines, code)
    assert.notInclude(lines, key)
  })

  it("revokes those before it whose time is over", async () => {
    const first = (await exchange(await issued())).json
    const end = new Date(Date.now() + 1_000).toISOString()
    await service.call("POST", "/api/keys/org/limit", { key_id: first.key_id, expires_at: end })
    const kept = (await exchange(await issued())).json
    while (Date.now() < Date.parse(end)) await service.call("GET", "/api/access")
    const last = (await exchange(await issued())).json
    const { keys } = (await service.call("POST", "/api/keys/org/list")).json
    const ids = keys.map(({ id }: { id: string }) => id)
    assert.notInclude(ids, first.key_id)
    assert.includeMembers(ids, [kept.key_id, last.key_id])
  })
})

describe("a sign-in without a key", () => {
  it("is counted by its address, as all that needs none", async () => {
    const service = await startService({ CAIRN_RATE_LIMITS: "other=3" })
    try {
      const tried = async () => (await service.as("")("POST", "/api/sign-in", { code: "x" })).status
      const statuses = [await tried(), await tried(), await tried(), await tried()]
      assert.deepStrictEqual(statuses, [403, 403, 403, 429])
    } finally {
      await service.close()
    }
  })
})

it.each([
  ["127.0.0.1", "http://127.0.0.1:8080/overview#sign-in=c"],
  ["0.0.0.0", "http://127.0.0.1:8080/overview#sign-in=c"],
  ["::", "http://127.0.0.1:8080/overview#sign-in=c"],
  ["::1", "http://[::1]:8080/overview#sign-in=c"],
  ["localhost", "http://localhost:8080/overview#sign-in=c"],
  ["192.0.2.7", undefined],
  ["cairn.example.com", undefined]
])("a service that listens at %s prints %s", (host, link) => {
  assert.strictEqual(signInLink(host, 8080, "c"), link)
})
