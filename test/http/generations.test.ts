import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Call } from "#test/service/call.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { remove, source, upload } from "./store.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** Put together here, so that nobody who looks through this repository takes it for a real one. */
const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`

const store = async (call: Call, name: string, description: string): Promise<string> => {
  const block = { name, source: source(name), entrypoint: name, language: "python", description }
  const { status, json, text } = await call("POST", "/api/store/code-block", block)
  assert.strictEqual(status, 200, text)
  return json.code_block_id
}

/** Stores code and deletes it, so many times; gives its ids. */
const through = async (call: Call, name: string, times: number): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>()
  for (let time = 0; time < times; time++) {
    const id = await store(call, name, "A block.")
    assert.strictEqual((await remove(call, id)).status, 200)
    ids.add(id)
  }
  return ids
}

describe("code that was stored and deleted many times", () => {
  // the second is a generation more than two looks go to
  it.each([9, 17])("%i times takes no room when it is there and is stored again", async (times) => {
    const { call } = await organization(service, "ENTERPRISE")
    const before = await through(call, "often", times)
    assert.strictEqual(before.size, times)
    const id = await store(call, "often", "A block.")
    assert.isFalse(before.has(id))
    assert.strictEqual((await call("POST", "/api/bounds", { snippets: 1 })).status, 200)
    assert.strictEqual(await store(call, "often", "A block."), id)
    refused(await upload(call, "else"), 403, "bound/reached")
    assert.strictEqual((await remove(call, id)).status, 200)
    assert.notStrictEqual(await store(call, "often", "A block."), id)
  })

  it("does not become public with what was said of it when it was private", async () => {
    const { call } = await organization(service, "PRO")
    await through(call, "secretive", 9)
    await store(call, "secretive", `Needs ${token}.`)
    const path = { file_written: { path: "secretive.py", content: source("secretive") } }
    const answer = await upload(call, "secretive", { ...path, public: true })
    assert.strictEqual(refused(answer, 400, "validation/secret_found").field, "stored.description")
    const published = "SELECT type FROM events WHERE type = 'SnippetPublished'"
    assert.deepStrictEqual(await service.sql(published, []), [])
  })
})
