import { Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { FoundExecutions } from "#src/api/Executions.ts"
import { FewShotExamples } from "#src/api/Patterns.ts"
import { PublicFound, PublicList } from "#src/api/Public.ts"
import { LogSearchResponse } from "#src/api/Raw.ts"
import { SearchResponse } from "#src/api/Snippets/search.ts"
import { inOnePiece } from "#src/http/pieces.ts"
import { type Service, startService } from "#test/service.ts"
import { recorded } from "./executed.ts"

/** Uploads that make an answer long: each line break and quote takes more room in JSON. */
const sources = Array.from({ length: 4 }, (_, n) => `# ${n} "gnu"\n${"\n".repeat(200_000)}字😀\ndef gnu${n}(): pass\n`)

let service: Service
beforeAll(async () => {
  service = await startService()
  for (const [n, content] of sources.entries()) {
    const body = {
      task: "gnu watching",
      succeeded: true,
      public: true,
      per_function_reputation: true,
      execution_logs: `seen ${"gnus and cows\n".repeat(6_000)}`,
      file_written: { path: `gnu${n}.py`, content }
    }
    assert.strictEqual((await service.call("POST", "/api/store/execution-result", body)).status, 200)
  }
  for (let n = 0; n < 2; n++)
    await recorded(service.call, `function_registry:gnu`, { io: { input_data: { a: sources[n] }, output_data: n } })
})
afterAll(() => service.close())

const routes: ReadonlyArray<readonly [path: string, body: object, schema: Schema.Top, field: string, count: number]> = [
  ["/api/retrieve/search", { task: "gnu watching", per_function_reputation: true }, SearchResponse, "matches", 4],
  ["/api/retrieve/search", { task: "nothing of the kind", top_k: 1 }, SearchResponse, "matches", 0],
  ["/api/snippets/public/list", {}, PublicList, "snippets", 4],
  ["/api/snippets/public/search", { query: "gnu watching" }, PublicFound, "snippets", 4],
  ["/api/retrieve/few-shot-examples", { task: "gnu watching" }, FewShotExamples, "examples", 3],
  ["/api/raw/search", { query: "gnus" }, LogSearchResponse, "matches", 4],
  ["/api/raw/search", { query: "okapis" }, LogSearchResponse, "matches", 0],
  ["/api/retrieve/executions", { code_block_id: "function_registry:gnu" }, FoundExecutions, "executions", 2]
]

describe("a long answer", () => {
  it.each(routes)("of %s %j is, piece by piece, what its schema writes", async (path, body, schema, field, count) => {
    const { status, text, json } = await service.call("POST", path, body)
    assert.strictEqual(status, 200, text.slice(0, 300))
    assert.lengthOf(json[field], count)
    const codec = schema as unknown as Schema.Codec<unknown, unknown>
    const written = Schema.encodeSync(codec)(Schema.decodeUnknownSync(codec)(json))
    assert.strictEqual(text, JSON.stringify(written))
  })

  it("is written so, too, where it is small", async () => {
    const small = { path: "okapi.py", content: "def okapi(legs):\n    return legs\n" }
    const body = { task: "count okapi legs", succeeded: true, file_written: small }
    assert.strictEqual((await service.call("POST", "/api/store/execution-result", body)).status, 200)
    const asked = { task: "count okapi legs", top_k: 1 }
    const { text, json } = await service.call("POST", "/api/retrieve/search", asked)
    assert.strictEqual(json.matches[0].code_block.name, "okapi")
    const codec = SearchResponse as unknown as Schema.Codec<unknown, unknown>
    assert.strictEqual(text, JSON.stringify(Schema.encodeSync(codec)(Schema.decodeUnknownSync(codec)(json))))
    // as it is where it is written piece by piece
    const { json: pieces } = await service.call("POST", "/api/retrieve/search", { ...asked, explain: true })
    const withoutReasons = pieces.matches.map(
      ({ explanation: _, ...match }: object & { explanation: unknown }) => match
    )
    assert.deepStrictEqual({ ...pieces, matches: withoutReasons }, { ...json, cache_hit: false })
    assert.deepStrictEqual((await service.call("POST", "/api/retrieve/search", asked)).json.cache_hit, true)
  })

  it.each([
    [1, "Raw"],
    [4_000, "Raw"],
    [20_000, "Stream"],
    [200_000, "Stream"]
  ])("of %s short values at once is their JSON", async (count, tag) => {
    const value = { values: Array.from({ length: count }, (_, at) => ({ at })), left: undefined, end: "字" }
    const response = inOnePiece(value)
    assert.strictEqual(response.body._tag === "Stream" ? "Stream" : "Raw", tag)
    const text = await HttpServerResponse.toWeb(response).text()
    assert.strictEqual(text, JSON.stringify(value))
  })

  it("of a repository is the files as they were stored", async () => {
    const files = sources.map((content, n) => ({ content, path: `g${n}.py` }))
    const stored = await service.call("POST", "/api/store/repo", { task: "a gnu repository", files })
    const { text, json } = await service.call("GET", `/api/store/repo/${stored.json.repo_id}`)
    assert.deepStrictEqual(json.files, files)
    assert.deepStrictEqual(Object.keys(json), ["repo_id", "name", "files"])
    assert.strictEqual(text, JSON.stringify(json))
  })
})
