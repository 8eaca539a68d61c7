import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Call, Headers } from "#test/service/call.ts"
import { organization, personal } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { findByName, matches, source, stored, upload, vote } from "./store.ts"

let service: Service
let call: Call
beforeAll(async () => {
  service = await startService()
  call = (await organization(service, "PRO")).call
})
afterAll(() => service.close())

const search = async (task: string, more: object = {}, headers: Headers = {}) => {
  const { status, json, text } = await call("POST", "/api/retrieve/search", { task, ...more }, headers)
  assert.strictEqual(status, 200, text)
  return json
}
const names = (json: { readonly matches: ReadonlyArray<{ readonly code_block: { readonly name: string } }> }) =>
  json.matches.map(({ code_block }) => code_block.name)
const send = (name: string, content: string, more: object = {}) =>
  stored(call, name, { file_written: { path: `${name}.py`, content }, ...more })

describe("a search", () => {
  it("takes a misspelt word for one that a snippet has, and says so; another tenant's words are none", async () => {
    await send("xylophone", "def xylophone(bars):\n    return bars\n", { task: "tune a xylophone" })
    const misspelt = await search("tune a xylohpone", { explain: true })
    assert.strictEqual(names(misspelt)[0], "xylophone")
    assert.deepStrictEqual(misspelt.mended, [{ asked: "xylohpone", found: ["xylophone"] }])
    const [word] = misspelt.matches[0].explanation.words.filter(({ asked }: { asked?: string }) => asked !== undefined)
    assert.deepStrictEqual([word.asked, word.word], ["xylohpone", "xylophone"])
    assert.deepStrictEqual((await search("tune a xylohpone", { explain: true })).mended, misspelt.mended)
    assert.deepStrictEqual((await search("tune a xylophone")).mended, [])
    // also from memory
    const [, again] = [await search("xylohpone"), await search("xylohpone")]
    assert.deepStrictEqual([again.cache_hit, again.mended], [true, misspelt.mended])
    const stranger = await organization(service, "PRO")
    const { json } = await stranger.call("POST", "/api/retrieve/search", { task: "tune a xylohpone" })
    assert.deepStrictEqual([json.matches, json.mended], [[], []])
  })

  it("finds by words of other languages, with their accents or without", async () => {
    await send("groesse", "def groesse(pfad):\n    return pfad\n", { task: "Die Größe einer Prüfdatei ermitteln" })
    await send("cancion", "def cancion(letra):\n    return letra\n", { task: "reproducir una canción española" })
    await send("jiaohuan", "def jiaohuan(ju):\n    return ju\n", { task: "交换矩阵的行和列" })
    for (const [task, name] of [
      ["Prüfdateien", "groesse"],
      ["prufdatei", "groesse"],
      ["CANCION", "cancion"],
      ["canciones", "cancion"],
      ["矩阵", "jiaohuan"]
    ] as const)
      assert.strictEqual(names(await search(task))[0], name, task)
  })

  it.each([
    ["stop words", "the of and to a"],
    ["signs", "!!! ??? ... ### $$$ (){}[]"],
    ["emoji", "🦄🎉👩‍👩‍👧‍👦"],
    ["one letter", "x"],
    ["a hundred thousand marks", "\u0301\u0345".repeat(50_000)],
    ["letters with marks", "x\u0301".repeat(50_000)],
    ["a megabyte without a space", "aB".repeat(500_000)],
    ["Chinese without a space", "计算两个日期之间的天数".repeat(10_000)],
    ["Thai", "คำนวณจำนวนวัน".repeat(8_000)],
    ["Khmer", "គណនាចំនួនថ្ងៃ".repeat(8_000)],
    [
      "misspelt words alone",
      Array.from({ length: 20_000 }, (_, n) => `qxz${n.toString(26).replace(/[0-9]/g, "v")}zzq`).join(" ")
    ]
  ])("answers a task of %s", async (_, task) => {
    const { matches, total_found } = await search(task)
    assert.isAtLeast(total_found, matches.length)
  })

  it("prefers what is complete, when told", async () => {
    const body = Array.from({ length: 25 }, (_, n) => `    value += ${n}`).join("\n")
    const task = "walrus counting"
    await send("stub", `def stub(value):\n    """Counting walrus."""\n    pass\n`, { task })
    await send("whole", `def whole(value):\n    """Counting walrus."""\n${body}\n    return value\n`, { task })
    const plain = await search(task)
    const complete = await search(task, { prefer_complete: true })
    const scores = (json: typeof plain) =>
      new Map(
        json.matches.map((one: never) => [
          (one as { code_block: { name: string } }).code_block.name,
          (one as { score: number }).score
        ])
      )
    // short, but it works
    const counts = `def counts(walruses):\n    """Counting walrus."""\n    return sum(walruses)\n`
    await send("counts", counts, { task })
    const now = names(await search(task, { prefer_complete: true }))
    assert.isBelow(now.indexOf("counts"), now.indexOf("stub"))
    assert.strictEqual(names(complete)[0], "whole")
    const gained = (name: string) => (scores(complete).get(name) as number) - (scores(plain).get(name) as number)
    assert.isAbove(gained("whole"), 0)
    assert.isBelow(gained("stub"), 0)
  })

  it("leaves out what can't be called with what the caller has, also from the count", async () => {
    const task = "tapir feeding"
    const parameters: ReadonlyArray<readonly [string, string]> = [
      ["text", "path: str, depth: int"],
      ["number", "path: str, depth: float"],
      ["other", "path: bytes"],
      ["untyped", "path, depth"],
      ["none", ""]
    ]
    for (const [name, given] of parameters) {
      await send(`tapir_${name}`, `def tapir_${name}(${given}):\n    """Tapir feeding."""\n    return 1\n`, { task })
    }
    assert.strictEqual((await search(task)).total_found, 5)
    const filtered = async (input_schema: object, more = {}) => {
      const json = await search(task, { input_schema, ...more })
      return {
        names: names(json)
          .map((name) => name.replace("tapir_", ""))
          .sort(),
        total: json.total_found
      }
    }
    const both = { type: "object", properties: { path: { type: "string" }, depth: { type: "integer" } } }
    assert.deepStrictEqual(await filtered(both), { names: ["number", "text", "untyped"], total: 3 })
    const narrow = { type: "object", properties: { path: { type: "string" }, depth: { type: "number" } } }
    assert.deepStrictEqual((await filtered(narrow)).names, ["number", "untyped"])
    assert.deepStrictEqual((await filtered({ ...both, required: ["depth"] })).total, 3)
    assert.deepStrictEqual(await filtered(both, { top_k: 1 }), {
      names: [(await filtered(both, { top_k: 1 })).names[0]!],
      total: 3
    })
    const noText = { task, input_schema: { properties: { "no\u0000such": {} } } }
    const { field } = refused(await call("POST", "/api/retrieve/search", noText), 400, "validation/invalid_field")
    assert.strictEqual(field, "input_schema.properties")
    assert.deepStrictEqual((await filtered({ properties: { "it's": {}, "{}": {} } })).total, 0)
    for (const nothing of [{}, { type: "object" }]) assert.strictEqual((await filtered(nothing)).total, 5)
    // the answer is kept, and belongs to its filter
    assert.isTrue((await search(task, { input_schema: both })).cache_hit)
    assert.isFalse((await search(task, { input_schema: { ...both, description: "another" } })).cache_hit)
    const large = { properties: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`p${n}`, {}])) }
    const tooLarge = await call("POST", "/api/retrieve/search", { task, input_schema: large })
    assert.strictEqual(refused(tooLarge, 400, "validation/invalid_field").field, "input_schema")
  })

  it("asks for votes of people, when told", async () => {
    const task = "okapi grooming"
    for (const name of ["okapi_people", "okapi_service", "okapi_none"]) {
      await send(name, source(name), { task, use_service_ai_voting: false })
    }
    const idOf = async (name: string) =>
      (await search(task, { top_k: 50 })).matches.find(
        (one: { code_block: { name: string } }) => one.code_block.name === name
      ).code_block.id
    await vote(call, await idOf("okapi_people"))
    await vote(call, await idOf("okapi_people"))
    await stored(call, "okapi_service", {
      task,
      file_written: { path: "okapi_service.py", content: source("okapi_service") },
      user_vote: 1,
      vote_source: "ai",
      vote_count: 9
    })
    const by = async (min_human_upvotes: number) => {
      const json = await search(task, { min_human_upvotes })
      return [names(json).sort(), json.total_found]
    }
    assert.deepStrictEqual(await by(0), [["okapi_none", "okapi_people", "okapi_service"], 3])
    assert.deepStrictEqual(await by(2), [["okapi_people"], 1])
    assert.deepStrictEqual(await by(3), [[], 0])
    await vote(call, await idOf("okapi_people"), false)
    assert.deepStrictEqual(await by(2), [["okapi_people"], 1])
  })

  it("takes one kind, when told", async () => {
    const task = "capybara bathing"
    for (const [name, content_type] of [
      ["capy_file", undefined],
      ["capy_route", "route"],
      ["capy_script", "script"],
      ["capy_repo", "repo"]
    ] as const) {
      await send(name, source(name), { task, content_type })
    }
    const by = async (more: object) => names(await search(task, more)).sort()
    const files = ["capy_file", "capy_route", "capy_script"]
    assert.deepStrictEqual(await by({}), ["capy_file", "capy_repo", "capy_route", "capy_script"])
    assert.deepStrictEqual(await by({ result_type: "any" }), ["capy_file", "capy_repo", "capy_route", "capy_script"])
    assert.deepStrictEqual(await by({ result_type: "file" }), files)
    assert.deepStrictEqual(await by({ result_type: "repo" }), ["capy_repo"])
    assert.deepStrictEqual(await by({ content_type: "route" }), ["capy_route"])
    assert.deepStrictEqual(await by({ content_type: "script", result_type: "repo" }), [])
    const match = (await search(task, { result_type: "repo" })).matches[0]
    assert.deepStrictEqual([match.type, match.file_count, match.file_tree], ["repo", 1, "capy_repo.py"])
    const plain = (await search(task, { content_type: "route" })).matches[0]
    assert.deepStrictEqual([plain.type, "download_url" in plain], ["file", false])
  })

  it("says what it searched, and how often the code went well", async () => {
    const task = "ibex climbing"
    await send("ibex", source("ibex"), { task })
    assert.strictEqual((await findByName(call, "ibex"))?.error_resilience, 1)
    await send("ibex", source("ibex"), { task, succeeded: false })
    const { code_block, error_resilience } = (await matches(call, task, { min_verdict_score: 0 }))[0]!
    assert.strictEqual(error_resilience, 0.5)
    const run = (execution_state: string) =>
      call("POST", "/api/store/execution", {
        code_block_id: code_block.id,
        triggering_task: "t",
        execution_state,
        duration_ms: 1,
        io: { input_data: {}, output_data: null }
      })
    for (const state of ["completed", "completed", "cancelled"]) assert.strictEqual((await run(state)).status, 200)
    assert.strictEqual((await matches(call, task, { min_verdict_score: 0 }))[0]!.error_resilience, 0.75)

    const spaces = async (headers: Headers) => (await search(task, {}, headers)).search_namespaces
    assert.deepStrictEqual(await spaces({}), ["organization"])
    assert.deepStrictEqual(await spaces({ "x-cairn-workspace-id": "w" }), ["workspace", "organization"])
    const narrow = { "x-cairn-workspace-id": "w", "x-cairn-snips-desired": "client" }
    assert.deepStrictEqual(await spaces({ ...narrow, "x-cairn-public-snips": "true" }), ["workspace", "public"])
    const alone = await personal(service, "ibex@example.org")
    const { json } = await alone.call("POST", "/api/retrieve/search", { task })
    assert.deepStrictEqual(json.search_namespaces, ["personal"])
  })
})

