import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { SourceAnalysis } from "#ports/SourceAnalysis.ts"
import type { Call } from "#test/service/call.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { sendBundle } from "./bundle.ts"
import { functionsBy, report, table, traceback, tracked } from "./functions.ts"
import { stored, vote } from "./store.ts"

let service: Service
let call: Call
let by: ReturnType<typeof functionsBy>
beforeAll(async () => {
  service = await startService()
  call = service.call
  by = functionsBy(call)
})
afterAll(() => service.close())

describe("the functions of a snippet", () => {
  it("are told with all that is known of them, in order of the source", async () => {
    await by.upload("first", {
      ...tracked,
      execution_logs:
        report({ load: [4, 30, 0.5], rows: [1, 8, 0] }) + traceback("KeyError", "'id'", "<module>", "load"),
      succeeded: false,
      user_vote: -1
    })
    await by.upload("first", { ...tracked, execution_logs: report({ load: [1, 80, 0] }), user_vote: 1, vote_count: 3 })
    const [load, rows, ...others] = await by.functionsOf("first")
    assert.isEmpty(others)
    const { last_success_at, last_failure_at, fingerprint, ...rest } = load!
    assert.match(fingerprint, /^fn_[0-9a-f]{64}$/)
    const { id } = (await by.found("first")).code_block
    const { events } = (await call("GET", `/api/events?limit=1000&type=FunctionsObserved&stream=snippet-${id}`)).json
    assert.deepStrictEqual(
      [last_failure_at, last_success_at],
      events.map(({ recorded_at }: { recorded_at: string }) => recorded_at)
    )
    assert.deepStrictEqual<unknown>(rest, {
      function_name: "load",
      signature: "def load(path)",
      execution_count: 2,
      thumbs_up: 3,
      thumbs_down: 1,
      common_errors: ["KeyError: 'id'"],
      avg_output_size: 40,
      output_completeness: 0.6,
      repeat_call_rate: 0.6,
      total_logged_calls: 5,
      author_agent: null,
      reviewed_by_human: true,
      derived_from: null
    })
    assert.deepInclude(rows!, {
      function_name: "Table.rows",
      execution_count: 2,
      total_logged_calls: 1,
      repeat_call_rate: 0,
      common_errors: [],
      last_failure_at: null,
      output_completeness: 1
    })
  })

  it("are null when they are not asked for, and none when their reputation is not kept", async () => {
    await by.upload("second")
    await by.upload("third", tracked)
    const unasked = await by.found("third", call, {}, {})
    assert.deepStrictEqual<unknown>([unasked.functions, unasked.code_block.source], [null, table("third")])
    const { functions, code_block } = await by.found("second")
    assert.deepStrictEqual([functions, code_block.source], [[], table("second")])
  })

  it("have at most what went wrong most often first, and are the agent's that wrote them", async () => {
    const logs = (type: string, times: number) => traceback(type, "it", "load").repeat(times)
    const robot = { "x-cairn-agent-id": "robot" }
    await by.upload("often", { ...tracked, succeeded: false, execution_logs: logs("AError", 1) }, table("often"), robot)
    for (const [type, times] of [
      ["BError", 3],
      ["CError", 2]
    ] as const)
      await by.upload("often", { succeeded: false, execution_logs: logs(type, times) }, table("often"), robot)
    const load = await by.known("often", "load")
    assert.deepStrictEqual(load["common_errors"], ["BError: it", "CError: it", "AError: it"])
    assert.strictEqual(load["author_agent"], "robot")
  })

  it("count every run once their reputation is kept, and none before", async () => {
    await by.upload("runs", { execution_logs: report({ load: [9, 9, 0] }) })
    await by.upload("runs", tracked)
    await by.upload("runs", { execution_logs: report({ load: [2, 1, 0] }) })
    await by.fail("runs")
    assert.deepInclude(await by.known("runs", "load"), { execution_count: 3, total_logged_calls: 2 })
  })

  it("are to blame for an error when it went through them, else the entrypoint is, else all are", async () => {
    const logs = traceback("TypeError", "no path", "rows")
    await by.upload("named", { ...tracked, succeeded: false, execution_logs: logs })
    await by.upload("entry", tracked, 'def helper():\n    return "entry"\n\n\ndef entry():\n    return helper()\n')
    const methods = ["one", "two"].map((name) => `    def ${name}(self):\n        return "${name} Typed"\n`)
    await by.upload("Typed", tracked, `class Typed:\n${methods.join("\n")}`)
    for (const name of ["entry", "Typed"]) await by.fail(name)
    const blamed = async (name: string) =>
      (await by.functionsOf(name))
        .filter(({ common_errors, last_failure_at }) => (common_errors as []).length > 0 && last_failure_at !== null)
        .map(({ function_name, common_errors }) => [function_name, common_errors])
    assert.deepStrictEqual(await blamed("named"), [["Table.rows", ["TypeError: no path"]]])
    assert.deepStrictEqual(await blamed("entry"), [["entry", ["ValueError: no file"]]])
    assert.deepStrictEqual(
      (await blamed("Typed")).map(([name]) => name),
      ["Typed.one", "Typed.two"]
    )
  })

  it("tell a person's vote from the service's", async () => {
    await by.upload("judged", { ...tracked, user_vote: 1, vote_source: "ai" })
    assert.deepInclude(await by.known("judged", "Table.rows"), { thumbs_up: 1, reviewed_by_human: false })
    await vote(call, (await by.found("judged")).code_block.id, false)
    assert.deepInclude(await by.known("judged", "Table.rows"), {
      thumbs_up: 1,
      thumbs_down: 1,
      reviewed_by_human: true
    })
  })

  it("are one function in all snippets that hold it, however it is written", async () => {
    const body = "shared = path * 2\n    return shared"
    await by.upload("original", { ...tracked, user_vote: 1 }, table("original", body))
    const other = `def load(name):   # the same\n    other = name * 2\n\n    return other\n\n\ndef copied():\n    return load(1)\n`
    await by.upload(
      "copied",
      { ...tracked, user_vote: 1, vote_count: 4, execution_logs: report({ load: [3, 1, 0] }) },
      other
    )
    const [one, two] = [await by.known("original", "load"), await by.known("copied", "load")]
    assert.deepStrictEqual<unknown>(one, { ...two, signature: "def load(path)" })
    assert.deepInclude(one, { thumbs_up: 5, execution_count: 2, total_logged_calls: 3 })
    assert.deepInclude(await by.known("copied", "copied"), { thumbs_up: 4, execution_count: 1 })
  })

  it.each(["bulk", "several"])(
    "of files that came together (%s) get what the logs tell of them by name",
    async (way) => {
      const [one, two] = [`${way}_one`, `${way}_two`]
      const files_written = [one, two].map((name) => ({
        path: `${name}.py`,
        content: `def ${name}(text):\n    return text + "${name}"\n`
      }))
      const logs = report({ [one]: [2, 1, 0] }) + traceback("OSError", "full", two) + traceback("E", "x", "other")
      const more = { ...tracked, files_written, use_service_ai_voting: false }
      if (way === "bulk") {
        const log_files = [{ path: "a.log", content: logs }]
        const { json } = await sendBundle(call, [], { ...more, prompts: [`${one} task`, `${two} task`], log_files })
        assert.isTrue(json.success)
      } else {
        await stored(call, "", { ...more, task: `${one} task, ${two} task`, file_written: null, execution_logs: logs })
      }
      assert.deepInclude(await by.known(one, one), { total_logged_calls: 2, common_errors: [] })
      assert.deepInclude(await by.known(two, two), { total_logged_calls: 0, common_errors: ["OSError: full"] })
    }
  )

  it("say what they come from, where it was first seen", async () => {
    const version = (n: number) => `def evolving(x):\n    return x + ${n}\n`
    // the fourth has the first one's again
    const versions = [1, 2, 3, 1].map((n, at) => ({
      name: `evolving${at}`,
      content: `"""evolving${at}"""\n${version(n)}`
    }))
    for (const { name, content } of versions) await by.upload(name, tracked, content)
    const prints = await Promise.all(versions.map(async ({ name }) => (await by.known(name, "evolving")).fingerprint))
    assert.strictEqual(prints[3], prints[0])
    const parents = await Promise.all(
      versions.map(async ({ name }) => (await by.known(name, "evolving"))["derived_from"])
    )
    assert.deepStrictEqual(parents, [null, prints[0], prints[1], null])
    const { text } = await by.page(prints[2]!)
    assert.include(text, `1. [\`${prints[1]}\`](/api/functions/${prints[1]}.md)\n2. [\`${prints[0]}\`]`)
  })

  it("do not say to strangers that they come from what these don't see", async () => {
    const owner = functionsBy((await organization(service, "PRO")).call)
    const { call: stranger } = await organization(service, "FREE")
    const version = (name: string, n: number) => `"""${name}"""\ndef shy(x):\n    return x - ${n}\n`
    await owner.upload("shy1", tracked, version("shy1", 1))
    await owner.upload("shy2", { ...tracked, public: true }, version("shy2", 2))
    const [first] = await owner.functionsOf("shy1")
    const [second] = await owner.functionsOf("shy2")
    assert.strictEqual(second!["derived_from"], first!.fingerprint)
    const everyones = { "x-cairn-public-snips": "true" }
    const [theirs] = await owner.functionsOf("shy2", stranger, everyones)
    assert.deepStrictEqual([theirs!.fingerprint, theirs!["derived_from"]], [second!.fingerprint, null])
    const { status, text } = await owner.page(second!.fingerprint, stranger, everyones)
    assert.strictEqual(status, 200, text)
    assert.notInclude(text, first!.fingerprint)
  })
})

