import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Call } from "#test/service/call.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { fine } from "./routes.ts"
import { findByName, remove, source, stored, vote } from "./store.ts"

interface Pattern {
  readonly task_pattern: string
  readonly code_block_id: string
  readonly thumbs_up: number
}

let service: Service
let call: Call
beforeAll(async () => {
  service = await startService()
  call = service.call
})
afterAll(() => service.close())

const patterns = async (query: object, by = call, headers = {}): Promise<ReadonlyArray<Pattern>> =>
  fine(await by("POST", "/api/retrieve/task-patterns", query, headers)).patterns
const tasks = async (...given: Parameters<typeof patterns>) => (await patterns(...given)).map((one) => one.task_pattern)
const snippet = async (name: string, more: object = {}) => {
  await stored(call, name, more)
  return (await findByName(call, name))!.code_block.id
}

describe("task patterns", () => {
  it("count the votes of a task on a snippet", async () => {
    const id = await snippet("counted", { user_vote: 1, vote_count: 3 })
    await vote(call, id, false, { task: "  counted\n task " })
    await vote(call, id, true, { task: null })
    const found = await patterns({ code_block_id: id })
    assert.lengthOf(found, 1)
    const { last_thumbs_up, last_thumbs_down, ...rest } = found[0] as unknown as Record<string, string>
    for (const at of [last_thumbs_up, last_thumbs_down]) assert.match(at!, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.isTrue(last_thumbs_up! <= last_thumbs_down!)
    assert.deepStrictEqual(rest as unknown, {
      task_pattern: "counted task",
      code_block_id: id,
      code_block_name: "counted",
      thumbs_up: 3,
      thumbs_down: 1,
      verdict_score: 0.625
    })
    assert.deepStrictEqual(await patterns({ code_block_id: "counted" }), found)
    assert.deepStrictEqual(await patterns({ code_block_id: "no such name" }), [])
  })

  it("come best first; for a task, similar ones before that", async () => {
    const id = await snippet("ranked")
    const times: ReadonlyArray<readonly [string, number]> = [
      ["rotate the picture of a cat", 1],
      ["rotate a matrix", 2],
      ["shuffle playing cards", 3]
    ]
    for (const [task, n] of times) for (let time = 0; time < n; time++) await vote(call, id, true, { task })
    await vote(call, id, false, { task: "guess" })
    const [cat, matrix, cards] = times.map(([task]) => task)
    assert.deepStrictEqual(await tasks({ code_block_id: id }), [cards, matrix, cat, "guess"])
    assert.deepStrictEqual(await tasks({ code_block_id: id, task: "Rotate cats' pictures" }), [
      cat,
      matrix,
      cards,
      "guess"
    ])
    assert.deepStrictEqual(await tasks({ code_block_id: id, min_thumbs_up: 2 }), [cards, matrix])
    assert.deepStrictEqual(await tasks({ code_block_id: id, top_k: 1 }), [cards])
    refused(await call("POST", "/api/retrieve/task-patterns", { top_k: 0 }), 400, "validation/invalid_field")
  })

  it("learn from runs too, and are their home's", async () => {
    const id = await snippet("learned", { public: true })
    const [a, b] = ["a", "b"].map((name) => ({ "x-cairn-workspace-id": name }))
    const run = { code_block_id: id, triggering_task: "learn by running", io: {}, verdict: "thumbs_down" }
    assert.isTrue(fine(await call("POST", "/api/store/execution", run, a)).pattern_updated)
    await vote(call, id, true, { task: "learn by voting" }, b)
    const other = await organization(service, "ENTERPRISE")
    const open = { "x-cairn-public-snips": "true" }
    await vote(other.call, id, true, { task: "learn from afar" }, open)
    assert.deepStrictEqual(await tasks({ code_block_id: id }), [])
    assert.deepStrictEqual(await tasks({ code_block_id: id }, call, open), [])
    assert.deepStrictEqual(await tasks({ code_block_id: id }, call, a), ["learn by running"])
    assert.deepStrictEqual(await tasks({ code_block_id: id }, call, b), ["learn by voting"])
    assert.deepStrictEqual(await tasks({ code_block_id: id }, other.call, open), ["learn from afar"])
    // a workspace sees the organization's, added to its own
    await vote(call, id, true, { task: "learn by voting" })
    const [together] = await patterns({ code_block_id: id }, call, b)
    assert.deepInclude(together, { task_pattern: "learn by voting", thumbs_up: 2 })
  })

  it("go with their snippet", async () => {
    const id = await snippet("forgotten", { user_vote: 1 })
    assert.deepStrictEqual(await tasks({ code_block_id: id }), ["forgotten task"])
    await remove(call, id)
    assert.notInclude(await tasks({ task: "forgotten task" }), "forgotten task")
    assert.deepStrictEqual(await service.sql("SELECT id FROM patterns_v3.patterns WHERE snippet = $1", [id]), [])
  })
})

describe("few-shot examples", () => {
  const examples = async (query: object, by = call, headers = {}) =>
    fine(await by("POST", "/api/retrieve/few-shot-examples", query, headers)).examples

  it("are code that fits, with what it took and gave when it last ran to its end", async () => {
    const id = await snippet("exemplary")
    const asked = { task: "exemplary task", k: 1 }
    assert.deepStrictEqual(await examples(asked), [
      { task: "exemplary task", input_sample: {}, output_sample: null, code_snippet: source("exemplary") }
    ])
    const run = (n: number, execution_state: string) =>
      call("POST", "/api/store/execution", {
        code_block_id: id,
        triggering_task: `run ${n}`,
        io: { input_data: { n }, output_data: n * n },
        execution_state
      })
    for (const [n, state] of [["completed"], ["completed"], ["errored"]].entries()) fine(await run(n + 2, state[0]!))
    assert.deepStrictEqual(await examples(asked), [
      { task: "run 3", input_sample: { n: 3 }, output_sample: 9, code_snippet: source("exemplary") }
    ])
    const other = await organization(service, "ENTERPRISE")
    assert.deepStrictEqual(await examples(asked, other.call), [])
  })

  it("tell nobody else what a public snippet was used for", async () => {
    const task = "balance the books of ACME"
    await stored(call, "balanced", { public: true, task })
    const ours = await examples({ task: "balance books", k: 1 })
    assert.deepInclude(ours[0], { task, code_snippet: source("balanced") })
    const { call: other } = await organization(service, "PRO")
    const theirs = await examples({ task: "balance books", k: 1 }, other, { "x-cairn-public-snips": "true" })
    assert.deepInclude(theirs[0], { task: "balance books", code_snippet: source("balanced") })
    assert.notInclude(JSON.stringify(theirs), "ACME")
  })

  it("name the snippet's own task that is most like the one asked for", async () => {
    const file_written = { path: "many.py", content: source("many_tasks") }
    for (const task of ["peel many apples", "peel many bananas", "buy many apples"]) {
      await stored(call, "many_tasks", { task, file_written })
    }
    const [first] = await examples({ task: "how to peel many bananas", k: 1 })
    assert.deepInclude(first, { task: "peel many bananas", code_snippet: source("many_tasks") })
    assert.isAtMost((await examples({ task: "task" })).length, 3)
    refused(await call("POST", "/api/retrieve/few-shot-examples", { k: 3 }), 400, "validation/invalid_field")
  })
})
