import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { calls, type MessagesApi, type MessagesRequest, type Reply, says, startMessagesApi } from "#test/MessagesApi.ts"
import { type Answer, newPlace, removePlace, type Service, startService } from "#test/service.ts"
import type { Call } from "#test/service/call.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { refused } from "./problem.ts"
import { findByName, stored, vote } from "./store.ts"

const chatting = "/api/agent-chat"

/** What the model does, by the prompt of the run. */
const scripts = new Map<string, (turn: number, request: MessagesRequest) => Reply | PromiseLike<Reply>>()
const promptOf = ({ body }: MessagesRequest): string => String(body.messages[0]!.content)
const turnOf = ({ body }: MessagesRequest): number => (body.messages.length + 1) / 2
const write = (path: string, content = "x\n") => calls({ name: "Write", input: { file_path: path, content } })

let api: MessagesApi
let service: Service
const environment = () => ({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url })
beforeAll(async () => {
  api = await startMessagesApi((request) => scripts.get(promptOf(request))?.(turnOf(request), request) ?? says("Done."))
  service = await startService(environment())
})
afterAll(async () => {
  await service.close()
  await api.close()
})

const asked = (prompt: string) => api.requests.filter((request) => promptOf(request) === prompt)
const chat = (call: Call, user_query: string, user_id: string, more: object = {}): Promise<Answer> =>
  call("POST", chatting, { user_query, user_id, org_id: "acme", ...more })
const ended = async (...given: Parameters<typeof chat>) => {
  const { status, json, text } = await chat(...given)
  assert.strictEqual(status, 200, text)
  for (const [field, value] of Object.entries(json)) assert.isNotNull(value, field)
  return json
}
const commitsOf = async (id: string, call = service.call) => {
  const { json } = await call("GET", `/api/workspaces/${id}/commits?limit=1000`)
  return json.commits as ReadonlyArray<{ sha: string; parents: string[]; session_id: string; changes: Array<{ path: string }> }>
}
const gate = () => Promise.withResolvers<void>()