describe("an annotated source", () => {
  it("has a line above each function, says the same, and is the same snippet when it comes back", async () => {
    const logs = report({ load: [12, 1, 0] }) + traceback("TypeError", "*/ -->", "load").repeat(2)
    await by.upload(
      "annotated",
      { ...tracked, user_vote: 1, vote_count: 3, execution_logs: logs },
      table("annotated", "return 5")
    )
    const { code_block, functions } = await by.found("annotated")
    const [load, rows] = functions.map(({ fingerprint }) => fingerprint)
    assert.strictEqual(
      code_block.source,
      table("annotated", "return 5")
        .replace("def load", `# [cairn ${load}] +3 −0 · 12 calls · TypeError ×2 · /api/functions/${load}.md\ndef load`)
        .replace("    @property", `    # [cairn ${rows}] +3 −0 · /api/functions/${rows}.md\n    @property`)
    )
    const analyse = (source: string) =>
      service.run(Effect.flatMap(SourceAnalysis, (analysis) => analysis.analyse("annotated.py", source)))
    const again = await analyse(code_block.source)
    assert.deepStrictEqual(
      again.functions.map(({ fingerprint }) => fingerprint),
      [load, rows]
    )

    await by.upload("annotated", { ...tracked, task: "another errand" }, code_block.source)
    const { id, source } = (await by.found("annotated")).code_block
    assert.deepStrictEqual([id, source], [code_block.id, code_block.source])
    assert.deepInclude(await by.known("annotated", "load"), { execution_count: 2 })
  })
})

describe("a search with reputations", () => {
  it("says whether all of its answer came from memory", async () => {
    await by.upload("cached", tracked, "def cached(a):\n    return a\n")
    const search = async (more: object) =>
      (await call("POST", "/api/retrieve/search", { task: "cached task", ...more })).json
    assert.isFalse((await search({})).cache_hit)
    assert.isFalse((await search(tracked)).cache_hit)
    const first = await search(tracked)
    assert.isTrue(first.cache_hit)
    assert.isTrue((await search({})).cache_hit)
    // nothing of the catalogue changes, and the functions do
    const { id } = first.matches[0].code_block
    const run = { code_block_id: id, triggering_task: "t", io: { input_data: {} }, execution_state: "completed" }
    await call("POST", "/api/store/execution", run)
    const second = await search(tracked)
    assert.isFalse(second.cache_hit)
    assert.deepStrictEqual(
      [first, second].map(({ matches }) => matches[0].functions[0].execution_count),
      [1, 2]
    )
  })
})