describe("an upload", () => {
  it("votes on what was found and used, once however often it is sent, and says what it does not know", async () => {
    const { call: publisher } = await organization(service, "PRO")
    for (const name of ["used1", "used2", "unused"]) await stored(call, name, { use_service_ai_voting: false })
    await stored(publisher, "foreign", {})
    const idOf = async (name: string, by = call) => (await findByName(by, name))!.code_block.id
    const ids = { used1: await idOf("used1"), used2: await idOf("used2"), foreign: await idOf("foreign", publisher) }
    const cached = [ids.used1, ids.used2, ids.used1, ids.foreign, "not-an-id"].map((code_block_id) => ({
      code_block_id,
      filename: "x.py",
      description: "d"
    }))
    const key = { "idempotency-key": "used" }
    const send = () => upload(call, "fresh", { cached_code_blocks: cached, run_url: "https://example.org/1" }, key)
    const first = await send()
    assert.strictEqual(first.status, 200, first.text)
    assert.include(first.json.message, "2 snippets that were used")
    assert.include(first.json.message, "2 ids in cached_code_blocks are unknown")
    assert.deepStrictEqual((await send()).json, first.json)
    const counts = async (name: string, by = call) => {
      const match = (await findByName(by, name))!
      return [match.thumbs_up, match.thumbs_down]
    }
    assert.deepStrictEqual(await counts("used1"), [1, 0])
    assert.deepStrictEqual(await counts("used2"), [1, 0])
    assert.deepStrictEqual(await counts("unused"), [0, 0])
    assert.deepStrictEqual(await counts("foreign", publisher), [0, 0])
    await stored(call, "failed", { succeeded: false, cached_code_blocks: [cached[0]], vote_source: "human" })
    assert.deepStrictEqual(await counts("used1"), [1, 1])
    const { json } = await call("GET", "/api/events?type=VoteCast&limit=1000")
    const sources = json.events
      .filter(({ stream }: { stream: string }) => stream === `snippet-${ids.used1}`)
      .map(({ data }: { data: { source: string } }) => data.source)
    assert.deepStrictEqual(sources, ["ai", "human"])
  })
})

