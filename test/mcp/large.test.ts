import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { stored } from "#test/http/store.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { done, initialize, message, post, request } from "./rpc.ts"

const content = (n: number) => `# ${n} "gnu" 字😀\n${"    pass\n".repeat(40_000)}def gnu${n}(): pass\n`

let service: Service
beforeAll(async () => {
  service = await startService()
  for (let n = 0; n < 3; n++) {
    const file_written = { path: `gnu${n}.py`, content: content(n) }
    await stored(service.call, `gnu${n}`, { task: "gnu watching", file_written })
  }
})
afterAll(() => service.close())

const asked = { task: "gnu watching", top_k: 3 }
const found = async () => (await service.call("POST", "/api/retrieve/search", asked)).json

describe("a large answer over MCP", () => {
  it("of a search is the route's, whole, and its text no longer than an agent takes", async () => {
    const { matches, total_found } = await found()
    const { structure, text } = await done(service.url, ownerKey, "search", asked)
    assert.deepStrictEqual([structure.matches, structure.total_found], [matches, total_found])
    assert.deepStrictEqual(
      matches.map(({ code_block }: { code_block: { source: string } }) => code_block.source).sort(),
      [0, 1, 2].map(content)
    )
    assert.isBelow(text.length, 70_000)
  })

  it("comes to each of several messages at once", async () => {
    const session = await initialize(service.url, ownerKey, "2025-03-26")
    const calls = [1, 2].map((id) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "search", arguments: asked }
    }))
    const { text } = await post(service.url, ownerKey, calls, session)
    const answers = text.startsWith("[")
      ? JSON.parse(text)
      : [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, data]) => JSON.parse(data!))
    const { matches } = await found()
    const byId = new Map(answers.map((answer: { id: number }) => [answer.id, answer]))
    for (const id of [1, 2]) {
      const { result } = byId.get(id) as { result: { _meta: { "cairn/answer": { matches: unknown } } } }
      assert.deepStrictEqual(result._meta["cairn/answer"].matches, matches)
    }
  })

  it("of a snippet and of a repository's file is what was stored", async () => {
    const { matches } = await found()
    const { id } = matches[0].code_block
    const page = await request(service.url, ownerKey, "resources/read", { uri: `cairn://snippets/${id}` })
    const raw = await service.call("GET", `/raw/${id}.md`)
    assert.strictEqual(page.json.result.contents[0].text, raw.text)
    const files = [{ path: "g.py", content: content(7) }]
    const { json } = await service.call("POST", "/api/store/repo", { task: "a gnu repository", files })
    const uri = `cairn://snippets/${json.repo_id}/files/g.py`
    const file = await request(service.url, ownerKey, "resources/read", { uri })
    assert.strictEqual(file.json.result.contents[0].text, content(7))
  })

  it("leaves as it is read: no message says how long it will be", async () => {
    const { body, headers } = message("tools/call", { name: "search", arguments: asked })
    const answer = await post(service.url, ownerKey, body, headers)
    assert.isNull(answer.headers.get("content-length"))
  })
})
