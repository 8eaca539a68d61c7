import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Call } from "#test/service/call.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { findByName, remove, source, stored } from "./store.ts"

let service: Service
let call: Call
beforeAll(async () => {
  service = await startService()
  call = (await organization(service, "PRO")).call
})
afterAll(() => service.close())

const search = async (query: string, more: object = {}, by: Call = call, headers = {}) => {
  const { status, json, text } = await by("POST", "/api/raw/search", { query, ...more }, headers)
  assert.strictEqual(status, 200, text)
  return json
}
const page = (id: string, by: Call = call, headers = {}) => by("GET", `/raw/${id}.md`, undefined, headers)
const idOf = async (name: string, by: Call = call, headers = {}) => (await findByName(by, name, headers))!.code_block.id

describe("searching logs", () => {
  it("finds what uploads and runs printed, best first, around the hit", async () => {
    const filler = "all is well here\n".repeat(100)
    const logs = `${filler}Traceback: ModuleNotFoundError: No module named 'walrus'\n${filler}`
    await stored(call, "noisy", { task: "count walruses", execution_logs: logs })
    await stored(call, "weak", { execution_logs: "the module was fine" })
    const id = await idOf("noisy")
    const found = await search("no module walrus")
    assert.deepStrictEqual([found.total_found, found.has_more], [2, false])
    const { score, preview, created_at, ...first } = found.matches[0]
    assert.deepStrictEqual(first, {
      snippet_id: id,
      name: "noisy",
      language: "python",
      raw_markdown_url: `/raw/${id}.md`,
      filename: "noisy.py",
      triggering_query: "count walruses",
      log_url: null
    })
    assert.include(preview, "No module named 'walrus'")
    assert.isAtMost(preview.length, 310)
    assert.isAbove(score, found.matches[1].score)
    assert.isFalse(Number.isNaN(Date.parse(created_at)))
    assert.strictEqual((await search("modulenotfounderror")).matches[0].snippet_id, id)
    assert.strictEqual((await search("found error")).total_found, 1)
    for (const nothing of ["unobtainium", "?!", "日本"]) assert.deepStrictEqual((await search(nothing)).matches, [])

    const execution = {
      code_block_id: id,
      triggering_task: "nightly count",
      execution_state: "errored",
      duration_ms: 3,
      io: { input_data: {}, output_data: { partial: "gnu 41" } },
      error_type: "ValueError",
      error_message: "bad gnu"
    }
    assert.strictEqual((await call("POST", "/api/store/execution", execution)).status, 200)
    const gnu = await search("bad gnu")
    assert.strictEqual(gnu.matches[0].triggering_query, "nightly count")
    assert.include(gnu.matches[0].preview, "ValueError: bad gnu")
    assert.strictEqual((await search("41")).total_found, 1)
  })

  it("pages, and takes a snippet, a language and days", async () => {
    for (const n of [1, 2, 3]) await stored(call, `pager${n}`, { execution_logs: `emu run ${n}` })
    const go = "package main\n\nfunc emuGo() int { return 1 }\n"
    await stored(call, "emuGo", { file_written: { path: "emu.go", content: go }, execution_logs: "emu in go" })
    const one = await search("emu", { limit: 3 })
    const two = await search("emu", { limit: 3, offset: 3 })
    assert.deepStrictEqual([one.matches.length, one.has_more, two.matches.length, two.has_more], [3, true, 1, false])
    const ids = [...one.matches, ...two.matches].map(({ snippet_id }: { snippet_id: string }) => snippet_id)
    assert.strictEqual(new Set(ids).size, 4)
    assert.deepStrictEqual((await search("emu", { offset: 100 })).total_found, 4)
    assert.strictEqual((await search("emu", { language: "Go" })).total_found, 1)
    assert.strictEqual((await search("emu", { code_block_id: ids[0] })).total_found, 1)
    assert.strictEqual((await search("emu", { code_block_id: "pager2" })).total_found, 1)
    assert.strictEqual((await search("emu", { code_block_id: "nobody" })).total_found, 0)
    assert.strictEqual((await search("emu", { days_back: 1 })).total_found, 4)
    await service.sql("UPDATE logs_v4.logs SET created_at = created_at - interval '36 hours' WHERE snippet = $1", [
      ids[0]
    ])
    assert.strictEqual((await search("emu", { days_back: 1 })).total_found, 3)
    assert.strictEqual((await search("emu", { days_back: 2 })).total_found, 4)
    refused(await call("POST", "/api/raw/search", { query: "" }), 400, "validation/invalid_field")
    refused(await call("POST", "/api/raw/search", { query: "emu", limit: 0 }), 400, "validation/invalid_field")
  })

  it("stays in its scope, whatever is public, and forgets what is deleted", async () => {
    const inA = { "x-cairn-workspace-id": "a" }
    const everyones = { "x-cairn-public-snips": "true" }
    await stored(call, "ann", { execution_logs: "yak shaved" }, { ...inA, "x-cairn-agent-id": "ann" })
    await stored(call, "open", { execution_logs: "yak in public", public: true })
    const total = async (by: Call, headers = {}) => (await search("yak", {}, by, headers)).total_found
    assert.deepStrictEqual([await total(call), await total(call, inA)], [1, 2])
    assert.strictEqual(await total(call, { ...inA, "x-cairn-agent-id": "bob" }), 1)
    const { call: other } = await organization(service, "PRO")
    assert.deepStrictEqual([await total(other), await total(other, everyones)], [0, 0])
    assert.strictEqual((await remove(call, "open")).status, 200)
    assert.strictEqual(await total(call), 0)
    const kept = await service.sql<{ log: string }>("SELECT log FROM logs_v4.logs WHERE log LIKE '%public%'")
    assert.deepStrictEqual(kept, [])
  })

  it("takes logs and queries of any kind", async () => {
    const odd = [
      "x".repeat(5_000),
      "ﷺ".repeat(20_000),
      "a ".repeat(50_000),
      "' : & | ! \\ <-> \u2028",
      "é̂ñ 日本語のログ ١٢٣"
    ]
    for (const [n, execution_logs] of odd.entries()) await stored(call, `odd${n}`, { execution_logs })
    const words = Array.from({ length: 90_000 }, (_, n) => `${n.toString(36)}㌀`).join(" ")
    await stored(call, "distinct", { execution_logs: `${words} lastword` })
    assert.strictEqual((await search("日本語のログ")).matches[0].name, "odd4")
    for (const query of ["' & |", "a:*", "!a <-> b", "x".repeat(10_000), "word ".repeat(2_000)]) await search(query)
  })
})

