import { request } from "node:http"
import { networkInterfaces } from "node:os"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { metrics } from "#ports/metrics.ts"
import { freePort } from "#test/freePort.ts"
import { calls, type MessagesApi, says, startMessagesApi } from "#test/MessagesApi.ts"
import { type Service, startService } from "#test/service.ts"
import { upload } from "../store.ts"
import { scrape } from "./scraped.ts"

/** What no metric may hold, wherever a caller writes it. */
const mark = "hush-hush"

let api: MessagesApi
let service: Service
let port: number
/** What a chat waits for that says so. */
const held = Promise.withResolvers<void>()
beforeAll(async () => {
  const usage = { input_tokens: 1_000, output_tokens: 100 }
  api = await startMessagesApi(({ body }) => {
    if (String(body.messages[0]!.content).includes("waits")) return { ...says("Done."), usage, after: held.promise }
    if (String(body.messages[0]!.content).includes("fails")) return { status: 400, message: mark }
    if (body.messages.length > 1) return { ...says("Done."), usage }
    return { ...calls({ name: "Bash", input: { command: `echo ${mark} > a.txt` } }), usage }
  })
  port = await freePort()
  const models = {
    sonnet: {
      provider: "anthropic",
      model: "one",
      base_url: api.url,
      key: "ANTHROPIC_API_KEY",
      prices: { input: 3, output: 15 }
    }
  }
  service = await startService({
    CAIRN_METRICS_PORT: String(port),
    CAIRN_MODELS: JSON.stringify(models),
    ANTHROPIC_API_KEY: api.key
  })
})
afterAll(async () => {
  await service.close()
  await api.close()
})

const search = (task: string) => service.call("POST", "/api/retrieve/search", { task })
const chat = (user_query: string, more: object = {}) =>
  service.call("POST", "/api/agent-chat", { user_query, user_id: mark, org_id: mark, ...more })

/** A request with headers and a method that `fetch` would not send. */
const raw = (
  path: string,
  method: string,
  headers: { readonly [name: string]: string },
  at = Number(new URL(service.url).port)
) =>
  new Promise<number>((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port: at, path, method, headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode!))
    })
    asking.once("error", reject).end()
  })

