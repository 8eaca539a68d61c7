import { assert, describe, it, vi } from "vitest"
import { calls, says } from "#test/MessagesApi.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { newInstallation, removeInstallation, startService } from "#test/service.ts"
import { asked, chatting, commitsOf, environment, scripts, service, startsAgent, write } from "./agent.ts"
import { refused } from "./problem.ts"

startsAgent()

type Call = typeof service.call

const patient = { timeout: 60_000 }
const cancel = (run: string, call: Call = service.call) => call("POST", `/api/runs/${run}/cancel`)
const look = async (run: string, call: Call = service.call) => {
  const { status, json, text } = await call("GET", `/api/runs/${run}`)
  assert.strictEqual(status, 200, text)
  return json
}
const listed = async (workspace: string, query = "", call: Call = service.call) => {
  const { status, json, text } = await call("GET", `/api/workspaces/${workspace}/runs${query}`)
  assert.strictEqual(status, 200, text)
  return json
}
const ask = (
  prompt: string,
  user: string,
  call: Call = service.call,
  { prefer = "respond-async", ...headers }: { readonly [name: string]: string } = {}
) => call("POST", chatting, { user_query: prompt, user_id: user, org_id: "acme" }, { prefer, ...headers })

/** Asks for a chat that nobody waits for. */
const begun = async (...given: Parameters<typeof ask>) => {
  const { status, headers, json, text } = await ask(...given)
  assert.strictEqual(status, 202, text)
  assert.strictEqual(headers.get("location"), `/api/runs/${json.run_id}`)
  assert.strictEqual(headers.get("preference-applied"), "respond-async")
  assert.isNotNull(headers.get("cairn-position"))
  return json as { readonly run_id: string; readonly workspace_id: string }
}
const settled = (run: string, call: Call = service.call) =>
  vi.waitFor(async () => {
    const found = await look(run, call)
    assert.isNotNull(found.ended_at)
    return found
  }, patient)

