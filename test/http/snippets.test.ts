import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Call } from "#test/service/call.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { findByName, matches, remove, source, stored, upload, vote } from "./store.ts"

let service: Service
let call: Call
beforeAll(async () => {
  service = await startService()
  call = service.call
})
afterAll(() => service.close())

/** The one snippet with this name; fails when a search does not see it. */
const seen = async (name: string, headers = {}) => {
  const match = await findByName(call, name, headers)
  assert.isDefined(match, `${name} is not found`)
  return match!
}
const send = (path: string, content: string, more: object = {}) =>
  stored(call, "unused", { task: "one task", file_written: { path, content }, ...more })

describe("uploading", () => {
  it("answers what was stored, and the next search has it whole", async () => {
    const answer = await stored(call, "whole", { dependencies: { numpy: "2.1" }, tags: ["math"] })
    assert.deepStrictEqual([answer.code_blocks_stored, answer.snippet_name], [1, "whole"])
    assert.match(answer.status_url, /^\/api\/store\/status\/[0-9a-f-]{36}$/)
    const { code_block, ...match } = await seen("whole")
    assert.deepInclude(code_block, {
      name: "whole",
      source: source("whole"),
      language: "python",
      entrypoint: "whole",
      tags: ["math"],
      dependencies: { numpy: "2.1" },
      example_queries: ["whole task"],
      agent_id: null,
      language_version: null,
      description: "Does whole."
    } as never)
    for (const [field, value] of Object.entries(code_block)) {
      if (field !== "language_version" && field !== "agent_id") assert.isNotNull(value, field)
    }
    assert.deepInclude(match, {
      thumbs_up: 0,
      thumbs_down: 0,
      filename: "whole.py",
      language: "python",
      entrypoint: "whole",
      verdict_score: 0.5,
      functions: null,
      comments: [],
      dependencies: { numpy: "2.1" }
    } as never)
    assert.isTrue(match.score > 0 && match.score <= 1)
    assert.isTrue(match.vector_score > 0 && match.vector_score <= 1)
    assert.strictEqual(match.combined_score, match.score)
    assert.strictEqual(new Date(code_block.created_at).toISOString(), code_block.created_at)
  })

  it("tells the language of each file, of the match and of its code alike", async () => {
    const files = [
      ["lynx.ts", "export const lynx = (n: number): number => n\n", "typescript", "lynx"],
      ["caracal.go", "package a\n\nfunc Caracal(n int) int { return n }\n", "go", "Caracal"],
      ["serval.sql", "select 1 as serval\n", "sql", ""]
    ] as const
    for (const [path, content] of files) await send(path, content, { task: "list the wild cats" })
    const found = await matches(call, "list the wild cats", { top_k: 100 })
    for (const [path, content, language, entrypoint] of files) {
      const { code_block, ...match } = found.find((one) => one.code_block.source === content)!
      for (const one of [code_block, match])
        assert.deepInclude(one as object, { language, entrypoint, dependencies: {} }, path)
      assert.strictEqual(match.filename, path)
    }
  })

  it("makes one snippet of the same code, with every task and vote; after a delete a new one", async () => {
    const first = await stored(call, "same", { user_vote: 1 })
    const { created_at } = (await seen("same")).code_block
    const again = await stored(call, "same", {
      task: "another errand",
      user_vote: 1,
      dependencies: { b: "2" },
      file_written: { path: "/elsewhere/renamed.py", content: source("same") }
    })
    assert.deepStrictEqual(
      [again.code_blocks_stored, again.snippet_name, again.message],
      [first.code_blocks_stored, "same", first.message]
    )
    const { code_block, thumbs_up, filename } = await seen("same")
    assert.deepStrictEqual([thumbs_up, filename], [2, "same.py"])
    assert.deepStrictEqual(code_block.example_queries, ["same task", "another errand"])
    assert.deepStrictEqual(code_block.dependencies, { b: "2" })
    // when it came, and when it was last added to
    const { events } = (await call("GET", `/api/events?limit=1000&stream=snippet-${code_block.id}`)).json
    const at = (type: string) => events.find((event: { type: string }) => event.type === type).recorded_at
    assert.deepStrictEqual([created_at, code_block.created_at], [at("SnippetUploaded"), at("SnippetUploaded")])
    assert.strictEqual(code_block.updated_at, at("TaskAdded"))
    assert.isAbove(Date.parse(code_block.updated_at), Date.parse(created_at))
    assert.deepStrictEqual((await matches(call, "another errand"))[0]?.code_block.id, code_block.id)

    assert.strictEqual((await remove(call, code_block.id)).json.deleted_count, 1)
    assert.isUndefined(await findByName(call, "same"))
    await stored(call, "same", { task: "same task once more" })
    const anew = await seen("same")
    assert.notStrictEqual(anew.code_block.id, code_block.id)
    assert.deepStrictEqual([anew.thumbs_up, anew.code_block.example_queries], [0, ["same task once more"]])
    refused(await remove(call, code_block.id), 404, "not_found/snippet")
    refused(await vote(call, code_block.id), 404, "not_found/snippet")
  })

  it("counts votes by vote_count, and tells people's from the service's", async () => {
    const given = [
      ["human", { user_vote: 1, vote_count: 100 }, "human", null],
      ["byai", { user_vote: 1, vote_source: "ai" }, "ai", null],
      ["down", { user_vote: -1, vote_source: "ai", vote_count: 2 }, "ai", null],
      ["bycli", { user_vote: -1, vote_count: 3, vote_source: "cli" }, "human", "cli"]
    ] as const
    for (const [name, more] of given) await stored(call, name, more)
    assert.deepInclude(await seen("human"), { thumbs_up: 100, thumbs_down: 0 })
    assert.deepInclude(await seen("bycli"), { thumbs_up: 0, thumbs_down: 3 })
    assert.deepInclude(await seen("byai"), { thumbs_up: 1, thumbs_down: 0 })
    assert.deepInclude(await seen("down"), { thumbs_up: 0, thumbs_down: 2 })
    const { json } = await call("GET", "/api/events?type=VoteCast&limit=1000")
    for (const [name, , source, origin] of given) {
      const { code_block } = await seen(name)
      const [cast] = json.events.filter(({ stream }: { stream: string }) => stream === `snippet-${code_block.id}`)
      assert.deepStrictEqual([cast.data.source, cast.data.text.origin], [source, origin])
    }
  })

  it("notes that a grading is due unless a vote is given or it is switched off", async () => {
    const due = async (name: string, more: object) => (await stored(call, name, more)).status_url !== null
    assert.deepStrictEqual(
      [
        await due("gone1", {}),
        await due("gone2", { use_service_ai_voting: false }),
        await due("gone3", { use_raysurfer_ai_voting: false }),
        await due("gone4", { auto_vote: false }),
        await due("gone5", { user_vote: -1 }),
        await due("gone6", { use_service_ai_voting: null, user_vote: null }),
        await due("gone7", { user_vote: 1, use_service_ai_voting: true })
      ],
      [true, false, false, false, false, true, false]
    )
  })

  it("takes null for absent, and what older clients send", async () => {
    const nulls = Object.fromEntries(
      ["user_vote", "execution_logs", "run_url", "dependencies", "vote_source", "vote_count", "cached_code_blocks"].map(
        (field) => [field, null]
      )
    )
    await stored(call, "nulls", { ...nulls, surprise: null, files_written: null })
    assert.deepInclude(await seen("nulls"), { thumbs_up: 0, thumbs_down: 0 })
    await stored(call, "listed", { dependencies: ["numpy", "pandas"] })
    assert.deepStrictEqual((await seen("listed")).code_block.dependencies, { numpy: "", pandas: "" })
    await stored(call, "versionless", { dependencies: { numpy: null } })
    assert.deepStrictEqual((await seen("versionless")).code_block.dependencies, { numpy: "" })
    const files_written = ["legacy1", "legacy2"].map((name) => ({ path: `${name}.py`, content: source(name) }))
    const answer = await stored(call, "legacy", { file_written: undefined, files_written })
    assert.strictEqual(answer.code_blocks_stored, 2)
    for (const { path } of files_written) await seen(path.replace(".py", ""))
    const search = {
      top_k: null,
      min_verdict_score: null,
      prefer_complete: null,
      input_schema: null,
      result_type: "any"
    }
    assert.isNotEmpty(await matches(call, "legacy1 task", search))
  })

  it("makes flat, safe filenames of whatever path came, unique within an answer", async () => {
    const task = "zebra crossing"
    const long = "n".repeat(300)
    const paths = [
      ...[
        "/etc/passwd",
        "../../evil.py",
        "..\\..\\evil.py",
        "C:\\Windows\\evil.py",
        "a/b/../evil.py",
        ".bashrc",
        "..",
        "/"
      ],
      ...[
        "con.py",
        "naïve café.py",
        "日本語.py",
        "a\u202egnp.py",
        "x\ny.py",
        "-rf.py",
        `${long}.py`,
        "evil.PY",
        "~/.ssh/id"
      ]
    ]
    for (const [n, path] of paths.entries()) await send(path, `def zebra_${n}(x):\n    return x + ${n}\n`, { task })
    const found = await matches(call, task, { top_k: 100 })
    const names = found
      .filter(({ code_block }) => code_block.entrypoint.startsWith("zebra"))
      .map(({ filename }) => filename)
    assert.strictEqual(names.length, paths.length)
    assert.strictEqual(new Set(names.map((name) => name.toLowerCase())).size, names.length)
    for (const name of names) {
      assert.match(name, /^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_.-]*\.[a-z]+$/u)
      assert.notInclude(name, "..")
      assert.isAtMost(name.length, 100)
      assert.notMatch(name, /^con\./i)
    }
    const nul = { file_written: { path: "a\u0000.py", content: "x" }, task, succeeded: true }
    assert.strictEqual(
      refused(await upload(call, "nul", nul), 400, "validation/invalid_field").field,
      "file_written.path"
    )
  })
})