describe("a snippet as Markdown", () => {
  it("has its tasks, votes, source and logs, and nothing in them ends its block", async () => {
    const nasty = `def fenced():\n    """Says \`\`\`\`\` and <script>alert(1)</script>."""\n    return "\`\`\`"\n\`\`\`\n# Not a heading\n`
    const path = { file_written: { path: "fenced.py", content: nasty } }
    await stored(call, "fenced", {
      ...path,
      task: "fence [me](http://evil) `in`\n# Not one either",
      execution_logs: "````\nout\n"
    })
    const id = (await call("POST", "/api/retrieve/search", { task: "fence me in" })).json.matches[0].code_block.id
    const { status, headers, text } = await page(id)
    assert.strictEqual(status, 200, text)
    assert.match(headers.get("content-type")!, /^text\/markdown; charset=utf-8/)
    assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
    assert.include(text, `\`\`\`\`\`\`python\n${nasty}\`\`\`\`\`\`\n`)
    assert.include(text, "`````\n````\nout\n`````\n")
    assert.include(text, "``fence [me](http://evil) `in` # Not one either``")
    const headings = text.split("\n").filter((line) => line.startsWith("# ") || line.startsWith("## "))
    assert.deepStrictEqual(
      headings.filter((line) => !line.includes("Not a heading")),
      ["# `fenced`", "## Tasks", "## Source", "## Latest logs"]
    )
  })

  it("needs a key and the scope, and gives others of a public one the code only", async () => {
    const everyones = { "x-cairn-public-snips": "true" }
    await stored(call, "shown", { public: true, task: "shown to ACME", execution_logs: "private words" })
    const id = await idOf("shown")
    const { call: other } = await organization(service, "PRO")
    refused(await page(id, other), 404, "not_found/snippet")
    const { status, text } = await page(id, other, everyones)
    assert.strictEqual(status, 200)
    assert.include(text, source("shown"))
    for (const word of ["ACME", "private words"]) {
      assert.notInclude(text, word)
      assert.include((await page(id)).text, word)
    }
    assert.include((await page(id)).text, `- Public: anybody may find it, at \`/public/${id}\``)
    assert.notInclude(text, "- Public:")
    assert.match(text, /\n## Input\n\n```json\n\{[^`]*"value"[^`]*\}\n```\n/)
    // who reads it is told whose words these are; its owner is not
    const warning = /^\*\*A public snippet of another organization\.\*\* All in code below was written by strangers/m
    assert.match(text, warning)
    assert.isBelow(text.search(warning), text.indexOf("def shown"))
    assert.notMatch((await page(id)).text, warning)
    assert.notMatch((await page(id, call, everyones)).text, warning)
    refused(await call("GET", `/raw/${id}.md`, undefined, { authorization: "" }), 401, "auth/missing_api_key")
    refused(await call("GET", `/raw/${id}`), 404, "not_found/snippet")
    refused(await call("GET", "/raw/nonsense.md"), 404, "not_found/snippet")
    assert.strictEqual((await remove(call, id)).status, 200)
    refused(await page(id), 404, "not_found/snippet")
  })
})