describe("a chat that nobody waits for", () => {
  it("tells how far it is, and its answer when it has ended; also in the list", async () => {
    const prompt = "take two turns"
    const turn = Promise.withResolvers<void>()
    scripts.set(prompt, (n) => ({
      ...(n === 1 ? write("one.txt") : says("Both done.")),
      after: n === 2 ? turn.promise : Promise.resolve()
    }))
    const { run_id, workspace_id } = await begun(prompt, "nobody-waits")
    await vi.waitFor(() => assert.strictEqual(asked(prompt).length, 2), patient)
    const running = await look(run_id)
    assert.deepInclude(running, { run_id, workspace_id, state: "running", turns: 1, max_turns: 8, model: "sonnet" })
    assert.deepInclude(running, { failure: null, ended_at: null, answer: null })
    // nothing has opened its workspace yet
    const [only, ...others] = (await listed(workspace_id)).runs
    assert.deepStrictEqual(others, [])
    assert.deepInclude(only, { run_id, state: "running", turns: 1, task: prompt, ended_at: null })
    turn.resolve()

    const done = await settled(run_id)
    assert.deepInclude(done, { state: "completed", turns: 2, failure: null })
    assert.isAbove(done.usage.input_tokens, 0)
    assert.deepInclude(done.answer, { success: true, output: "Both done.", session_id: run_id, workspace_id })
    assert.deepStrictEqual(done.answer.changed_files, ["one.txt"])
    assert.strictEqual((await commitsOf(workspace_id))[0]!.sha, done.answer.commit)
    const { usage: _, answer: __, memory, tools, ...facts } = done
    assert.isNull(memory)
    assert.deepStrictEqual(tools, [{ name: "Write", calls: 1, failed: 0 }])
    assert.deepStrictEqual((await listed(workspace_id)).runs, [{ ...facts, task: prompt }])
  })

  it("tells all that was asked for, and which tools it has called, how often, and how often they failed", async () => {
    const prompt = `call many tools ${"x".repeat(500)}\nand say so`
    const read = (path: string) => ({ name: "Read", input: { file_path: path } })
    scripts.set(prompt, (n) => {
      if (n === 1) return calls(read("none.txt"), { name: "Write", input: { file_path: "a.txt", content: "a\n" } })
      return n === 2 ? calls(read("a.txt"), read("none.txt")) : says("Said.")
    })
    const { run_id, workspace_id } = await begun(prompt, "calls-many")
    const { task, tools } = await settled(run_id)
    assert.strictEqual(task, prompt)
    assert.deepStrictEqual(tools, [
      { name: "Read", calls: 3, failed: 2 },
      { name: "Write", calls: 1, failed: 0 }
    ])
    // a list has the beginning alone
    assert.strictEqual((await listed(workspace_id)).runs[0].task, prompt.slice(0, 200))
  })

  it("is one with the same Idempotency-Key, waited for or not", async () => {
    const key = { "idempotency-key": "asked thrice" }
    const first = await begun("ask thrice", "thrice", service.call, key)
    assert.deepStrictEqual(
      await begun("ask thrice", "thrice", service.call, { prefer: "wait=1, Respond-Async", ...key }),
      first
    )
    const waited = await ask("ask thrice", "thrice", service.call, { prefer: "", ...key })
    assert.deepStrictEqual([waited.status, waited.json.session_id], [200, first.run_id])
    assert.deepStrictEqual((await look(first.run_id)).answer, waited.json)
    // other preferences are no business of ours
    const plain = await ask("ask thrice", "thrice", service.call, { prefer: "respond-asynchronously" })
    assert.strictEqual(plain.status, 200)
  })

  it("is its organization's, and gone with its workspace", async () => {
    const { run_id, workspace_id } = await begun("mine", "mine")
    await settled(run_id)
    const { call: other } = await organization(service, "ENTERPRISE")
    refused(await other("GET", `/api/runs/${run_id}`), 404, "not_found/run")
    refused(await other("GET", `/api/workspaces/${workspace_id}/runs`), 404, "not_found/workspace")
    refused(await service.call("GET", "/api/runs/none"), 404, "not_found/run")
    refused(await service.call("GET", "/api/workspaces/none/runs"), 404, "not_found/workspace")
    assert.strictEqual((await service.call("DELETE", `/api/workspaces/${workspace_id}`)).status, 200)
    refused(await service.call("GET", `/api/runs/${run_id}`), 404, "not_found/run")
    refused(await service.call("GET", `/api/workspaces/${workspace_id}/runs`), 404, "not_found/workspace")
    refused(await cancel(run_id), 404, "not_found/run")
  })

  it("of many of a workspace is in its list once, page by page, the last one first", async () => {
    const runs: Array<string> = []
    let workspace = ""
    for (let n = 1; n <= 5; n++) {
      const { run_id, workspace_id } = await begun(`ask ${n}`, "many")
      runs.unshift(run_id)
      workspace = workspace_id
    }
    const found: Array<string> = []
    let cursor = ""
    for (;;) {
      const page = await listed(workspace, `?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`)
      assert.isAtMost(page.runs.length, 2)
      found.push(...page.runs.map((run: { run_id: string }) => run.run_id))
      if (page.next_cursor === null) break
      cursor = page.next_cursor
    }
    assert.deepStrictEqual(found, runs)
    refused(await service.call("GET", `/api/workspaces/${workspace}/runs?cursor=abc`), 400, "validation/invalid_field")
  })

  it("is carried, told of and cancelled at any process", async () => {
    const installation = await newInstallation()
    const one = await startService(environment(), installation)
    const two = await startService(environment(), installation)
    const held = Promise.withResolvers<void>()
    try {
      const prompt = "held at one of two"
      scripts.set(prompt, (n) => ({ ...write(`${n}.txt`), ...(n === 2 ? { after: held.promise } : {}) }))
      const { run_id, workspace_id } = await begun(prompt, "two", one.call)
      await vi.waitFor(() => assert.strictEqual(asked(prompt).length, 2), patient)
      assert.deepInclude(await look(run_id, two.call), { state: "running", turns: 1 })
      assert.deepInclude((await listed(workspace_id, "", two.call)).runs[0], { run_id, state: "running", turns: 1 })
      assert.strictEqual((await cancel(run_id, two.call)).status, 200)
      const { state, failure, answer } = await settled(run_id, two.call)
      assert.deepStrictEqual([state, failure, answer.changed_files], ["cancelled", "cancelled", ["1.txt"]])
      assert.deepStrictEqual((await look(run_id, one.call)).answer, answer)
    } finally {
      held.resolve()
      await two.stop()
      await one.stop()
      removeInstallation(installation)
    }
  })
})