describe("searching", () => {
  it("says how many there were, and when the answer is from memory", async () => {
    for (const n of [1, 2, 3]) await stored(call, `quagga${n}`, { task: `find quagga ${n}` })
    const search = async (more: object = {}) =>
      (await call("POST", "/api/retrieve/search", { task: "find quagga", top_k: 2, ...more })).json
    const first = await search()
    assert.deepStrictEqual([first.matches.length, first.cache_hit], [2, false])
    assert.isAtLeast(first.total_found, 3)
    assert.deepStrictEqual(await search(), { ...first, cache_hit: true })
    assert.isFalse((await search({ top_k: 3 })).cache_hit)
    await vote(call, first.matches[1].code_block.id)
    const moved = await search()
    assert.deepStrictEqual([moved.cache_hit, moved.matches[0].thumbs_up], [false, 1])
    const scores = moved.matches.map(({ score }: { score: number }) => score)
    assert.deepStrictEqual(
      scores,
      [...scores].sort((a: number, b: number) => b - a)
    )
  })

  it("finds by one sentence of a task of more than 200 characters", async () => {
    await stored(call, "axolotl", { task: "weigh the axolotl in its tank" })
    await stored(call, "ledger", { task: "migrate the billing ledger between customers and servers" })
    const around = "We are migrating an old billing ledger between two servers and the customers wait for it. "
    const long = `${around.repeat(3)}First weigh the axolotl in its tank. ${around.repeat(2)}`
    const found = (await matches(call, long)).map(({ code_block }) => code_block.name)
    assert.includeMembers(found.slice(0, 2), ["axolotl", "ledger"])
  })

  it("takes a task of any language and length", async () => {
    for (const task of ["日本語のタスク", "the a of", "?!", "x".repeat(100_000), "find quagga ".repeat(500)]) {
      const { status, json } = await call("POST", "/api/retrieve/search", { task })
      assert.deepStrictEqual([status, Array.isArray(json.matches)], [200, true])
    }
    assert.isNotEmpty(await matches(call, "find quagga ".repeat(500)))
  })
})
