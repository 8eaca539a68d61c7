import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { type MessagesApi, says, startMessagesApi } from "#test/MessagesApi.ts"
import { type Service, startService } from "#test/service.ts"
import { upload } from "../store.ts"
import { startReceiver } from "./receiver.ts"

const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
const requestId = "7f3c2f1e-5d1b-4c57-9d37-1c8a1c0f3a55"
const mark = "hush-hush"
const patient = { timeout: 60_000, interval: 100 }

describe.each(["http/json", "http/protobuf"])("over OTLP, as %s", (protocol) => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let api: MessagesApi
  let service: Service
  beforeAll(async () => {
    receiver = await startReceiver()
    api = await startMessagesApi(() => says(mark))
    service = await startService({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20b",
      OTEL_TRACES_SAMPLER: "parentbased_always_off",
      OTEL_BSP_SCHEDULE_DELAY: "100",
      OTEL_METRIC_EXPORT_INTERVAL: "200",
      ANTHROPIC_API_KEY: api.key,
      ANTHROPIC_BASE_URL: api.url
    })
  })
  afterAll(async () => {
    await service.close()
    await api.close()
    await receiver.close()
  })

  it("a caller's trace goes on through the request, the run and the question to the model", async () => {
    const headers = {
      traceparent: `00-${trace}-00f067aa0ba902b7-01`,
      "user-agent": mark,
      "x-request-id": requestId
    }
    const body = { user_query: mark, user_id: mark, org_id: mark, model: "sonnet" }
    await service.call("POST", "/api/retrieve/search", { task: mark }, {})
    const { status } = await service.call("POST", "/api/agent-chat", body, headers)
    assert.strictEqual(status, 200)
    const named = (name: string) => receiver.spans().find((span) => span.name === name)
    await vi.waitFor(() => {
      for (const name of ["POST /api/agent-chat", "run", "chat sonnet"]) assert.isDefined(named(name), name)
    }, patient)
    const [request, run, chat] = ["POST /api/agent-chat", "run", "chat sonnet"].map((name) => named(name)!)
    assert.deepStrictEqual([request!.trace, request!.parent], [trace, "00f067aa0ba902b7"])
    assert.deepStrictEqual([run!.trace, run!.parent], [trace, request!.id])
    assert.deepStrictEqual([chat!.trace, chat!.parent], [trace, run!.id])
    assert.deepInclude(chat!.attributes, { "gen_ai.operation.name": "chat", "gen_ai.request.model": "sonnet" })
    assert.deepInclude(request!.attributes, { "http.request.method": "POST", "http.route": "/api/agent-chat" })
    assert.strictEqual(String(request!.attributes["http.response.status_code"]), "200")
    // the model was asked under the span that says so
    assert.strictEqual(api.requests[0]!.headers["traceparent"], `00-${trace}-${chat!.id}-01`)
    // a search that nobody traces is in none, and the database's part is in the others'
    for (const span of receiver.spans()) assert.strictEqual(span.trace, trace, span.name)
    const asked = named("postgres")
    assert.strictEqual(asked?.attributes["db.system.name"], "postgresql")
    assert.match(String(asked?.attributes["db.query.text"]), /^[A-Z]/)
  })

  it("a trace finds what was recorded in it, and that finds its trace", async () => {
    const traces = { upload: "a".repeat(32), chat: "b".repeat(32) }
    const within = (trace: string) => ({ traceparent: `00-${trace}-00f067aa0ba902b7-01` })
    await upload(service.call, "traced", {}, within(traces.upload))
    const body = { user_query: "traced", user_id: "u", org_id: "o", model: "sonnet" }
    assert.strictEqual((await service.call("POST", "/api/agent-chat", body, within(traces.chat))).status, 200)
    const correlationIn = (trace: string, name: string) =>
      vi.waitFor(() => {
        const span = receiver.spans().find((one) => one.trace === trace && one.name.includes(name))
        const id = span?.attributes["cairn.correlation.id"]
        assert.isString(id, `${name} of ${trace}`)
        return id as string
      }, patient)
    for (const [trace, name, ...types] of [
      [traces.upload, "POST /api/store", "SnippetUploaded"],
      [traces.chat, "POST /api/agent-chat", "ChatRequested", "ChatCompleted"],
      [traces.chat, "run", "ChatRequested", "ChatCompleted"]
    ] as const) {
      const found = await service.call("GET", `/api/events?correlation=${await correlationIn(trace, name)}`)
      const { events } = found.json
      assert.deepInclude(events[0], { type: types[0], trace_id: trace }, name)
      assert.includeMembers(
        events.map(({ type }: { type: string }) => type),
        [...types]
      )
    }
  })

  it("metrics and the log come too, with what the receiver wants to see, and nobody's words", async () => {
    await vi.waitFor(() => {
      for (const path of ["/v1/metrics", "/v1/logs"])
        assert.isTrue(
          receiver.received.some((one) => one.path === path),
          path
        )
      assert.include(JSON.stringify(receiver.received), "cairn_http_requests_total")
      assert.include(JSON.stringify(receiver.received), "cairn_read_model_lag")
    }, patient)
    // a line has its request's id and trace, and says which process it is of, as the metrics do
    await vi.waitFor(
      () => assert.isDefined(receiver.lines().find(({ attributes }) => attributes["request_id"] === requestId)),
      patient
    )
    const line = receiver.lines().find(({ attributes }) => attributes["request_id"] === requestId)
    assert.deepInclude(line, { text: "request", trace })
    assert.deepInclude(line!.attributes, { route: "/api/agent-chat", method: "POST" })
    const instances = new Set(receiver.received.flatMap(({ body }) => receiver.instancesIn(body)))
    assert.lengthOf([...instances], 1)
    assert.match(String([...instances][0]), /^[0-9a-f-]{36}$/)
    for (const { headers } of receiver.received) assert.strictEqual(headers["x-tenant"], "a b")
    const all = JSON.stringify(receiver.received.map(({ body }) => body))
    assert.include(all, '"cairn"')
    assert.notInclude(all, mark)
  })
})

describe("a receiver that is away", () => {
  it("keeps nobody waiting", async () => {
    const receiver = await startReceiver()
    await receiver.close()
    const service = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: "50" })
    const { status } = await service.call("POST", "/api/retrieve/search", { task: "x" })
    assert.strictEqual(status, 200)
    await service.close()
  })
})