describe("cancelling", () => {
  it("stops a run that waits for its model, saves what was written, and says so", async () => {
    const prompt = "wait for ever"
    const shut = Promise.withResolvers<void>()
    scripts.set(prompt, (turn) => ({ ...write(`${turn}.txt`), ...(turn === 2 ? { after: shut.promise } : {}) }))
    const running = ask(prompt, "waiting-user", service.call, { prefer: "", "idempotency-key": "waits" })
    await vi.waitFor(() => assert.strictEqual(asked(prompt).length, 2), patient)
    const { run_id: run, workspace_id } = await begun(prompt, "waiting-user", service.call, {
      "idempotency-key": "waits"
    })
    // the next one of its workspace has not begun
    const behind = await begun("behind it", "waiting-user")
    assert.strictEqual((await look(behind.run_id)).state, "waiting")

    const { call: other } = await organization(service, "ENTERPRISE")
    refused(await cancel(run, other), 404, "not_found/run")
    refused(await cancel("none"), 404, "not_found/run")

    const answer = await cancel(run)
    assert.deepStrictEqual([answer.status, answer.json], [200, { success: true, run_id: run, workspace_id }])
    // the model still holds its answer back
    const { status, json } = await running
    shut.resolve()
    assert.deepStrictEqual([status, json.success, json.session_id], [200, false, run])
    assert.deepStrictEqual(json.changed_files, ["1.txt"])
    assert.include(json.error, "cancelled")
    assert.deepInclude(await look(run), { state: "cancelled", failure: "cancelled", turns: 1, answer: json })
    await settled(behind.run_id)
    assert.deepStrictEqual(
      (await listed(workspace_id)).runs.map(({ state }: { state: string }) => state),
      ["completed", "cancelled"]
    )

    assert.include(refused(await cancel(run), 409, "conflict/run_over").message, "has ended")
  })

  it("stops the command that runs", async () => {
    const prompt = "sleep for ever"
    const command = "sleep 100000; echo never > never.txt"
    scripts.set(prompt, () => calls({ name: "Bash", input: { command, timeout: 120_000 } }))
    const { run_id: run } = await begun(prompt, "sleeping-user")
    // the turn is recorded before its tools run
    await vi.waitFor(async () => assert.strictEqual((await look(run)).turns, 1), patient)
    assert.strictEqual((await cancel(run)).status, 200)
    const { answer } = await settled(run)
    assert.include(answer.error, "cancelled")
    assert.notInclude(answer.changed_files, "never.txt")
    assert.strictEqual(asked(prompt).length, 1)
  })
})

it("a key looks at runs of the workspaces that it works in, and cancels them if it may write", async () => {
  const email = "member@example.org"
  const member = service.as((await memberKey(service.call, email)).key)
  const reader = service.as((await memberKey(service.call, "eye@example.org", "reader", { acts_for: "any" })).key)
  const { run_id, workspace_id } = await begun("as a member", email, member)
  await settled(run_id, member)
  assert.strictEqual((await listed(workspace_id, "", member)).runs.length, 1)
  assert.strictEqual((await listed(workspace_id, "", reader)).runs.length, 1)
  assert.strictEqual((await look(run_id, reader)).state, "completed")
  refused(await cancel(run_id, reader), 403, "permission/role_required")
  refused(await cancel(run_id, member), 409, "conflict/run_over")

  const others = await begun("as somebody else", "somebody")
  await settled(others.run_id)
  refused(await member("GET", `/api/runs/${others.run_id}`), 404, "not_found/run")
  const events = { accept: "text/event-stream" }
  refused(await member("GET", `/api/runs/${others.run_id}`, undefined, events), 404, "not_found/run")
  refused(await member("GET", `/api/workspaces/${others.workspace_id}/runs`), 404, "not_found/workspace")
  refused(await cancel(others.run_id, member), 404, "not_found/run")
})
