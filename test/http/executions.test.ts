import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { User, UserCommand } from "#domain/User.ts"
import { dispatch } from "#engine/dispatch.ts"
import { Executions } from "#projections/Executions.ts"
import { Patterns } from "#projections/Patterns.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { replay } from "#src/audit/replay.ts"
import type { Call } from "#test/service/call.ts"
import { personal } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { foundRuns, newSnippet, recorded, recording, runOf } from "./executed.ts"
import { refused } from "./problem.ts"
import { fine } from "./routes.ts"
import { findByName, stored } from "./store.ts"

let service: Service
let call: Call
beforeAll(async () => {
  service = await startService()
  call = service.call
})
afterAll(() => service.close())

const review = {
  timestamp: "2026-11-21T09:30:00Z",
  verdict: "THUMBS_UP",
  reasoning: "all rows",
  what_worked: ["quotes"],
  what_didnt_work: [],
  output_was_useful: true,
  output_was_correct: true,
  output_was_complete: false,
  error_was_appropriate: null,
  would_use_again: true,
  suggested_improvements: [],
  required_workaround: false,
  workaround_description: null
}
const shownReview = { ...review, timestamp: "2026-11-21T09:30:00.000Z", verdict: "thumbs_up" }

describe("recording a run", () => {
  it("by the snippet's id, as it is read again", async () => {
    const id = await newSnippet(call, "ledger")
    const answer = await recorded(call, id, {
      verdict: "THUMBS_UP",
      execution_state: "COMPLETED",
      duration_ms: 12.4,
      review
    })
    assert.deepStrictEqual(answer, {
      success: true,
      execution_id: answer.execution_id,
      pattern_updated: true,
      message: answer.message
    })
    const { executions, total_found } = await foundRuns(call, { code_block_id: id })
    assert.strictEqual(total_found, 1)
    const { timestamp, ...execution } = executions[0]
    assert.match(timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.deepStrictEqual(execution, {
      id: answer.execution_id,
      code_block_id: id,
      execution_state: "completed",
      duration_ms: 12,
      io: { input_data: { path: "a.csv" }, input_hash: "", output_data: [1, null], output_hash: "", output_type: "" },
      triggering_task: "read rows of a ledger",
      error_message: null,
      error_type: null,
      retrieval_score: 0,
      verdict: "thumbs_up",
      review: shownReview
    })
    const match = await findByName(call, "ledger")
    assert.deepInclude(match, { thumbs_up: 1, thumbs_down: 0 })
  })

  it("in each state and with each verdict, in capitals or not", async () => {
    const id = await newSnippet(call, "states")
    const shown: Array<ReadonlyArray<unknown>> = []
    const states = ["COMPLETED", "ERRORED", "TIMED_OUT", "CANCELLED"]
    const verdicts = ["THUMBS_UP", "THUMBS_DOWN", "PENDING"]
    for (const spelled of [(name: string) => name, (name: string) => name.toLowerCase()]) {
      for (const [n, state] of states.entries()) {
        const [execution_state, verdict] = [state, verdicts[n % 3]!].map(spelled)
        await recorded(call, id, { execution_state, verdict, triggering_task: `${execution_state} of it` })
        const [newest] = (await foundRuns(call, { code_block_id: id })).executions
        shown.push([newest.execution_state, newest.verdict])
      }
    }
    const expected = states.map((state, n) => [state.toLowerCase(), verdicts[n % 3]!.toLowerCase()])
    assert.deepStrictEqual(shown, [...expected, ...expected])
    assert.deepInclude(await findByName(call, "states"), { thumbs_up: 4, thumbs_down: 2 })
  })

  it("by name, or by what decorated functions call themselves; code that is not stored is no fault", async () => {
    const id = await newSnippet(call, "decorated")
    for (const name of ["decorated", "function_registry:decorated", id.toUpperCase()]) await recorded(call, name)
    assert.strictEqual((await foundRuns(call, { code_block_id: id })).total_found, 3)
    assert.strictEqual((await foundRuns(call, { code_block_id: "decorated" })).total_found, 3)
    const unknown = await recorded(call, "function_registry:nobody_knows", { verdict: "thumbs_down" })
    assert.isFalse(unknown.pattern_updated)
    for (const name of ["function_registry:nobody_knows", "nobody_knows"]) {
      const { executions } = await foundRuns(call, { code_block_id: name })
      assert.deepStrictEqual(
        executions.map((one: { code_block_id: string; verdict: string }) => [one.code_block_id, one.verdict]),
        [["function_registry:nobody_knows", "thumbs_down"]]
      )
    }
    refused(await call("POST", recording, runOf("00000000-0000-4000-8000-000000000000")), 404, "not_found/snippet")
  })

  it("of a name that several snippets have goes to the newest of the narrowest home", async () => {
    const w = { "x-cairn-workspace-id": "w" }
    const upload = (n: number, headers = {}) =>
      stored(call, "u", { file_written: { path: "twin.py", content: `def twin():\n    return ${n}\n` } }, headers)
    for (const n of [1, 2]) await upload(n)
    const source = async (headers = {}) => {
      await recorded(call, "twin", { verdict: "thumbs_up" }, headers)
      const { matches } = fine(await call("POST", "/api/retrieve/search", { task: "twin", top_k: 100 }, headers))
      return matches
        .filter(({ thumbs_up }: { thumbs_up: number }) => thumbs_up === 1)
        .map(({ code_block }: { code_block: { source: string } }) => code_block.source.trim().at(-1))
    }
    assert.deepStrictEqual(await source(), ["2"])
    await upload(3, w)
    await upload(1, w)
    assert.sameMembers(await source(w), ["2", "1"])
  })

  it("takes a review in camelCase, whose verdict stands in for the run's", async () => {
    const id = await newSnippet(call, "camel")
    const camel = Object.fromEntries(
      Object.entries(review).map(([name, value]) => [name.replace(/_(\w)/g, (_, l) => l.toUpperCase()), value])
    )
    assert.isTrue((await recorded(call, id, { review: camel })).pattern_updated)
    const { executions } = await foundRuns(call, { code_block_id: id })
    assert.deepInclude(executions[0], { verdict: "thumbs_up", review: shownReview })
  })

  it("counts no vote where the verdict is pending or not given, and shows it as pending", async () => {
    const id = await newSnippet(call, "undecided")
    for (const verdict of [null, "pending", "PENDING"]) {
      assert.isFalse((await recorded(call, id, { verdict, triggering_task: `${verdict}` })).pattern_updated)
    }
    const { executions } = await foundRuns(call, { code_block_id: id, verdict: "PENDING" })
    assert.deepStrictEqual(
      executions.map((one: { verdict: string }) => one.verdict),
      ["pending", "pending", "pending"]
    )
    assert.deepInclude(await findByName(call, "undecided"), { thumbs_up: 0, thumbs_down: 0 })
  })

  it("is one run when it is sent again under its key, also where a name has come to mean a snippet since", async () => {
    const headers = { "idempotency-key": "run-1" }
    const first = await recorded(call, "late_comer", { verdict: "thumbs_up" }, headers)
    await newSnippet(call, "late_comer")
    assert.deepStrictEqual(await recorded(call, "late_comer", { verdict: "thumbs_up" }, headers), first)
    assert.strictEqual((await foundRuns(call, { code_block_id: "late_comer" })).total_found, 1)
    assert.deepInclude(await findByName(call, "late_comer"), { thumbs_up: 0 })
  })

  it("refuses what can't be: too much data, no such state, half a review", async () => {
    const wrong = async (more: object, field: string) => {
      const body = refused(await call("POST", recording, runOf("x", more)), 400, "validation/invalid_field")
      assert.include(
        body.errors.map((error) => error.field),
        field
      )
    }
    await wrong({ io: { input_data: { a: "x".repeat(600_000) }, output_data: "x".repeat(600_000) } }, "io")
    await wrong({ execution_state: "Done" }, "execution_state")
    await wrong({ verdict: "up" }, "verdict")
    await wrong({ duration_ms: -1 }, "duration_ms")
    await wrong({ io: { input_data: { "a\u0000": 1 } } }, "io.input_data")
    const { would_use_again: _, ...half } = review
    await wrong({ review: half }, "review.would_use_again")
    await wrong({ review: { ...review, timestamp: "yesterday" } }, "review.timestamp")
    // one less is fine: the quotes and brackets count too
    const rest = 1_048_576 - JSON.stringify([{ a: "" }, ""]).length
    await recorded(call, "x", { io: { input_data: { a: "x".repeat(rest) }, output_data: "" } })
    await wrong({ io: { input_data: { a: "x".repeat(rest + 1) }, output_data: "" } }, "io")
  })

  it("takes data of 49,000 values, and says of more that it is too much", async () => {
    const io = { input_data: { a: Array.from({ length: 49_000 }, (_, n) => n) } }
    const { execution_id } = await recorded(call, "function_registry:many", { io })
    const { executions } = await foundRuns(call, { code_block_id: "function_registry:many" })
    assert.strictEqual(executions[0].id, execution_id)
    assert.deepStrictEqual(executions[0].io.input_data, io.input_data)
    const more = { io: { input_data: { a: Array.from({ length: 50_000 }, (_, n) => n) } } }
    const { message } = refused(await call("POST", recording, runOf("x", more)), 400, "validation/invalid_body")
    assert.include(message, "50,000 values")
  })

  it("takes data of 9,000 named fields, and says of more that it is too much", async () => {
    const named = (count: number) => ({
      io: { input_data: Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n])) }
    })
    await recorded(call, "function_registry:named", named(9_000))
    const answer = await call("POST", recording, runOf("x", named(10_000)))
    assert.include(refused(answer, 400, "validation/invalid_body").message, "10,000 named fields")
  })
})

