import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { memberKey, organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { functionsBy, tracked } from "./functions.ts"
import { refused } from "./problem.ts"
import { remove } from "./store.ts"

type Call = Service["call"]
interface Retrieved {
  readonly task: string | null
  readonly position: string
  readonly found: number
  readonly thumbs_up: number
  readonly thumbs_down: number
}

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

const find = async (task: string, call: Call = service.call, headers = {}) => {
  const { status, json, text } = await call("POST", "/api/retrieve/search", { task, top_k: 3 }, headers)
  assert.strictEqual(status, 200, text)
  return json.matches.map(({ code_block }: { code_block: { id: string } }) => code_block.id)
}
const retrievals = async (id: string, query = "", call: Call = service.call, headers = {}) => {
  const { status, json, text } = await call("GET", `/api/snippets/${id}/retrievals${query}`, undefined, headers)
  assert.strictEqual(status, 200, text)
  return json as { readonly retrievals: ReadonlyArray<Retrieved>; readonly next_cursor: string | null }
}
/** The same when there are so many: a search is noted after it was answered. */
const noted = (count: number, ...given: Parameters<typeof retrievals>) =>
  vi.waitFor(
    async () => {
      const found = await retrievals(...given)
      assert.strictEqual(found.retrievals.length, count)
      return found.retrievals
    },
    { timeout: 20_000 }
  )
const store = (call: Call, name: string, source: string, more: object = {}) =>
  call("POST", "/api/store/code-block", { name, source, entrypoint: name, language: "python", ...more })

describe("the searches that found a snippet", () => {
  it("are told with their task and the votes behind them, the latest first, page by page", async () => {
    const id = (await store(service.call, "zebra_stripes", "def zebra_stripes():\n    return 1\n")).json.code_block_id
    assert.include(await find("zebra stripes"), id)
    const before = await noted(1, id)
    assert.deepStrictEqual(
      before.map(({ task, thumbs_up, thumbs_down }) => [task, thumbs_up, thumbs_down]),
      [["zebra stripes", 0, 0]]
    )
    const voted = await service.call("POST", "/api/store/cache-usage", { code_block_id: id, succeeded: false })
    assert.strictEqual(voted.status, 200, voted.text)
    const other = (await store(service.call, "zebra_herd", "def zebra_herd():\n    return 2\n")).json.code_block_id
    assert.include(await find("zebra stripes of a herd"), other)
    const all = await noted(2, id)
    assert.deepStrictEqual(
      all.map(({ task, thumbs_up, thumbs_down }) => [task, thumbs_up, thumbs_down]),
      [
        ["zebra stripes of a herd", 0, 0],
        ["zebra stripes", 0, 1]
      ]
    )
    const first = await retrievals(id, "?limit=1")
    assert.deepStrictEqual(first.retrievals, all.slice(0, 1))
    const second = await retrievals(id, `?limit=1&cursor=${first.next_cursor}`)
    assert.deepStrictEqual([second.retrievals, second.next_cursor], [all.slice(1), null])
    const { json } = await service.call("GET", `/api/event/${all[1]!.position}`)
    assert.strictEqual(json.event.data.text.query, "zebra stripes")
  })

  it("are for who may know what others ask for, and never another organization's", async () => {
    const { json } = await store(service.call, "okapi", "def okapi():\n    return 'okapi'\n", { public: true })
    const id = json.code_block_id
    assert.include(await find("okapi of ours"), id)
    const { call: stranger } = await organization(service, "ENTERPRISE")
    const everyone = { "x-cairn-public-snips": "true" }
    assert.include(await find("okapi of strangers", stranger, everyone), id)
    const theirs = await noted(1, id, "", stranger, everyone)
    assert.deepStrictEqual(
      theirs.map(({ task }) => task),
      ["okapi of strangers"]
    )
    assert.deepStrictEqual(
      (await noted(1, id)).map(({ task }) => task),
      ["okapi of ours"]
    )
    // nor do theirs take a place on a page
    const only = await retrievals(id, "?limit=1")
    assert.deepStrictEqual([only.retrievals.map(({ task }) => task), only.next_cursor], [["okapi of ours"], null])
    refused(await stranger("GET", `/api/snippets/${id}/retrievals`), 404, "not_found/snippet")
    const member = service.as((await memberKey(service.call, "m@example.org")).key)
    assert.strictEqual((await member("GET", `/api/snippets/${id}/retrievals`)).status, 403)
    refused(await service.call("GET", `/api/snippets/${randomUUID()}/retrievals`), 404, "not_found/snippet")
    refused(await service.call("GET", `/api/snippets/${id}/retrievals?limit=1001`), 400, "validation/invalid_field")
    refused(await service.call("GET", `/api/snippets/${id}/retrievals?cursor=x`), 400, "validation/invalid_field")
    await remove(service.call, id)
    refused(await service.call("GET", `/api/snippets/${id}/retrievals`), 404, "not_found/snippet")
  })
})

describe("the functions of one snippet", () => {
  it("are those that a search tells, for who sees it", async () => {
    const by = functionsBy(service.call)
    await by.upload("first", tracked)
    const told = await by.functionsOf("first")
    assert.isAbove(told.length, 0)
    const { id } = (await by.found("first")).code_block
    const { status, json } = await service.call("GET", `/api/snippets/${id}/functions`)
    assert.deepStrictEqual([status, json.functions], [200, told])
    const { call: stranger } = await organization(service, "ENTERPRISE")
    refused(await stranger("GET", `/api/snippets/${id}/functions`), 404, "not_found/snippet")
    refused(await service.call("GET", "/api/snippets/none/functions"), 404, "not_found/snippet")
  })
})
