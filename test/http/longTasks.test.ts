import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { call as tool } from "#test/mcp/rpc.ts"
import type { Call } from "#test/service/call.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { findByName, matches, source, stored } from "./store.ts"

let service: Service
let call: Call
beforeAll(async () => {
  service = await startService()
  call = service.call
})
afterAll(() => service.close())

/** More than 100,000 characters, and what is wanted at their end. */
const long = (wanted: string) => `${"There is a lot to be said before that. ".repeat(3_000)}${wanted}`
const kept = /\[… of \d+ characters the first 7400 and the last 2500 are kept …\]/

describe("a task of more than 100,000 characters", () => {
  it("is searched, and of it a part is noted and remembered", async () => {
    await stored(call, "zeppelin", { task: "steer a zeppelin" })
    const task = long("steer a zeppelin")
    const ask = (more: object = {}) => call("POST", "/api/retrieve/search", { task, ...more })
    const { status, json, text } = await ask()
    assert.strictEqual(status, 200, text)
    assert.strictEqual(json.matches[0].code_block.name, "zeppelin")
    assert.isTrue((await ask()).json.cache_hit)
    // it is noted in the background
    const noted = async () => {
      const { json } = await call("GET", "/api/events?type=SearchAnswered&limit=1000")
      const queries: ReadonlyArray<string> = json.events.map(
        ({ data }: { data: { text: { query: string } } }) => data.text.query
      )
      const query = queries.find((one) => one.length > 1_000)
      assert.isDefined(query, "the note is missing")
      return query!
    }
    const query = await vi.waitFor(noted, { timeout: 60_000 })
    assert.match(query, kept)
    assert.isAtMost(query.length, 10_000)
    const byTool = await tool(service.url, ownerKey, "search", { task })
    assert.strictEqual(byTool.structure.matches[0].code_block.name, "zeppelin")
  })

  it("comes with uploads, votes, runs and questions, and a part of it is kept", async () => {
    const task = long("tame a gryphon")
    await stored(call, "gryphon", { task })
    const [match] = await matches(call, "tame a gryphon")
    assert.strictEqual(match!.code_block.name, "gryphon")
    assert.match(match!.code_block.example_queries[0]!, kept)
    assert.isAtMost(match!.code_block.example_queries[0]!.length, 10_000)
    const { id } = match!.code_block
    for (const [path, body] of [
      ["/api/store/cache-usage", { code_block_id: id, succeeded: true, task }],
      ["/api/store/execution", { code_block_id: id, triggering_task: task, io: { input_data: {} } }],
      ["/api/store/repo", { task, files: [{ path: "wyvern.py", content: source("wyvern") }] }],
      ["/api/retrieve/task-patterns", { task }],
      ["/api/retrieve/few-shot-examples", { task }],
      ["/api/retrieve/executions", { task }]
    ] as const) {
      const { status, text } = await call("POST", path, body)
      assert.strictEqual(status, 200, `${path}: ${text}`)
    }
    const voted = await tool(service.url, ownerKey, "vote", { code_block_id: id, task })
    const uploaded = await tool(service.url, ownerKey, "upload", {
      task,
      file: { path: "basilisk.py", content: source("basilisk") }
    })
    assert.deepStrictEqual([voted.failed, uploaded.failed], [false, false])
    assert.strictEqual((await findByName(call, "gryphon"))!.thumbs_up, 2)
    const { json } = await call("GET", "/api/events?limit=1000")
    for (const event of json.events) assert.isAtMost(JSON.stringify(event).length, 40_000, event.type)
  })
})
