import { afterEach, assert, describe, it, vi } from "vitest"
import { asked, commitsOf, environment, scripts, service, startsAgent } from "#test/http/agent.ts"
import { calls, says } from "#test/MessagesApi.ts"
import { newInstallation, ownerKey, removeInstallation, startService } from "#test/service.ts"
import { opened } from "./opened.ts"
import { done, initialize, message, post } from "./rpc.ts"

startsAgent()

/** Runs that wait for the model until the test lets it speak, by what they were asked for. */
const gates: Array<() => void> = []
afterEach(() => {
  for (const open of gates.splice(0)) open()
})
const held = (task: string) => {
  let open = () => {}
  const after = new Promise<void>((resolve) => {
    open = resolve
  })
  gates.push(open)
  const write = { name: "Write", input: { file_path: "held.txt", content: "held" } }
  scripts.set(task, (turn) => (turn === 1 ? { ...calls(write), after } : says(`Done: ${task}.`)))
  return { open, given: { user_query: task, user_id: task, org_id: "held" } }
}
const calling = (given: object, more: object = {}) => message("tools/call", { name: "chat", arguments: given, ...more })
const opens = ({ body, headers }: ReturnType<typeof message>, session?: Record<string, string>) =>
  session === undefined
    ? opened(service.url, ownerKey, body, headers)
    : opened(service.url, ownerKey, { ...body, params: { ...body.params, _meta: {} } }, session)

describe("a call that takes its time", () => {
  it("is answered as a stream that begins before there is an answer, in each version", async () => {
    for (const version of ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]) {
      const { open, given } = held(`wait ${version}`)
      const session = version === "2026-07-28" ? undefined : await initialize(service.url, ownerKey, version)
      const sent = calling(given)
      const stream = await opens(sent, session)
      assert.strictEqual(stream.status, 200)
      assert.match(stream.headers.get("content-type")!, /^text\/event-stream/)
      assert.strictEqual(stream.headers.get("x-accel-buffering"), "no")
      // clients pass over a comment
      assert.strictEqual(await stream.next(), ": under way")
      open()
      const [{ id, result }, ...more] = await stream.rest()
      assert.deepStrictEqual([id, more], [sent.body.id, []])
      assert.include(result.content[0].text, `Done: wait ${version}.`)
    }
  })

  it("tells of its progress whoever asked for it", async () => {
    for (const progressToken of ["mine", 0]) {
      const { open, given } = held(`progress ${progressToken}`)
      const sent = calling(given, { _meta: { progressToken } })
      const stream = await opens(sent)
      const first = JSON.parse((await stream.next())!.slice(6))
      assert.strictEqual(first.method, "notifications/progress")
      assert.deepInclude(first.params, { progressToken, progress: 1 })
      open()
      const last = (await stream.rest()).at(-1)
      assert.include(last.result.content[0].text, `Done: progress ${progressToken}.`)
    }
  })

  it("tells each turn, and the tools that it calls", async () => {
    const task = "tell turns"
    const gate = Promise.withResolvers<void>()
    gates.push(() => gate.resolve())
    scripts.set(task, (turn) =>
      turn === 1
        ? calls({ name: "Write", input: { file_path: "a.txt", content: "a" } })
        : { ...says("Done."), after: gate.promise }
    )
    const sent = calling({ user_query: task, user_id: task, org_id: "held" }, { _meta: { progressToken: "turns" } })
    const stream = await opens(sent)
    const told = []
    do told.push(JSON.parse((await stream.next())!.slice(6)).params)
    while (!told.some(({ message }) => message === "Turn 1 of 8 calls Write."))
    gate.resolve()
    told.push(...(await stream.rest()).slice(0, -1).map(({ params }) => params))
    assert.deepStrictEqual(
      told.map(({ progressToken, progress }) => [progressToken, progress]),
      told.map((_, index) => ["turns", index + 1])
    )
  })

  it("is cancelled with its run when its client takes it back; what it wrote is saved", async () => {
    const task = "take back"
    const never = new Promise<void>(() => {})
    scripts.set(task, (turn) =>
      turn === 1
        ? calls({ name: "Write", input: { file_path: "held.txt", content: "held" } })
        : { ...says("Done."), after: never }
    )
    const session = await initialize(service.url, ownerKey)
    const sent = calling({ user_query: task, user_id: task, org_id: "held" })
    const stream = await opens(sent, session)
    await vi.waitFor(() => assert.strictEqual(asked(task).length, 2), { timeout: 60_000 })
    const { json } = await service.call("GET", "/api/events?type=ChatRequested&limit=1000")
    const { run } = json.events.at(-1).data
    const params = { requestId: sent.body.id, reason: "the user is impatient" }
    const answer = await post(
      service.url,
      ownerKey,
      { jsonrpc: "2.0", method: "notifications/cancelled", params },
      session
    )
    assert.strictEqual(answer.status, 202, answer.text)
    assert.deepStrictEqual(await stream.rest(), [])
    const ended = await vi.waitFor(
      async () => {
        const { json } = await service.call("GET", `/api/runs/${run}`)
        assert.strictEqual(json.state, "cancelled")
        return json
      },
      { timeout: 60_000 }
    )
    assert.deepStrictEqual(ended.answer.changed_files, ["held.txt"])
  })

  it("whose client left, or waited for long enough, is joined by the same call", async () => {
    const left = held("leave")
    const leaving = await opens(calling(left.given))
    leaving.leave()
    const cancelled = held("cancel")
    const session = await initialize(service.url, ownerKey)
    const sent = calling(cancelled.given)
    const cancelling = await opens(sent, session)
    const params = { requestId: sent.body.id, reason: "McpError: MCP error -32001: Request timed out" }
    const answer = await post(
      service.url,
      ownerKey,
      { jsonrpc: "2.0", method: "notifications/cancelled", params },
      session
    )
    assert.strictEqual(answer.status, 202, answer.text)
    // of what was cancelled nothing more is said
    assert.deepStrictEqual(await cancelling.rest(), [])
    for (const { open, given } of [left, cancelled]) {
      const again = done(service.url, ownerKey, "chat", given)
      open()
      const { structure } = await again
      assert.strictEqual((await commitsOf(structure.workspace_id)).length, 1)
      assert.strictEqual(asked(given.user_query).length, 2)
    }
  })

  it("is told that the service stops; the same call finds the run at the next start", async () => {
    const installation = await newInstallation()
    const { open, given } = held("stop")
    const first = await startService(environment(), installation)
    const sent = calling(given)
    const stream = await opened(first.url, ownerKey, sent.body, sent.headers)
    await first.stop()
    const { id, result } = (await stream.rest()).at(-1)
    assert.deepStrictEqual([id, result.isError], [sent.body.id, true])
    assert.match(result.content[0].text, /is stopping.*make the same call again/)
    const second = await startService(environment(), installation)
    try {
      open()
      const { text, structure } = await done(second.url, ownerKey, "chat", given)
      assert.include(text, "Done: stop.")
      assert.strictEqual((await commitsOf(structure.workspace_id, second.call)).length, 1)
    } finally {
      await second.close()
      removeInstallation(installation)
    }
  })
})