describe("what is known of runs", () => {
  it("of code that is not stored goes with the person whose it was", async () => {
    const { call: max } = await personal(service, "max@example.org")
    const { execution_id } = await recorded(max, "function_registry:mine", { triggering_task: "max's own" })
    assert.strictEqual((await foundRuns(max, { code_block_id: "mine" })).total_found, 1)
    const rows = () =>
      service.sql<{ home: string }>("SELECT home FROM executions_v3.executions WHERE id = $1", [execution_id])
    const [{ home: user }] = (await rows()) as [{ home: string }]
    const commandId = randomUUID()
    await service.run(
      dispatch(User, {
        tenant: user,
        stream: `user-${user}`,
        commandId,
        correlationId: commandId,
        command: UserCommand.EraseUser({ user }),
        actor: { key: null, user: null, organization: null }
      })
    )
    await vi.waitFor(async () => assert.deepStrictEqual(await rows(), []), { timeout: 60_000, interval: 20 })
  })

  it.each([Executions, Patterns, Snippets])(
    "is the same when it is made anew from the log: $name",
    async (projection) => {
      const { events, differences } = await service.run(replay(projection, { promote: false, progress: () => {} }))
      assert.isAbove(events, 2)
      assert.deepStrictEqual(differences, [])
    }
  )
})