describe("/metrics", () => {
  it("counts what was done, as Prometheus' parser reads it", async () => {
    const before = await scrape(port)
    await upload(service.call, "counted", { user_vote: 1 })
    await search("counted")
    await search("counted")
    await service.call("GET", `/${mark}`)
    await chat(`do it, ${mark}`)
    assert.isFalse((await chat("this fails")).json.success)
    const after = await scrape(port)
    const grown = (name: string, labels = {}) => after.valueOf(name, labels) - before.valueOf(name, labels)
    const route = "/api/retrieve/search"
    assert.strictEqual(grown("cairn_http_requests_total", { method: "POST", route, status: "200" }), 2)
    assert.strictEqual(grown("cairn_http_request_duration_seconds", { route }), 2)
    assert.strictEqual(grown("cairn_http_requests_total", { route: "other", status: "404" }), 1)
    assert.strictEqual(after.valueOf("cairn_http_requests_open"), 0)
    assert.isAtLeast(grown("cairn_searches_total"), 2)
    assert.isAtLeast(grown("cairn_searches_total", { answer: "memory" }), 1)
    assert.strictEqual(grown("cairn_log_events_total", { type: "ChatCompleted" }), 1)
    assert.strictEqual(grown("cairn_log_events_total", { type: "ChatFailed" }), 1)
    assert.isAbove(grown("cairn_log_append_duration_seconds"), 5)
    assert.isAbove(grown("cairn_log_append_batch_units"), 5)
    const model = "sonnet"
    assert.strictEqual(grown("cairn_model_requests_total", { model, outcome: "calls" }), 1)
    assert.strictEqual(grown("cairn_model_requests_total", { model, outcome: "done" }), 1)
    assert.strictEqual(grown("cairn_model_requests_total", { model, outcome: "failed" }), 1)
    assert.strictEqual(grown("cairn_model_tokens_total", { model, kind: "input" }), 2_000)
    assert.strictEqual(grown("cairn_model_tokens_total", { model, kind: "output" }), 200)
    assert.approximately(grown("cairn_model_cost_dollars_total", { model }), (2_000 * 3 + 200 * 15) / 1e6, 1e-9)
    for (const cache of ["keys", "entries", "trees"])
      assert.isAbove(after.valueOf("cairn_cache_lookups_total", { cache }), 0, cache)
    assert.isAbove(after.valueOf("cairn_database_connections"), 0)
    assert.isAbove(after.valueOf("cairn_disk_bytes", { kind: "free" }), 0)
    assert.strictEqual(grown("cairn_sandbox_commands_total", { outcome: "ok" }), 1)
    for (const kind of ["resident", "heap"])
      assert.isAbove(after.valueOf("cairn_memory_bytes", { kind }), 2 ** 20, kind)
    assert.isAbove(after.valueOf("cairn_memory_limit_bytes"), 2 ** 20)
    assert.isAbove(after.valueOf("cairn_processor_seconds"), 0)
    // looked at ten times a second
    await vi.waitFor(async () => {
      const now = await scrape(port)
      assert.isAbove(now.valueOf("cairn_event_loop_delay_seconds"), after.valueOf("cairn_event_loop_delay_seconds"))
    }, 60_000)
    await vi.waitFor(
      async () => assert.isAtLeast((await scrape(port)).valueOf("cairn_packs_total", { outcome: "ok" }), 1),
      {
        timeout: 60_000,
        interval: 200
      }
    )
    await vi.waitFor(async () => {
      const { valueOf } = await scrape(port)
      assert.strictEqual(valueOf("cairn_index_snippets"), 1)
      assert.strictEqual(valueOf("cairn_read_model_lag"), 0)
      assert.strictEqual(valueOf("cairn_reaction_lag"), 0)
      assert.strictEqual(valueOf("cairn_index_lag"), 0)
    }, 60_000)
  })

  it("tells chats that run, and those that wait for one before", async () => {
    const counts = async () => {
      const { valueOf } = await scrape(port)
      return ["running", "waiting"].map((state) => valueOf("cairn_chats", { state }))
    }
    assert.deepStrictEqual(await counts(), [0, 0])
    const chats = [chat("one that waits"), chat("another that waits")]
    try {
      await vi.waitFor(async () => assert.deepStrictEqual(await counts(), [1, 1]), 60_000)
    } finally {
      held.resolve()
    }
    for (const { json } of await Promise.all(chats)) assert.isTrue(json.success)
    await vi.waitFor(async () => assert.deepStrictEqual(await counts(), [0, 0]), 60_000)
  })

  it("has the metrics that are declared, with their labels, and no others", async () => {
    const kinds = { counter: "COUNTER", gauge: "GAUGE", histogram: "HISTOGRAM" }
    const { families, labelled } = await scrape(port)
    const declared = new Map(metrics.map((one) => [one.name, one]))
    for (const family of families) {
      const { name, help, type } = family
      const one = declared.get(name)
      assert.isDefined(one, name)
      assert.deepStrictEqual([help, type], [one!.description, kinds[one!.kind]])
      for (const { labels = {} } of labelled(family)) assert.sameMembers(Object.keys(labels), [...one!.labels], name)
    }
    // what nothing has happened of yet has no series
    const absent = ["cairn_log_appends_failed_total"]
    assert.sameMembers(
      [...declared.keys()].filter((name) => !absent.includes(name)),
      families.map(({ name }) => name).filter((name) => !absent.includes(name))
    )
  })

  it("has no more series for what callers make up, and none of their words", async () => {
    await service.call("GET", `/api/workspaces/${mark}`)
    await service.call("GET", `/${mark}`)
    await raw("/", "PROPFIND", {})
    await chat("x", { model: mark })
    const seriesOf = ({ families, labelled }: Awaited<ReturnType<typeof scrape>>) =>
      families.flatMap((family) => labelled(family).map(({ labels }) => `${family.name} ${JSON.stringify(labels)}`))
    const before = await scrape(port)
    for (let n = 0; n < 20; n++) {
      const word = `${mark}-${n}`
      await service.call("GET", `/api/workspaces/${word}`)
      await service.call("GET", `/${word}`, undefined, { "x-request-id": word, "user-agent": word })
      await search(word)
      await raw("/", ["PROPFIND", "MKCOL", "REPORT"][n % 3]!, {})
      await chat("x", { model: word })
    }
    const after = await scrape(port)
    assert.sameMembers(seriesOf(after), seriesOf(before))
    assert.notInclude(after.text, mark)
  })

  it("is at this machine's own address alone, under its own name, and nothing else is there", async () => {
    const foreign = await raw("/metrics", "GET", { host: "evil.example" }, port)
    assert.strictEqual(foreign, 421)
    assert.strictEqual(await raw("/api/models", "GET", {}, port), 404)
    assert.strictEqual(await raw("/metrics", "POST", {}, port), 404)
    assert.strictEqual((await service.call("GET", "/metrics")).status, 404)
    const others = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
    for (const { address } of others.filter(({ internal, family }) => !internal && family === "IPv4")) {
      const reached = await fetch(`http://${address}:${port}/metrics`).then(
        () => true,
        () => false
      )
      assert.isFalse(reached, address)
    }
  })

  it("has a sister in /ready, which says of each reaction how it gets on", async () => {
    const { reactions } = (await service.call("GET", "/ready")).json
    assert.includeMembers(Object.keys(reactions), ["move_refs", "store_uploads", "erase_users"])
    for (const state of Object.values(reactions)) assert.include(["ok", "behind"], state)
  })

  it("says in one line that its port is taken", async () => {
    const failed = await startService({ CAIRN_METRICS_PORT: String(port) }).then(
      () => undefined,
      (error) => error
    )
    assert.match(
      String(failed?.message),
      new RegExp(`^can't listen at 127.0.0.1:${port} \\(EADDRINUSE\\). Set CAIRN_METRICS_PORT`)
    )
  })
})
