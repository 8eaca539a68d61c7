import { assert, describe, it } from "vitest"
import { blobOf } from "#test/blobOf.ts"
import { says } from "#test/MessagesApi.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { commitsOf, ended, scripts, service, startsAgent, write } from "./agent.ts"
import { refused } from "./problem.ts"

startsAgent()

/** A chat that writes one file. */
const wrote = (path: string, content: string, user: string) => {
  const prompt = `write ${content} to ${path} for ${user}`
  scripts.set(prompt, (turn) => (turn === 1 ? write(path, content) : says("ok")))
  return ended(service.call, prompt, user)
}

const restore = (id: string, commit: unknown, call = service.call) =>
  call("POST", `/api/workspaces/${id}/restore`, { commit })

const filesOf = async (id: string) => {
  const { json } = await service.call("GET", `/api/workspaces/${id}/tree`)
  const paths: ReadonlyArray<string> = json.files.map(({ path }: { readonly path: string }) => path)
  const read = async (path: string) =>
    [path, (await service.call("GET", `/api/workspaces/${id}/files/${path}`)).text] as const
  return Object.fromEntries(await Promise.all(paths.map(read)))
}

describe("restoring a workspace", () => {
  it("makes a further commit with the files of an earlier one", async () => {
    const one = await wrote("a.txt", "one", "restored")
    await wrote("b.txt", "bee", "restored")
    const three = await wrote("a.txt", "three", "restored")
    const id = one.workspace_id
    const { status, json, headers } = await restore(id, one.commit)
    assert.deepStrictEqual([status, json.success], [200, true])
    assert.strictEqual(Number(headers.get("cairn-position")), await service.head())
    assert.deepStrictEqual(await filesOf(id), { "a.txt": "one" })
    const commits = await commitsOf(id)
    assert.strictEqual(commits.length, 4)
    assert.deepInclude(commits[0], { sha: json.commit, parents: [three.commit], session_id: null } as never)
    assert.deepStrictEqual(commits[0]!.changes as unknown, [
      { path: "a.txt", status: "modified", sha: blobOf("one") },
      { path: "b.txt", status: "deleted", sha: blobOf("bee") }
    ])
    const { json: commit } = await service.call("GET", `/api/workspaces/${id}/commits/${json.commit}`)
    assert.deepStrictEqual(commit.author, { name: "restored", email: `${id}@cairn` })
    assert.include(commit.message, `Cairn-Event: ${commit.event_id}`)
    assert.include(commit.message, `Cairn-Restored: ${one.commit}`)
    assert.match(commit.diff, /^-three$/m)
    const { json: list } = await service.call("GET", "/api/workspaces")
    const row = list.workspaces.find(({ workspace_id }: { readonly workspace_id: string }) => workspace_id === id)
    assert.deepInclude(row, { head: json.commit, commits: 4, files: 1 })

    // and the next chat goes on from there; what was restored away comes back the same way
    const five = await wrote("c.txt", "sea", "restored")
    assert.deepStrictEqual(five.workspace_files, ["a.txt", "c.txt"])
    assert.strictEqual((await restore(id, three.commit)).status, 200)
    assert.deepStrictEqual(await filesOf(id), { "a.txt": "three", "b.txt": "bee" })
  })

  it("changes nothing when the files are these already", async () => {
    const one = await wrote("a.txt", "one", "unchanged")
    const head = await service.head()
    const { status, json } = await restore(one.workspace_id, one.commit)
    assert.deepStrictEqual([status, json], [200, { success: true, commit: one.commit }])
    await wrote("a.txt", "two", "unchanged")
    const back = await restore(one.workspace_id, one.commit)
    const again = await restore(one.workspace_id, one.commit)
    assert.deepStrictEqual(again.json, { success: true, commit: back.json.commit })
    assert.strictEqual((await commitsOf(one.workspace_id)).length, 3)
    assert.isAbove(await service.head(), head)
  })

  it("is not waited for by a run, whose files come on top of it", async () => {
    const one = await wrote("a.txt", "one", "between")
    await wrote("b.txt", "two", "between")
    const held = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    scripts.set("meanwhile", (turn) => {
      if (turn === 1) return write("c.txt", "three")
      asked.resolve()
      return { ...says("ok"), after: held.promise }
    })
    const running = ended(service.call, "meanwhile", "between")
    await asked.promise
    const restored = await restore(one.workspace_id, one.commit)
    assert.strictEqual(restored.status, 200)
    held.resolve()
    const { commit, workspace_files } = await running
    assert.deepStrictEqual(workspace_files, ["a.txt", "c.txt"])
    const [last] = await commitsOf(one.workspace_id)
    assert.deepInclude(last, { sha: commit, parents: [restored.json.commit] } as never)
  })

  it("at once from several callers makes one line of commits", async () => {
    const made: Array<{ readonly commit: string; readonly workspace_id: string }> = []
    for (let n = 0; n < 4; n++) made.push(await wrote("n.txt", `${n}`, "racing"))
    const id = made[0]!.workspace_id
    const targets = [0, 1, 2, 0, 1, 2, 0, 1]
    const answers = await Promise.all(targets.map((n) => restore(id, made[n]!.commit)))
    for (const { status, text } of answers) assert.strictEqual(status, 200, text)
    const commits = await commitsOf(id)
    for (const [n, { parents }] of commits.entries())
      assert.deepStrictEqual(
        parents,
        commits.slice(n + 1, n + 2).map(({ sha }) => sha)
      )
    const shas = commits.map(({ sha }) => sha)
    for (const { json } of answers) assert.include(shas, json.commit)
  })

  it("with the same Idempotency-Key is done once, also after others have moved on", async () => {
    const one = await wrote("a.txt", "one", "keyed")
    await wrote("a.txt", "two", "keyed")
    const body = { commit: one.commit }
    const path = `/api/workspaces/${one.workspace_id}/restore`
    const first = await service.call("POST", path, body, { "idempotency-key": "restore it" })
    await wrote("a.txt", "three", "keyed")
    const again = await service.call("POST", path, body, { "idempotency-key": "restore it" })
    assert.deepStrictEqual(again.json, first.json)
    assert.deepStrictEqual(await filesOf(one.workspace_id), { "a.txt": "three" })
  })

  it("is for the tenant's own workspaces and their own commits, and any of its keys", async () => {
    const [mine, other] = [await wrote("a.txt", "one", "mine"), await wrote("a.txt", "one", "other")]
    await wrote("a.txt", "two", "mine")
    const stranger = await organization(service, "ENTERPRISE")
    refused(await restore(mine.workspace_id, mine.commit, stranger.call), 404, "not_found/workspace")
    refused(await restore("nothing", mine.commit), 404, "not_found/workspace")
    for (const commit of [other.commit, "f".repeat(40), "HEAD", mine.commit.slice(0, 12), "../x"])
      assert.strictEqual(refused(await restore(mine.workspace_id, commit), 404, "not_found/commit").field, "commit")
    for (const commit of [undefined, null, "", 1])
      refused(await restore(mine.workspace_id, commit), 400, "validation/invalid_field")
    const { key } = await memberKey(service.call, "m@example.org", "member", { acts_for: "any" })
    assert.strictEqual((await restore(mine.workspace_id, mine.commit, service.as(key))).status, 200)
  })
})