describe("a code block", () => {
  const block = {
    name: "Quokka counter",
    source: "def count(xs):\n    return len(xs)\n",
    entrypoint: "count",
    language: "Python"
  }
  const store = (more: object = {}, by = call) => by("POST", "/api/store/code-block", { ...block, ...more })

  it("is stored as it is described, and the rest is read off its source", async () => {
    const described = {
      description: "Counts quokkas",
      language_version: "3.12",
      dependencies: ["numpy"],
      tags: ["animals"],
      capabilities: ["counting"],
      example_queries: ["how many quokkas"],
      input_schema: { type: "object", properties: { xs: { type: "array" } } },
      output_schema: { type: "integer" }
    }
    const { status, json, text } = await store(described)
    assert.strictEqual(status, 200, text)
    assert.deepStrictEqual([json.success, json.embedding_id], [true, json.code_block_id])
    const { code_block, filename } = (await matches(call, "how many quokkas"))[0]!
    assert.deepInclude(code_block, {
      id: json.code_block_id,
      name: block.name,
      source: block.source,
      entrypoint: "count",
      language: "python",
      description: "Counts quokkas",
      language_version: "3.12",
      dependencies: { numpy: "" },
      capabilities: ["counting"],
      example_queries: ["how many quokkas"],
      input_schema: described.input_schema,
      output_schema: described.output_schema
    } as never)
    assert.include((code_block as never as { tags: Array<string> }).tags, "animals")
    assert.strictEqual(filename, "Quokka_counter.py")
    // the same code is the same snippet, also when it comes as a file
    assert.strictEqual((await store({ name: "Another" })).json.code_block_id, json.code_block_id)
    const again = await stored(call, "x", { file_written: { path: "x.py", content: block.source } })
    assert.strictEqual(again.snippet_name, block.name)
    const bare = await store({
      source: "def tally(xs: list[int]) -> int:\n    return len(xs)\n",
      name: "Tally",
      entrypoint: ""
    })
    const tally = (await matches(call, "tally"))[0]!.code_block
    assert.deepInclude(tally, { id: bare.json.code_block_id, entrypoint: "tally" })
    assert.include(JSON.stringify((tally as never as { input_schema: object }).input_schema), "xs")
  })

  it("names all that is missing", async () => {
    const { errors } = refused(await call("POST", "/api/store/code-block", {}), 400, "validation/invalid_field")
    assert.sameMembers(
      errors.map(({ field }) => field),
      ["name", "source", "entrypoint", "language"]
    )
    refused(await store({ source: "" }), 400, "validation/invalid_field")
  })
})
