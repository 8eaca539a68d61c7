import { assert, describe, it } from "vitest"
import { says } from "#test/MessagesApi.ts"
import { api, asked, ended, scripts, service, startsAgent } from "../agent.ts"
import { upload } from "../store.ts"

startsAgent()

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
const id = "7f3c2f1e-5d1b-4c57-9d37-1c8a1c0f3a55"

const lineOf = (request_id: string) =>
  service.asked.map((line) => JSON.parse(line)).find((line) => line.request_id === request_id)
const requestsOf = async (type: string) => {
  const rows = await service.sql<{ request: string | null }>(
    "SELECT request FROM events WHERE type = $1 ORDER BY position",
    [type]
  )
  return rows.map(({ request }) => JSON.parse(request ?? "null"))
}

describe("a request", () => {
  it.each(["/health", "/nope", "/docs", "/api/models"])(
    "%s is answered with the id that it came with",
    async (path) => {
      const { headers } = await service.call("GET", path, undefined, { "x-request-id": `an.id:${path.length}` })
      assert.strictEqual(headers.get("x-request-id"), `an.id:${path.length}`)
    }
  )

  it("has a new one where it came with none, or one that may not stand in a log", async () => {
    const seen = new Set<string>()
    const key = `key:cairn_live_${"A1".repeat(21)}z`
    for (const given of [undefined, "", "a b", "x".repeat(129), "ä", '{"a":1}', key]) {
      const headers = given === undefined ? {} : { "x-request-id": Buffer.from(given).toString("latin1") }
      const answer = await service.call("GET", "/nope", undefined, headers)
      assert.match(answer.headers.get("x-request-id")!, /^[0-9a-f-]{36}$/)
      assert.strictEqual(answer.json.request_id, answer.headers.get("x-request-id"))
      seen.add(answer.json.request_id)
    }
    assert.strictEqual(seen.size, 7)
  })

  it("has a line with its route, status, duration and key; health says nothing", async () => {
    await service.call("GET", "/health", undefined, { "x-request-id": "of-health" })
    await service.call("POST", "/api/retrieve/search", {}, { "x-request-id": "of-search" })
    const line = lineOf("of-search")
    assert.deepInclude(line, { method: "POST", route: "/api/retrieve/search", status: 400 })
    assert.isAtLeast(line.duration_ms, 0)
    assert.match(line.key, /^[0-9a-f-]{36}$/)
    assert.isUndefined(lineOf("of-health"))
  })

  it("hands its id and trace on to its events and to the model", async () => {
    scripts.set("with a trace", () => says("Done."))
    const { session_id } = await ended(
      (method, path, body) => service.call(method, path, body, { traceparent, "x-request-id": id }),
      "with a trace",
      "traced"
    )
    const [{ headers }] = asked("with a trace") as never as [{ headers: Record<string, string> }]
    assert.deepStrictEqual([headers["traceparent"], headers["x-request-id"]], [traceparent, id])
    const last = (await requestsOf("ChatRequested")).at(-1)
    assert.deepInclude(last, { id, traceparent })
    const { json } = await service.call("GET", `/api/events?stream=chat-${session_id}`)
    assert.deepInclude(json.events[0], { request_id: id, trace_id: traceId })
    assert.isAbove(api.requests.length, 0)
  })

  it("gives events no id that may be words, and no trace that is none", async () => {
    await upload(service.call, "worded", {}, { "x-request-id": "ada.lovelace", traceparent: "00-hush-hush-01" })
    assert.isDefined(lineOf("ada.lovelace"))
    const last = (await requestsOf("SnippetUploaded")).at(-1)
    assert.sameMembers(Object.keys(last), ["digest", "n", "fingerprint"])
    // traces are told by `traceparent` alone
    await upload(service.call, "otherwise traced", {}, { b3: "0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-1" })
    assert.notProperty((await requestsOf("SnippetUploaded")).at(-1), "traceparent")
  })

  it("whose chat fails says so once, with the reason and without anybody's words", async () => {
    scripts.set("hush-hush", () => ({ status: 400, message: "hush-hush said the API" }))
    const before = service.log.length
    const { success } = await ended(
      (method, path, body) => service.call(method, path, body, { "x-request-id": id }),
      "hush-hush",
      "failing"
    )
    assert.isFalse(success)
    const said = service.log.slice(before).filter((line) => line.includes("a chat failed"))
    assert.lengthOf(said, 1)
    assert.match(
      said[0]!,
      /a chat failed \(model: the API at 127\.0\.0\.1:\d+, for the model .* answered 400 invalid_request_error\)/
    )
    assert.notInclude(said[0]!, "hush-hush")
  })
})