describe("an answer", () => {
  it("has every field, and names what changed", async () => {
    scripts.set("two files", (turn) => (turn === 1 ? calls(...["b.txt", "a/c.txt"].map((file_path) => ({ name: "Write", input: { file_path, content: "x" } }))) : says("Both.")))
    const answer = await ended(service.call, "two files", "fields")
    assert.deepStrictEqual(Object.keys(answer).sort(), [
      ...["changed_files", "commit", "duration_ms", "error", "org_workspace_files", "output", "session_id"],
      ...["success", "workspace_files", "workspace_id"]
    ])
    const files = ["a/c.txt", "b.txt"]
    assert.deepInclude(answer, { success: true, output: "Both.", error: "", changed_files: files } as never)
    assert.deepStrictEqual([answer.workspace_files, answer.org_workspace_files], [files, files])
    assert.match(answer.commit, /^[0-9a-f]{40}$/)
    assert.isTrue(Number.isInteger(answer.duration_ms) && answer.duration_ms >= 0)
    assert.match(answer.session_id, /^[0-9a-f-]{36}$/)
  })

  it("comes with exactly one commit, also when no file changed", async () => {
    const first = await ended(service.call, "nothing to do", "idle")
    assert.deepStrictEqual([first.changed_files, first.workspace_files], [[], []])
    const second = await ended(service.call, "nothing again", "idle")
    const commits = await commitsOf(first.workspace_id)
    assert.deepStrictEqual(commits.map(({ sha }) => sha), [second.commit, first.commit])
    assert.deepStrictEqual(commits[0]!.parents, [first.commit])
    assert.deepStrictEqual(commits.map(({ changes }) => changes), [[], []])
    assert.deepStrictEqual(commits.map(({ session_id }) => session_id), [second.session_id, first.session_id])
  })

  it("is 200 without success when the model fails, and what was written is saved", async () => {
    scripts.set("fails late", (turn) => (turn === 1 ? write("kept.txt") : { status: 400, message: "no more" }))
    const answer = await ended(service.call, "fails late", "failing")
    assert.deepInclude(answer, { success: false, changed_files: ["kept.txt"], workspace_files: ["kept.txt"] } as never)
    assert.include(answer.error, "no more")
    assert.notInclude(JSON.stringify(answer), api.key)
    assert.strictEqual((await commitsOf(answer.workspace_id)).length, 1)
    scripts.set("fails at once", () => ({ status: 401, message: "bad key" }))
    const none = await ended(service.call, "fails at once", "failing")
    assert.deepInclude(none, { success: false, changed_files: [], workspace_files: ["kept.txt"] } as never)
    assert.strictEqual((await commitsOf(answer.workspace_id)).length, 2)
    const { json } = await service.call("GET", "/api/events?type=ChatFailed&limit=1000")
    const codes = json.events
      .filter(({ data }: { data: { run: string } }) => [answer.session_id, none.session_id].includes(data.run))
      .map(({ data }: { data: { code: string } }) => data.code)
    assert.deepStrictEqual(codes, ["model", "model"])
  })

  it("says when the turns were used up; the last turn's tools still ran", async () => {
    scripts.set("for ever", (turn) => write(`${turn}.txt`))
    const answer = await ended(service.call, "for ever", "endless", { max_turns: 3 })
    assert.isFalse(answer.success)
    assert.include(answer.error, "3 turns")
    assert.deepStrictEqual(answer.changed_files, ["1.txt", "2.txt", "3.txt"])
    assert.strictEqual(asked("for ever").length, 3)
    scripts.set("eight", (turn) => write(`${turn}.txt`))
    await ended(service.call, "eight", "endless")
    assert.strictEqual(asked("eight").length, 8)
  })

  it("comes from the model that was asked for", async () => {
    for (const [given, wanted] of [[undefined, "claude-sonnet-5-5"], ["opus", "claude-opus-5-5"], ["my/model:1", "my/model:1"]]) {
      const prompt = `model ${given}`
      await ended(service.call, prompt, "models", { model: given })
      assert.deepStrictEqual(asked(prompt).map(({ body }) => body.model), [wanted!])
    }
    const answer = await ended(service.call, "no such snippet anywhere", "models", { model: "local" })
    assert.isFalse(answer.success)
    assert.include(answer.error, "ANTHROPIC_API_KEY")
    assert.isEmpty(asked("no such snippet anywhere"))
  })
})

describe("at once", () => {
  it("32 chats on one workspace make one commit each, in one line, and none is lost", async () => {
    const prompts = Array.from({ length: 32 }, (_, n) => `parallel ${n}`)
    for (const [n, prompt] of prompts.entries()) scripts.set(prompt, (turn) => (turn === 1 ? write(`f${n}.txt`) : says("ok")))
    const answers = await Promise.all(prompts.map((prompt) => ended(service.call, prompt, "busy")))
    assert.isTrue(answers.every(({ success }) => success))
    const commits = await commitsOf(answers[0].workspace_id)
    assert.sameMembers(commits.map(({ sha }) => sha), answers.map(({ commit }) => commit))
    for (const [n, { parents }] of commits.entries()) assert.deepStrictEqual(parents, commits.slice(n + 1, n + 2).map(({ sha }) => sha))
    assert.strictEqual((await service.call("GET", `/api/workspaces/${answers[0].workspace_id}/tree`)).json.files.length, 32)
  }, 60_000)

  it("64 votes for different tasks on one snippet all count", async () => {
    await stored(service.call, "popular")
    const { code_block } = (await findByName(service.call, "popular"))!
    const votes = Array.from({ length: 64 }, (_, n) => vote(service.call, code_block.id, n % 4 !== 0, { task: `task ${n}` }))
    for (const { status, json } of await Promise.all(votes)) assert.deepStrictEqual([status, json.vote_pending], [200, true])
    assert.deepInclude(await findByName(service.call, "popular"), { thumbs_up: 48, thumbs_down: 16 })
  })
})

