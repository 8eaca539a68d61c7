import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Call } from "#test/service/call.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { findByName, matches, remove, stored, vote } from "./store.ts"

let service: Service
let call: Call
beforeAll(async () => {
  service = await startService()
  call = service.call
})
afterAll(() => service.close())

/** The one snippet with this name; fails when a search does not see it. */
const seen = async (name: string) => {
  const match = await findByName(call, name)
  assert.isDefined(match, `${name} is not found`)
  return match!
}
const send = (path: string, content: string) =>
  stored(call, "unused", { task: "one task", file_written: { path, content } })

describe("voting", () => {
  it("moves the counts in the next read, and bad ones drop out of a search", async () => {
    await stored(call, "sinking")
    const { code_block, score } = await seen("sinking")
    const answer = await vote(call, code_block.id, false)
    assert.deepStrictEqual([answer.status, answer.json.success], [200, true])
    assert.isBoolean(answer.json.vote_pending)
    assert.match(answer.headers.get("cairn-position") ?? "", /^\d+$/)
    const sunk = await seen("sinking")
    assert.deepInclude(sunk, { thumbs_up: 0, thumbs_down: 1 })
    assert.isBelow(sunk.score, score)
    assert.strictEqual(sunk.code_block.updated_at, code_block.updated_at)
    for (let n = 0; n < 2; n++) await vote(call, code_block.id, false, { task: `t${n}` })
    const names = async (more: object) =>
      (await matches(call, "sinking task", { top_k: 100, ...more })).map(({ code_block }) => code_block.name)
    // (0 + 2) / (3 + 4) = 0.29
    assert.notInclude(await names({}), "sinking")
    assert.include(await names({ min_verdict_score: 0.28 }), "sinking")
    assert.notInclude(await names({ min_verdict_score: 0.29 }), "sinking")
    assert.include(await names({ min_verdict_score: 0 }), "sinking")
    await vote(call, code_block.id)
    assert.include(await names({}), "sinking")
    assert.deepInclude(await seen("sinking"), { thumbs_up: 1, thumbs_down: 3 })
  })

  it("needs an id and a verdict only, and knows no foreign or made-up id", async () => {
    await stored(call, "voted")
    const { code_block } = await seen("voted")
    const bare = await call("POST", "/api/store/cache-usage", { code_block_id: code_block.id, succeeded: true })
    assert.strictEqual(bare.status, 200)
    const named = { code_block_name: "voted.py", code_block_description: "", task: "" }
    assert.strictEqual((await vote(call, code_block.id, true, named)).status, 200)
    // the id alone says which
    const against = { code_block_name: "another.py", code_block_description: "Another." }
    assert.strictEqual((await vote(call, code_block.id, false, against)).status, 200)
    assert.deepInclude(await seen("voted"), { thumbs_up: 2, thumbs_down: 1 })
    const other = await organization(service, "ENTERPRISE")
    for (const id of ["voted", "00000000-0000-4000-8000-000000000000", "' OR 1=1"]) {
      refused(await vote(call, id), 404, "not_found/snippet")
    }
    refused(await vote(other.call, code_block.id), 404, "not_found/snippet")
    refused(await remove(other.call, code_block.id), 404, "not_found/snippet")
    refused(await remove(other.call, "voted"), 404, "not_found/snippet")
    assert.strictEqual((await seen("voted")).thumbs_up, 2)
    assert.isUndefined(await findByName(other.call, "voted"))
    assert.isUndefined(await findByName(other.call, "voted", { "x-cairn-public-snips": "true" }))
  })
})

describe("deleting", () => {
  it("works as older clients ask for it", async () => {
    await stored(call, "older")
    const { code_block } = (await findByName(call, "older"))!
    const old = () => call("DELETE", `/api/store/code-block/${code_block.id}`)
    assert.deepInclude((await old()).json, { success: true, deleted_count: 1 })
    assert.isUndefined(await findByName(call, "older"))
    refused(await old(), 404, "not_found/snippet")
  })

  it("takes a name that one snippet has, and names the ids where several have it", async () => {
    await stored(call, "byname")
    assert.strictEqual((await remove(call, "byname")).json.deleted_count, 1)
    refused(await remove(call, "byname"), 404, "not_found/snippet")
    for (const n of [1, 2]) await send("twins.py", `def twins():\n    return ${n}\n`)
    const ids = (await matches(call, "twins", { top_k: 100 }))
      .filter(({ code_block }) => code_block.name === "twins")
      .map(({ code_block }) => code_block.id)
    assert.strictEqual(ids.length, 2)
    const ambiguous = refused(await remove(call, "twins"), 409, "conflict/ambiguous_name")
    for (const id of ids) assert.include(ambiguous.message, id)
    assert.strictEqual((await remove(call, ids[0]!)).status, 200)
    assert.strictEqual((await remove(call, "twins")).status, 200)
    assert.notInclude(
      (await matches(call, "twins", { top_k: 100 })).map(({ code_block }) => code_block.name),
      "twins"
    )
  })
})
