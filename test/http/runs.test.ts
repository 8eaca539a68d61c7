import { assert, describe, it, vi } from "vitest"
import { says } from "#test/MessagesApi.ts"
import { begin } from "#test/service/cut.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { newInstallation, removeInstallation, startService } from "#test/service.ts"
import {
  asked,
  chat,
  chatting,
  commitsOf,
  ended,
  environment,
  scripts,
  service,
  startsAgent,
  turnOf,
  write
} from "./agent.ts"
import { findByName, stored, vote } from "./store.ts"

startsAgent()

const gate = () => Promise.withResolvers<void>()

it("finds what was stored since the last run that searched, and nothing that was deleted", async () => {
  const installation = await newInstallation()
  const local = await startService({}, installation)
  const ask = async (user: string) =>
    (
      await local.call("POST", "/api/agent-chat", {
        user_query: "count the vowels of a word",
        user_id: user,
        org_id: "fresh",
        model: "local"
      })
    ).json
  assert.isFalse((await ask("before")).success)
  const upload = await local.call("POST", "/api/store/execution-result", {
    task: "count the vowels of a word",
    succeeded: true,
    user_vote: 1,
    file_written: {
      path: "count_vowels.py",
      content: "def count_vowels(word):\n    return sum(c in 'aeiou' for c in word)\n"
    }
  })
  assert.strictEqual(upload.status, 200)
  assert.isTrue((await ask("after")).success)
  assert.strictEqual((await local.call("POST", "/api/snippets/delete", { snippet_id: "count_vowels" })).status, 200)
  assert.deepStrictEqual((await ask("deleted")).workspace_files, [])
  await local.stop()
  removeInstallation(installation)
})

describe("at once", () => {
  it("32 chats on one workspace make one commit each, in one line, and none is lost", async () => {
    const prompts = Array.from({ length: 32 }, (_, n) => `parallel ${n}`)
    for (const [n, prompt] of prompts.entries())
      scripts.set(prompt, (turn) => (turn === 1 ? write(`f${n}.txt`) : says("ok")))
    const answers = await Promise.all(prompts.map((prompt) => ended(service.call, prompt, "busy")))
    assert.isTrue(answers.every(({ success }) => success))
    const commits = await commitsOf(answers[0].workspace_id)
    assert.sameMembers(
      commits.map(({ sha }) => sha),
      answers.map(({ commit }) => commit)
    )
    for (const [n, { parents }] of commits.entries())
      assert.deepStrictEqual(
        parents,
        commits.slice(n + 1, n + 2).map(({ sha }) => sha)
      )
    assert.strictEqual(
      (await service.call("GET", `/api/workspaces/${answers[0].workspace_id}/tree`)).json.files.length,
      32
    )
  })

  it("64 votes for different tasks on one snippet all count", async () => {
    await stored(service.call, "popular")
    const { code_block } = (await findByName(service.call, "popular"))!
    const votes = Array.from({ length: 64 }, (_, n) =>
      vote(service.call, code_block.id, n % 4 !== 0, { task: `task ${n}` })
    )
    for (const { status, json } of await Promise.all(votes))
      assert.deepStrictEqual([status, typeof json.vote_pending], [200, "boolean"])
    assert.deepInclude(await findByName(service.call, "popular"), { thumbs_up: 48, thumbs_down: 16 })
  })
})

describe("a run", () => {
  it("ends when its key is revoked, with what it had written", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    const { id, key } = await memberKey(call, "m@example.org", "member", { acts_as: "revoked" })
    const shut = gate()
    scripts.set("until revoked", (turn) => ({
      ...write(`${turn}.txt`),
      ...(turn === 2 ? { after: shut.promise } : {})
    }))
    const running = chat(service.as(key), "until revoked", "revoked")
    await vi.waitFor(() => assert.strictEqual(asked("until revoked").length, 2), { timeout: 60_000 })
    assert.strictEqual((await call("POST", "/api/keys/org/revoke", { key_id: id })).status, 200)
    shut.resolve()
    const { status, json } = await running
    assert.deepStrictEqual([status, json.success, json.changed_files], [200, false, ["1.txt", "2.txt"]])
    assert.include(json.error, "revoked")
    assert.strictEqual(asked("until revoked").length, 2)
    const { json: log } = await call("GET", "/api/events?type=ChatFailed")
    assert.deepStrictEqual(
      log.events.map(({ data }: { data: { code: string } }) => data.code),
      ["revoked"]
    )
    assert.strictEqual((await commitsOf(json.workspace_id, call)).length, 1)
  })

  it("goes on after a restart, ends once, and asks nothing again that was recorded", async () => {
    const installation = await newInstallation()
    const first = await startService(environment(), installation)
    const held = gate()
    const prompt = "long work"
    let restarted = false
    scripts.set(prompt, (turn) => {
      if (turn === 3 && !restarted) return { ...says("never heard"), after: held.promise }
      return turn < 3 ? write(`${turn}.txt`) : says("All done.")
    })
    const leaving = begin(first, chatting, { user_query: prompt, user_id: "longtime", org_id: "acme" })
    await vi.waitFor(() => assert.strictEqual(asked(prompt).length, 3), { timeout: 60_000 })
    // a service that stops lets the answers under way go out first; nobody waits for this one
    await leaving.cut()
    await first.stop()
    restarted = true
    held.resolve()

    const second = await startService(environment(), installation)
    try {
      const commits = await vi.waitFor(
        async () => {
          const { json } = await second.call("GET", "/api/workspaces")
          assert.strictEqual(json.workspaces[0]?.commits, 1)
          return commitsOf(json.workspaces[0].workspace_id, second.call)
        },
        { timeout: 60_000 }
      )
      assert.deepStrictEqual(
        commits[0]!.changes.map(({ path }) => path),
        ["1.txt", "2.txt"]
      )
      // the two turns that were recorded were asked for once; the third again, by who had not heard it
      assert.deepStrictEqual(asked(prompt).map(turnOf), [1, 2, 3, 3])
      // whoever sends the chat again gets that run's answer
      const again = await ended(second.call, prompt, "longtime")
      assert.deepStrictEqual([again.success, again.output, again.commit], [true, "All done.", commits[0]!.sha])
      const rows = await second.sql<{ type: string }>(
        "SELECT type FROM events WHERE stream LIKE 'chat-%' OR stream LIKE 'workspace-%' ORDER BY position"
      )
      assert.deepStrictEqual(
        rows.map(({ type }) => type),
        [
          ...["ChatRequested", "ChatStarted", "ModelTurned", "ToolsRan", "ModelTurned", "ToolsRan"],
          ...["ChatResumed", "ModelTurned", "WorkspaceOpened", "ChatCompleted"]
        ]
      )
    } finally {
      await second.stop()
      removeInstallation(installation)
    }
  })
})