describe("a run", () => {
  it("ends when its key is revoked, with what it had written", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    const { id, key } = await memberKey(call, "m@example.org")
    const shut = gate()
    scripts.set("until revoked", (turn) => ({ ...write(`${turn}.txt`), ...(turn === 2 ? { after: shut.promise } : {}) }))
    const running = chat(service.as(key), "until revoked", "revoked")
    await vi.waitFor(() => assert.strictEqual(asked("until revoked").length, 2), { timeout: 10_000 })
    assert.strictEqual((await call("POST", "/api/keys/org/revoke", { key_id: id })).status, 200)
    shut.resolve()
    const { status, json } = await running
    assert.deepStrictEqual([status, json.success, json.changed_files], [200, false, ["1.txt", "2.txt"]])
    assert.include(json.error, "revoked")
    assert.strictEqual(asked("until revoked").length, 2)
    const { json: log } = await call("GET", "/api/events?type=ChatFailed")
    assert.deepStrictEqual(log.events.map(({ data }: { data: { code: string } }) => data.code), ["revoked"])
    assert.strictEqual((await commitsOf(json.workspace_id, call)).length, 1)
  })

  it("goes on after a restart, ends once, and asks nothing again that was recorded", async () => {
    const place = await newPlace()
    const first = await startService(environment(), place)
    const held = gate()
    const prompt = "long work"
    let restarted = false
    scripts.set(prompt, (turn) => {
      if (turn === 3 && !restarted) return { ...says("never heard"), after: held.promise }
      return turn < 3 ? write(`${turn}.txt`) : says("All done.")
    })
    const lost = chat(first.call, prompt, "longtime").catch(() => undefined)
    await vi.waitFor(() => assert.strictEqual(asked(prompt).length, 3), { timeout: 10_000 })
    await first.stop()
    assert.notStrictEqual((await lost)?.status, 200)
    restarted = true
    held.resolve()

    const second = await startService(environment(), place)
    try {
      const commits = await vi.waitFor(
        async () => {
          const { json } = await second.call("GET", "/api/workspaces")
          assert.strictEqual(json.workspaces[0]?.commits, 1)
          return commitsOf(json.workspaces[0].workspace_id, second.call)
        },
        { timeout: 15_000 }
      )
      assert.deepStrictEqual(commits[0]!.changes.map(({ path }) => path), ["1.txt", "2.txt"])
      // the two turns that were recorded were asked for once; the third again, by who had not heard it
      assert.deepStrictEqual(asked(prompt).map(turnOf), [1, 2, 3, 3])
      // whoever sends the chat again gets that run's answer
      const again = await ended(second.call, prompt, "longtime")
      assert.deepStrictEqual([again.success, again.output, again.commit], [true, "All done.", commits[0]!.sha])
      const rows = await second.sql<{ type: string }>(
        "SELECT type FROM events WHERE stream LIKE 'chat-%' OR stream LIKE 'workspace-%' ORDER BY position"
      )
      assert.deepStrictEqual(rows.map(({ type }) => type), [
        ...["ChatRequested", "ChatStarted", "ModelTurned", "ToolsRan", "ModelTurned", "ToolsRan"],
        ...["ChatResumed", "ModelTurned", "WorkspaceOpened", "ChatCompleted"]
      ])
    } finally {
      await second.stop()
      removePlace(place)
    }
  })
})

