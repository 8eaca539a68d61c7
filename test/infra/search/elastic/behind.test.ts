import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { newName } from "#test/elasticsearch/index.ts"
import { startProxy } from "#test/elasticsearch/proxy.ts"
import { isHere, shared } from "#test/elasticsearch/shared.ts"
import { calls, type MessagesApi, says, startMessagesApi } from "#test/MessagesApi.ts"
import { done } from "#test/mcp/rpc.ts"
import { startCliWith } from "#test/service/process.ts"
import { newInstallation, ownerKey, removeInstallation, type Service, startService } from "#test/service.ts"
import { stored } from "../../../http/store.ts"

const [url] = (isHere ? await shared() : ["http://127.0.0.1:9"]) as [string]

const task = "quince task"
const told = "What was stored last may be missing"

describe.skipIf(!isHere)("an index that is further behind than anybody waits for", () => {
  const installation = newInstallation()
  let proxy: Awaited<ReturnType<typeof startProxy>>
  let api: MessagesApi
  let service: Service
  let letGo: () => void
  beforeAll(async () => {
    proxy = await startProxy(url)
    api = await startMessagesApi(({ body }) =>
      body.messages.length === 1 ? calls({ name: "SearchSnippets", input: { task } }) : says("Done.")
    )
    service = await startService(
      {
        ELASTICSEARCH_URL: proxy.url,
        ELASTICSEARCH_INDEX: newName(),
        CAIRN_READ_PATIENCE_MS: "200",
        ANTHROPIC_API_KEY: api.key,
        ANTHROPIC_BASE_URL: api.url
      },
      await installation
    )
    // it reads on by itself, but gets nothing in
    letGo = proxy.hold(/_bulk/)
    await stored(service.call, "quince", { public: true, user_vote: 1 })
  })
  afterAll(async () => {
    letGo?.()
    await service?.close()
    await api?.close()
    proxy?.stop()
    removeInstallation(await installation)
  })

  const search = () => service.call("POST", "/api/retrieve/search", { task })

  it("says so in each answer that has nothing, head and body", async () => {
    const asked = [
      ["/api/retrieve/search", { task }, "matches"],
      ["/api/retrieve/few-shot-examples", { task }, "examples"],
      ["/api/snippets/public/search", { query: task }, "snippets"]
    ] as const
    for (const [path, body, rows] of asked) {
      const { status, headers, json } = await service.call("POST", path, body)
      assert.deepStrictEqual([status, headers.get("cairn-stale"), json.stale], [200, "true", true], path)
      assert.deepStrictEqual(json[rows], [], path)
    }
  })

  it("says so to whoever reads a page or a command line, and sees no head", async () => {
    const page = await service.call("GET", `/public?q=${encodeURIComponent(task)}`)
    assert.include(page.text, "Nothing found")
    assert.include(page.text, "The newest snippets may be missing: search again in a moment.")
    const environment = { CAIRN_API_KEY: ownerKey, CAIRN_URL: service.url }
    const { output, ended } = startCliWith(await installation, environment, "search", task)
    assert.strictEqual(await ended, 0, output.text)
    assert.include(output.text, "Nothing is found.")
    assert.include(output.text, told)
  })

  it("says so to agents, over MCP and in a chat", async () => {
    const { text, structure } = await done(service.url, ownerKey, "search", { task })
    assert.include(text, "Nothing was found.")
    assert.include(text, told)
    assert.isTrue(structure.stale)
    await service.call("POST", "/api/agent-chat", { user_query: "find it", user_id: "ada", org_id: "acme" })
    const last = api.requests.at(-1)!.body.messages.at(-1)!
    const [result] = last.content as unknown as ReadonlyArray<{ readonly content: string }>
    const found = JSON.parse(result!.content)
    assert.deepStrictEqual(found.matches, [])
    assert.include(found.note, told)
  })

  it("says nothing of it when it has caught up", async () => {
    letGo()
    await vi.waitFor(async () => assert.isNull((await search()).headers.get("cairn-stale")), { timeout: 60_000 })
    const { json } = await search()
    assert.deepStrictEqual([json.matches.length, json.stale], [1, undefined])
    assert.notInclude((await done(service.url, ownerKey, "search", { task })).text, told)
  })
})
