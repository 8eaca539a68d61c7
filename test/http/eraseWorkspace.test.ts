import { randomUUID } from "node:crypto"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, vi } from "vitest"
import { erase as appendErasure } from "#src/workspaces/restore.ts"
import { says } from "#test/MessagesApi.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { startService } from "#test/service.ts"
import { asked, chat, commitsOf, ended, environment, scripts, service, startsAgent, write } from "./agent.ts"
import { refused } from "./problem.ts"

startsAgent()

const erase = (id: string, call = service.call) => call("DELETE", `/api/workspaces/${id}`)
const folderOf = (id: string, name = id) => join(service.dataDir, "workspaces", `${name}.git`)
const secret = "the kumquat of Vladivostok"

const wrote = (user: string, path = "a.txt") => {
  const prompt = `write ${secret} to ${path} for ${user}`
  scripts.set(prompt, (turn) => (turn === 1 ? write(path, secret) : says(secret)))
  return ended(service.call, prompt, user)
}

/** Everything that the database has, but what is known of keys. */
const everything = async (about: string) => {
  const tables = await service.sql<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`
  )
  const found: Array<string> = []
  for (const { name } of tables) {
    const [row] = await service.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${name} t
       WHERE position($1 in t::text) > 0 OR position(encode(convert_to($1, 'UTF8'), 'hex') in t::text) > 0`,
      [about]
    )
    if (row!.count > 0) found.push(name)
  }
  return found
}

/** Runs that have not ended, as a read of this moment sees it. */
const openRuns = async () => {
  await service.call("GET", "/api/workspaces")
  return (await service.sql("SELECT id FROM workspaces_v5.runs")).length
}