describe("a workspace", () => {
  it("is one for an organization and user, and the tenant's own", async () => {
    const other = await organization(service, "FREE")
    const [mine, theirs] = [await ended(service.call, "hello", "own"), await ended(other.call, "hello", "own")]
    assert.notStrictEqual(mine.workspace_id, theirs.workspace_id)
    assert.strictEqual((await ended(service.call, "hello once more", "own")).workspace_id, mine.workspace_id)
    for (const user_id of ["own2", "OWN", "own "]) {
      assert.notStrictEqual((await ended(service.call, "hello", user_id)).workspace_id, mine.workspace_id)
    }
    const elsewhere = await ended(service.call, "hello", "own", { org_id: "acme2" })
    assert.notStrictEqual(elsewhere.workspace_id, mine.workspace_id)
    const { json } = await other.call("GET", "/api/workspaces")
    assert.deepStrictEqual(json.workspaces.map((one: { workspace_id: string }) => one.workspace_id), [theirs.workspace_id])
    const routes = ["commits", `commits/${mine.commit}`, "tree", "files/a.txt", `tree?at=${mine.commit}`, `commits?before=${mine.commit}`]
    for (const route of routes) refused(await other.call("GET", `/api/workspaces/${mine.workspace_id}/${route}`), 404, "not_found/workspace")
    for (const route of [`commits/${theirs.commit}`, `tree?at=${theirs.commit}`, `files/a.txt?at=${theirs.commit}`]) {
      refused(await service.call("GET", `/api/workspaces/${mine.workspace_id}/${route}`), 404, "not_found/commit")
    }
  })

  it("gives raw files that no browser runs, whatever their names and bytes", async () => {
    const long = `${"d".repeat(60)}/${"e".repeat(60)}/${"f".repeat(60)}.html`
    const contents = { "a b.html": "<script>alert(1)</script>", "ü/é?#%.txt": "ü", [long]: "deep" }
    scripts.set("odd files", (turn) =>
      turn === 1
        ? calls(...Object.entries(contents).map(([file_path, content]) => ({ name: "Write", input: { file_path, content } })))
        : says("ok")
    )
    const { workspace_id } = await ended(service.call, "odd files", "raw")
    for (const [path, content] of Object.entries(contents)) {
      const encoded = path.split("/").map(encodeURIComponent).join("/")
      const answer = await service.call("GET", `/api/workspaces/${workspace_id}/files/${encoded}`)
      assert.deepStrictEqual([answer.status, answer.text], [200, content], path)
      const header = (name: string) => answer.headers.get(name)
      assert.deepStrictEqual([header("content-type"), header("x-content-type-options")], ["application/octet-stream", "nosniff"])
      assert.match(header("content-disposition") ?? "", /^attachment/)
      assert.match(header("content-security-policy") ?? "", /sandbox/)
    }
    for (const path of ["none.txt", "ü", "..%2f..%2fHEAD", "%ff", "", "a%20b.html/x"]) {
      const answer = await service.call("GET", `/api/workspaces/${workspace_id}/files/${path}`)
      assert.include(["not_found/file", "not_found/route"], answer.json?.code, path)
      refused(answer, 404, answer.json.code)
    }
    const { json } = await service.call("GET", `/api/workspaces/${workspace_id}/tree`)
    const listed = json.files.map(({ path, size, mode }: { path: string; size: number; mode: string }) => [path, size, mode])
    assert.sameDeepMembers(listed, Object.entries(contents).map(([path, content]) => [path, Buffer.byteLength(content), "100644"]))
  })

  it("shows its commits in pages", async () => {
    const made: Array<string> = []
    for (let n = 0; n < 5; n++) made.unshift((await ended(service.call, `page ${n} ${randomUUID()}`, "pages")).commit)
    const { json } = await service.call("GET", "/api/workspaces")
    const { workspace_id: id, head, commits } = json.workspaces.find((one: { user_id: string }) => one.user_id === "pages")
    assert.deepStrictEqual([head, commits], [made[0], 5])
    const page = async (query: string) =>
      (await service.call("GET", `/api/workspaces/${id}/commits?${query}`)).json.commits.map(({ sha }: { sha: string }) => sha)
    assert.deepStrictEqual(await page("limit=2"), made.slice(0, 2))
    assert.deepStrictEqual(await page(`limit=2&before=${made[1]}`), made.slice(2, 4))
    assert.deepStrictEqual(await page(`before=${made[3]}`), made.slice(4))
    assert.deepStrictEqual(await page(`before=${made[4]}`), [])
  })
})
