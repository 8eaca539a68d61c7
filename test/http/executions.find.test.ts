import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Call } from "#test/service/call.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { foundRuns, newSnippet, recorded, recording, runOf } from "./executed.ts"
import { refused } from "./problem.ts"
import { findByName, remove, stored } from "./store.ts"

let service: Service
let call: Call
beforeAll(async () => {
  service = await startService()
  call = service.call
})
afterAll(() => service.close())

describe("finding runs", () => {
  it("newest first; for a task the most alike first, and only what shares a word with it", async () => {
    const id = await newSnippet(call, "finder")
    const tasks = ["convert currencies of an invoice", "sum an invoice", "draw a chart", "sum an invoice by month"]
    for (const triggering_task of tasks) await recorded(call, id, { triggering_task })
    const of = async (query: object) => {
      const { executions, total_found } = await foundRuns(call, { code_block_id: id, ...query })
      const list = executions as ReadonlyArray<{ triggering_task: string; retrieval_score: number }>
      return {
        tasks: list.map((one) => one.triggering_task),
        scores: list.map((one) => one.retrieval_score),
        total_found
      }
    }
    assert.deepStrictEqual((await of({})).tasks, [...tasks].reverse())
    const { tasks: ranked, scores } = await of({ task: "sum the invoice" })
    assert.deepStrictEqual(ranked, [tasks[1], tasks[3], tasks[0]])
    assert.strictEqual(scores[0], 1)
    assert.isTrue(scores.every((score, at) => score > 0 && score <= (scores[at - 1] ?? 1)))
    assert.deepStrictEqual((await of({ limit: 1 })).tasks, [tasks[3]])
    assert.strictEqual((await of({ limit: 1 })).total_found, 4)
    assert.strictEqual((await of({ task: null, verdict: "thumbs_up" })).total_found, 0)
  })

  it("gives what is no object under `value`, as clients read an object", async () => {
    await recorded(call, "lister", { io: { input_data: [1, 2], output_data: null } })
    const [{ io }] = (await foundRuns(call, { code_block_id: "lister" })).executions
    assert.deepStrictEqual(io.input_data, { value: [1, 2] })
    assert.isNull(io.output_data)
  })

  it("sees the scope's runs only: no sibling workspace's, no other tenant's, no other agent's", async () => {
    const id = await newSnippet(call, "shared_run")
    const [a, b] = ["a", "b"].map((name) => ({ "x-cairn-workspace-id": name }))
    await recorded(call, id, { triggering_task: "of a" }, a)
    await recorded(call, id, { triggering_task: "of an agent" }, { "x-cairn-agent-id": "robot" })
    const other = await organization(service, "ENTERPRISE")
    const tasks = async (by = call, headers = {}) =>
      (await foundRuns(by, { code_block_id: id }, headers)).executions.map(
        (one: { triggering_task: string }) => one.triggering_task
      )
    assert.deepStrictEqual(await tasks(call, a), ["of an agent", "of a"])
    assert.deepStrictEqual(await tasks(call, b), ["of an agent"])
    assert.deepStrictEqual(await tasks(), ["of an agent"])
    assert.deepStrictEqual(await tasks(call, { "x-cairn-agent-id": "somebody" }), [])
    assert.deepStrictEqual(await tasks(other.call), [])
    assert.deepStrictEqual(await tasks(other.call, { "x-cairn-public-snips": "true" }), [])
  })

  it("of a public snippet are their own tenant's: its owner gets the vote, and none of the data", async () => {
    await stored(call, "community", { public: true })
    const id = (await findByName(call, "community"))!.code_block.id
    const other = await organization(service, "ENTERPRISE")
    const open = { "x-cairn-public-snips": "true" }
    refused(await other.call("POST", recording, runOf(id)), 404, "not_found/snippet")
    const io = { input_data: { secret: "of the other tenant" }, output_data: null }
    assert.isTrue((await recorded(other.call, id, { verdict: "thumbs_up", io }, open)).pattern_updated)
    assert.strictEqual((await foundRuns(call, { code_block_id: id })).total_found, 0)
    const { executions } = await foundRuns(other.call, { code_block_id: id }, open)
    assert.deepInclude(executions[0], { code_block_id: id, verdict: "thumbs_up" })
    assert.deepInclude(await findByName(call, "community"), { thumbs_up: 1 })
    const events = await call("GET", "/api/events?type=VoteCast&limit=1000")
    const foreign = events.json.events.filter((one: { data: { snippet: string } }) => one.data.snippet === id)
    assert.deepInclude(foreign.at(-1).data, { voter: "external", home: "external" })
    // it outlives the snippet, which is not its tenant's
    await remove(call, id)
    assert.strictEqual((await foundRuns(other.call, { code_block_id: id })).total_found, 1)
  })

  it("goes with its snippet", async () => {
    const id = await newSnippet(call, "doomed_run")
    const { execution_id } = await recorded(call, id, { triggering_task: "doomed text of a run" })
    await remove(call, id)
    assert.strictEqual((await foundRuns(call, { task: "doomed text of a run" })).total_found, 0)
    const rows = await service.sql("SELECT id FROM executions_v3.executions WHERE id = $1", [execution_id])
    assert.deepStrictEqual(rows, [])
    refused(await call("POST", recording, runOf(id)), 404, "not_found/snippet")
  })
})