describe("erasing a workspace", () => {
  it("removes its text, its history and its repository, and nothing of another", async () => {
    const kept = await wrote("kept")
    const gone = await wrote("gone")
    await wrote("gone", "b.txt")
    const id = gone.workspace_id
    assert.isNotEmpty(await everything("Vladivostok to b.txt for gone"))
    assert.isTrue(existsSync(folderOf(id)))

    const { status, json, headers } = await erase(id)
    assert.deepStrictEqual(
      [status, json],
      [
        200,
        { success: true, erased: { commits: 2, chats: 2, files: 2 }, position: headers.get("cairn-position") as string }
      ]
    )
    assert.strictEqual(json.position, String(await service.head()))
    assert.isFalse(existsSync(folderOf(id)))
    assert.deepStrictEqual(
      readdirSync(join(service.dataDir, "workspaces")).filter((name) => name.includes(id)),
      []
    )

    for (const route of ["commits", `commits/${gone.commit}`, "tree", `tree?at=${gone.commit}`, "files/a.txt"])
      refused(await service.call("GET", `/api/workspaces/${id}/${route}`), 404, "not_found/workspace")
    const { json: list } = await service.call("GET", "/api/workspaces")
    assert.notInclude(
      list.workspaces.map(({ workspace_id }: { readonly workspace_id: string }) => workspace_id),
      id
    )
    assert.deepStrictEqual(await everything("Vladivostok to b.txt for gone"), [])
    refused(await erase(id), 404, "not_found/workspace")
    refused(
      await service.call("POST", `/api/workspaces/${id}/restore`, { commit: gone.commit }),
      404,
      "not_found/workspace"
    )

    assert.strictEqual((await commitsOf(kept.workspace_id)).length, 1)
    const { text } = await service.call("GET", `/api/workspaces/${kept.workspace_id}/files/a.txt`)
    assert.strictEqual(text, secret)
    const { json: log } = await service.call("GET", `/api/events?stream=workspace-${id}&limit=1000`)
    assert.deepStrictEqual(
      log.events.map(({ type, data }: { type: string; data: { text?: unknown } }) => [type, data.text ?? null]),
      [...["WorkspaceOpened", "ChatCompleted", "ChatCompleted", "WorkspaceErased"].map((type) => [type, null])]
    )
  })

  it("is for owners and admins, of the tenant's own", async () => {
    const { workspace_id: id } = await wrote("guarded")
    const stranger = await organization(service, "ENTERPRISE")
    refused(await erase(id, stranger.call), 404, "not_found/workspace")
    const member = await memberKey(service.call, "member@example.org")
    refused(await erase(id, service.as(member.key)), 403, "permission/admin_key_required")
    refused(await erase("nothing"), 404, "not_found/workspace")
    refused(await erase("00000000-0000-5000-8000-000000000000"), 404, "not_found/workspace")
    assert.isTrue(existsSync(folderOf(id)))
    const admin = await memberKey(service.call, "admin@example.org", "admin")
    assert.strictEqual((await erase(id, service.as(admin.key))).status, 200)
  })

  it("lets the same pair begin anew: empty, without a past, in a repository of its own", async () => {
    const before = await wrote("anew")
    const id = before.workspace_id
    await erase(id)
    scripts.set("look around", (turn) => (turn === 1 ? write("new.txt") : says("empty")))
    const after = await ended(service.call, "look around", "anew")
    assert.strictEqual(after.workspace_id, id)
    assert.deepStrictEqual(after.workspace_files, ["new.txt"])
    assert.isTrue(existsSync(folderOf(id, `${id}-1`)))
    const [commit, ...others] = await commitsOf(id)
    assert.deepStrictEqual([commit!.parents, others], [[], []])
    refused(await service.call("GET", `/api/workspaces/${id}/commits/${before.commit}`), 404, "not_found/commit")
    // the very chat of before is a new one
    const again = await wrote("anew")
    assert.notStrictEqual(again.session_id, before.session_id)
    assert.deepStrictEqual(again.workspace_files, ["a.txt", "new.txt"])
    const { json } = await erase(id)
    assert.deepStrictEqual(json.erased, { commits: 2, chats: 2, files: 2 })
    assert.isFalse(existsSync(folderOf(id, `${id}-1`)))
    refused(await erase(id), 404, "not_found/workspace")
    const third = await wrote("anew")
    assert.deepStrictEqual(third.workspace_files, ["a.txt"])
  })

  it("stops the runs of before, whose callers are told; later ones go on", async () => {
    const { workspace_id: id } = await wrote("busy")
    const held = Promise.withResolvers<void>()
    scripts.set("for long", (turn) => (turn === 1 ? write("b.txt") : { ...says("ok"), after: held.promise }))
    const running = chat(service.call, "for long", "busy")
    await vi.waitFor(() => assert.strictEqual(asked("for long").length, 2), { timeout: 60_000 })
    scripts.set("waits behind", () => says("never"))
    const waiting = chat(service.call, "waits behind", "busy")
    await vi.waitFor(async () => assert.strictEqual(await openRuns(), 2), { timeout: 60_000 })

    // the model has not answered yet
    const { status, json } = await erase(id)
    assert.deepStrictEqual([status, json.erased], [200, { commits: 1, chats: 3, files: 1 }])
    for (const answer of [await running, await waiting]) refused(answer, 409, "conflict/workspace_erased")
    assert.isEmpty(asked("waits behind"))
    assert.isFalse(existsSync(folderOf(id)))
    assert.strictEqual(await openRuns(), 0)
    held.resolve()
    // what was refused can be asked again, and is a new chat in the new workspace
    const again = await ended(service.call, "waits behind", "busy")
    assert.deepStrictEqual(again.workspace_files, [])
    assert.isFalse(existsSync(folderOf(id)))
    assert.notInclude(service.log.join("\n"), "a request failed")
  })

  it("takes a workspace whose first chat has yet to end", async () => {
    const held = Promise.withResolvers<void>()
    scripts.set("first of all", () => ({ ...says("ok"), after: held.promise }))
    const running = chat(service.call, "first of all", "unopened")
    await vi.waitFor(() => assert.strictEqual(asked("first of all").length, 1), { timeout: 60_000 })
    const { json } = await service.call("GET", "/api/events?type=ChatRequested&limit=1000")
    const id = json.events.at(-1).data.workspace
    assert.deepStrictEqual((await erase(id)).json.erased, { commits: 0, chats: 1, files: 0 })
    refused(await running, 409, "conflict/workspace_erased")
    held.resolve()
    refused(await erase(id), 404, "not_found/workspace")
  })

  it("with the same Idempotency-Key is answered again; a chat's key stands for the chat that was erased", async () => {
    const prompt = "once and for all"
    scripts.set(prompt, () => says("done"))
    const headers = { "idempotency-key": "a chat" }
    const body = { user_query: prompt, user_id: "keyed", org_id: "acme" }
    const first = await service.call("POST", "/api/agent-chat", body, headers)
    const id = first.json.workspace_id
    const one = await service.call("DELETE", `/api/workspaces/${id}`, undefined, { "idempotency-key": "erase it" })
    const again = await service.call("DELETE", `/api/workspaces/${id}`, undefined, { "idempotency-key": "erase it" })
    assert.deepStrictEqual([again.status, again.json], [200, one.json])
    refused(await service.call("POST", "/api/agent-chat", body, headers), 409, "conflict/workspace_erased")
    assert.strictEqual(asked(prompt).length, 1)
  })

  it("in another process stops a run here at its next step", async () => {
    const place = { database: service.database, dataDir: service.dataDir }
    const other = await startService(environment(), place)
    try {
      const { workspace_id: id } = await wrote("elsewhere")
      const held = Promise.withResolvers<void>()
      scripts.set("far away", (turn) => (turn === 1 ? write("b.txt") : { ...write("c.txt"), after: held.promise }))
      const running = chat(service.call, "far away", "elsewhere")
      await vi.waitFor(() => assert.strictEqual(asked("far away").length, 2), { timeout: 60_000 })
      const { status } = await erase(id, other.call)
      held.resolve()
      assert.strictEqual(status, 200)
      refused(await running, 409, "conflict/workspace_erased")
      assert.isFalse(existsSync(folderOf(id)))
    } finally {
      await other.stop()
    }
  })

  it("is finished by the service when who erased it came no further than the log", async () => {
    const { workspace_id: id } = await wrote("unfinished")
    const held = Promise.withResolvers<void>()
    scripts.set("still at it", () => ({ ...says("ok"), after: held.promise }))
    const running = chat(service.call, "still at it", "unfinished")
    await vi.waitFor(() => assert.strictEqual(asked("still at it").length, 1), { timeout: 60_000 })
    const [row] = await service.sql<{ tenant: string }>("SELECT tenant FROM events WHERE stream = $1", [
      `workspace-${id}`
    ])
    const commandId = randomUUID()
    const actor = { key: null, user: null, organization: null }
    await service.run(appendErasure(row!.tenant, id, { commandId, correlationId: commandId, actor }))
    refused(await running, 409, "conflict/workspace_erased")
    await vi.waitFor(() => assert.isFalse(existsSync(folderOf(id))), { timeout: 60_000 })
    held.resolve()
  })
})
