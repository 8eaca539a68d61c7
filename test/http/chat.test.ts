import { randomUUID } from "node:crypto"
import { assert, describe, it } from "vitest"
import { calls, says } from "#test/MessagesApi.ts"
import { organization } from "#test/service/tenants.ts"
import { api, asked, commitsOf, ended, scripts, service, startsAgent, write } from "./agent.ts"
import { refused } from "./problem.ts"

startsAgent()

describe("an answer", () => {
  it("has every field, and names what changed", async () => {
    scripts.set("two files", (turn) =>
      turn === 1
        ? calls(...["b.txt", "a/c.txt"].map((file_path) => ({ name: "Write", input: { file_path, content: "x" } })))
        : says("Both.")
    )
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

  it("names what a later chat created or modified, and no other file; what went is in neither list", async () => {
    scripts.set("three files", (turn) =>
      turn === 1
        ? calls(
            ...["a", "b", "c"].map((name) => ({ name: "Write", input: { file_path: `${name}.txt`, content: name } }))
          )
        : says("Three.")
    )
    scripts.set("change them", (turn) =>
      turn === 1
        ? calls(
            { name: "Write", input: { file_path: "b.txt", content: "another" } },
            { name: "Write", input: { file_path: "d.txt", content: "d" } },
            // written as it was
            { name: "Write", input: { file_path: "a.txt", content: "a" } },
            { name: "Bash", input: { command: "rm c.txt" } }
          )
        : says("Changed.\n\nAll *three*, and one more.")
    )
    await ended(service.call, "three files", "changes")
    const answer = await ended(service.call, "change them", "changes")
    assert.deepStrictEqual(answer.changed_files, ["b.txt", "d.txt"])
    assert.deepStrictEqual(answer.workspace_files, ["a.txt", "b.txt", "d.txt"])
    assert.strictEqual(answer.output, "Changed.\n\nAll *three*, and one more.")
  })

  it("says how long it took in milliseconds, from the request to its commit", async () => {
    const { duration_ms, session_id } = await ended(service.call, "how long", "measured")
    const at = async (type: string) => {
      const { json } = await service.call("GET", `/api/events?limit=1000&type=${type}`)
      const event = json.events.find(({ data }: { data: { run: string } }) => data.run === session_id)
      return Date.parse(event.recorded_at)
    }
    assert.strictEqual(duration_ms, (await at("ChatCompleted")) - (await at("ChatRequested")))
    assert.isAbove(duration_ms, 0)
  })

  it("comes with exactly one commit, also when no file changed", async () => {
    const first = await ended(service.call, "nothing to do", "idle")
    assert.deepStrictEqual([first.changed_files, first.workspace_files], [[], []])
    const second = await ended(service.call, "nothing again", "idle")
    const commits = await commitsOf(first.workspace_id)
    assert.deepStrictEqual(
      commits.map(({ sha }) => sha),
      [second.commit, first.commit]
    )
    assert.deepStrictEqual(commits[0]!.parents, [first.commit])
    assert.deepStrictEqual(
      commits.map(({ changes }) => changes),
      [[], []]
    )
    assert.deepStrictEqual(
      commits.map(({ session_id }) => session_id),
      [second.session_id, first.session_id]
    )
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
    // who reads the history sees it too
    const { json } = await service.call("GET", `/api/workspaces/${answer.workspace_id}/commits`)
    const { message } = json.commits[0]
    assert.match(message, /^Failed \(max_turns\): for ever\n\n/)
    assert.match(message, /^Cairn-Failed: max_turns$/m)
    scripts.set("eight", (turn) => write(`${turn}.txt`))
    await ended(service.call, "eight", "endless")
    assert.strictEqual(asked("eight").length, 8)
  })

  it("comes from the model that was asked for", async () => {
    for (const [given, wanted] of [
      [undefined, "claude-sonnet-5-5"],
      ["opus", "claude-opus-5-5"],
      ["my/model:1", "my/model:1"]
    ]) {
      const prompt = `model ${given}`
      const { session_id } = await ended(service.call, prompt, "models", { model: given })
      const turns = await service.sql<{ model: string }>(
        "SELECT data::json->>'model' AS model FROM events WHERE type = 'ModelTurned' AND stream = $1",
        [`chat-${session_id}`]
      )
      assert.deepStrictEqual(turns, [{ model: wanted! }])
      assert.deepStrictEqual(
        asked(prompt).map(({ body }) => body.model),
        [wanted!]
      )
    }
    const answer = await ended(service.call, "no such snippet anywhere", "models", { model: "local" })
    assert.isFalse(answer.success)
    // one is configured, and was not asked for
    assert.notInclude(answer.error, "No language model is configured")
    assert.include(answer.error, "asked for the model `local`")
    assert.isEmpty(asked("no such snippet anywhere"))
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
    assert.deepStrictEqual(
      json.workspaces.map((one: { workspace_id: string }) => one.workspace_id),
      [theirs.workspace_id]
    )
    const routes = [
      "",
      "commits",
      `commits/${mine.commit}`,
      "tree",
      "files/a.txt",
      `tree?at=${mine.commit}`,
      `commits?before=${mine.commit}`
    ]
    for (const route of routes)
      refused(await other.call("GET", `/api/workspaces/${mine.workspace_id}/${route}`), 404, "not_found/workspace")
    for (const [route, field] of [
      [`commits/${theirs.commit}`, "sha"],
      [`commits?before=${theirs.commit}`, "before"],
      [`tree?at=${theirs.commit}`, "at"],
      [`files/a.txt?at=${theirs.commit}`, "at"]
    ]) {
      const answer = await service.call("GET", `/api/workspaces/${mine.workspace_id}/${route}`)
      assert.strictEqual(refused(answer, 404, "not_found/commit").field, field)
    }
  })

  it("gives raw files that no browser runs, whatever their names and bytes", async () => {
    const long = `${"d".repeat(60)}/${"e".repeat(60)}/${"f".repeat(60)}.html`
    const contents = { "a b.html": "<script>alert(1)</script>", "ü/é?#%.txt": "ü", [long]: "deep" }
    scripts.set("odd files", (turn) =>
      turn === 1
        ? calls(
            ...Object.entries(contents).map(([file_path, content]) => ({
              name: "Write",
              input: { file_path, content }
            }))
          )
        : says("ok")
    )
    const { workspace_id } = await ended(service.call, "odd files", "raw")
    for (const [path, content] of Object.entries(contents)) {
      const encoded = path.split("/").map(encodeURIComponent).join("/")
      const answer = await service.call("GET", `/api/workspaces/${workspace_id}/files/${encoded}`)
      assert.deepStrictEqual([answer.status, answer.text], [200, content], path)
      const header = (name: string) => answer.headers.get(name)
      assert.deepStrictEqual(
        [header("content-type"), header("x-content-type-options")],
        ["application/octet-stream", "nosniff"]
      )
      assert.match(header("content-disposition") ?? "", /^attachment/)
      assert.match(header("content-security-policy") ?? "", /sandbox/)
    }
    for (const path of ["none.txt", "ü", "..%2f..%2fHEAD", "%ff", "", "a%20b.html/x"]) {
      const answer = await service.call("GET", `/api/workspaces/${workspace_id}/files/${path}`)
      assert.include(["not_found/file", "not_found/route"], answer.json?.code, path)
      refused(answer, 404, answer.json.code)
    }
    const { json } = await service.call("GET", `/api/workspaces/${workspace_id}/tree`)
    const listed = json.files.map(({ path, size, mode }: { path: string; size: number; mode: string }) => [
      path,
      size,
      mode
    ])
    assert.sameDeepMembers(
      listed,
      Object.entries(contents).map(([path, content]) => [path, Buffer.byteLength(content), "100644"])
    )
  })

  it("shows its commits in pages", async () => {
    const made: Array<string> = []
    for (let n = 0; n < 5; n++) made.unshift((await ended(service.call, `page ${n} ${randomUUID()}`, "pages")).commit)
    const { json } = await service.call("GET", "/api/workspaces")
    const listed = json.workspaces.find((one: { user_id: string }) => one.user_id === "pages")
    const { workspace_id: id, head, commits } = listed
    assert.deepStrictEqual((await service.call("GET", `/api/workspaces/${id}`)).json, listed)
    assert.deepStrictEqual([head, commits], [made[0], 5])
    const page = async (query: string) =>
      (await service.call("GET", `/api/workspaces/${id}/commits?${query}`)).json.commits.map(
        ({ sha }: { sha: string }) => sha
      )
    assert.deepStrictEqual(await page("limit=2"), made.slice(0, 2))
    assert.deepStrictEqual(await page(`limit=2&before=${made[1]}`), made.slice(2, 4))
    assert.deepStrictEqual(await page(`before=${made[3]}`), made.slice(4))
    assert.deepStrictEqual(await page(`limit=2&at=${made[1]}`), made.slice(1, 3))
    const next = async (query: string) =>
      (await service.call("GET", `/api/workspaces/${id}/commits?${query}`)).json.next_before
    assert.deepStrictEqual(
      [await next("limit=2"), await next("limit=5"), await next(`before=${made[4]}`)],
      [made[1], null, null]
    )
    assert.deepStrictEqual(await page(`before=${made[4]}`), [])
  })
})
