import { randomUUID } from "node:crypto"
import { assert, describe, it, vi } from "vitest"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { lastTime } from "#domain/times.ts"
import { dispatch } from "#engine/dispatch.ts"
import { issueKey } from "#src/keys/issue.ts"
import { says } from "#test/MessagesApi.ts"
import { call as callTool, request } from "#test/mcp/rpc.ts"
import { memberKey, organization, personal } from "#test/service/tenants.ts"
import { asked, chat, chatting, commitsOf, ended, scripts, service, startsAgent, write } from "./agent.ts"
import { refused } from "./problem.ts"
import { listen } from "./sse.ts"
import { findByName, remove, stored } from "./store.ts"

startsAgent()

const limiting = "/api/keys/org/limit"
const writing = (prompt: string) => scripts.set(prompt, (turn) => (turn === 1 ? write("a.txt", "one\n") : says("ok")))

/** An organization of its own with a workspace of Ada's and one of Bob's. */
const staffed = async () => {
  const { call, id, key } = await organization(service, "ENTERPRISE")
  writing("begin")
  const ada = await ended(call, "begin", "ada@example.org")
  const bob = await ended(call, "begin", "bob@example.org")
  return { call, id, key, ada: String(ada.workspace_id), bob: String(bob.workspace_id), commit: String(bob.commit) }
}

const idsOf = async (key: string): Promise<ReadonlyArray<string>> => {
  const { json } = await service.as(key)("GET", "/api/workspaces")
  return json.workspaces.map(({ workspace_id }: { workspace_id: string }) => workspace_id).sort()
}

/** That a workspace is none for this key, in whatever way it is asked for. */
const isNone = async (key: string, workspace: string, commit: string) => {
  const by = service.as(key)
  for (const path of ["", "commits", `commits/${commit}`, "tree", "files/a.txt"])
    refused(await by("GET", `/api/workspaces/${workspace}/${path}`), 404, "not_found/workspace")
  refused(await by("POST", `/api/workspaces/${workspace}/restore`, { commit }), 404, "not_found/workspace")
  refused(await by("DELETE", `/api/workspaces/${workspace}/files/a.txt`), 404, "not_found/workspace")
  for (const git of ["git-upload-pack", "git-receive-pack"])
    refused(await by("GET", `/git/${workspace}.git/info/refs?service=${git}`), 404, "not_found/workspace")
  const { json } = await request(service.url, key, "resources/read", { uri: `cairn://workspaces/${workspace}/files` })
  assert.isDefined(json.error, JSON.stringify(json))
  const { json: file } = await request(service.url, key, "resources/read", {
    uri: `cairn://workspaces/${workspace}/files/a.txt`
  })
  assert.isDefined(file.error, JSON.stringify(file))
}

describe("a member's key", () => {
  it("works in the workspaces of its own person, and in nobody else's", async () => {
    const { call, ada, bob, commit } = await staffed()
    const { key, acts_for } = await memberKey(call, "ada@example.org")
    assert.strictEqual(acts_for, "own")
    const by = service.as(key)
    assert.deepStrictEqual(await idsOf(key), [ada])
    assert.strictEqual((await by("GET", `/api/workspaces/${ada}/files/a.txt`)).text, "one\n")
    assert.strictEqual((await by("GET", `/git/${ada}.git/info/refs?service=git-upload-pack`)).status, 200)
    await isNone(key, bob, commit)
    writing("go on")
    assert.strictEqual((await ended(by, "go on", "ADA@example.org")).success, true)
    for (const user of ["bob@example.org", "ada", "", "ada@example.org "]) {
      const answer = await chat(by, "go on", user)
      assert.include([400, 403], answer.status, answer.text)
      if (user.trim() !== "") assert.strictEqual(answer.json.code, "permission/not_your_workspace", user)
      const opened = await by("POST", "/api/workspaces", { org_id: "acme", user_id: user })
      assert.include([400, 403], opened.status, opened.text)
    }
    const given = { user_query: "go on", user_id: "bob@example.org", org_id: "acme" }
    const tool = await callTool(service.url, key, "chat", given)
    assert.isTrue(tool.failed)
    assert.include(tool.text, "acts_for")
  })

  it("has the user_id that it was made with, instead of the e-mail", async () => {
    const { call, ada } = await staffed()
    const { key, acts_as } = await memberKey(call, "ada@example.org", "member", { acts_as: "U-17" })
    assert.strictEqual(acts_as, "U-17")
    writing("as U-17")
    const { workspace_id } = await ended(service.as(key), "as U-17", "U-17")
    assert.deepStrictEqual(await idsOf(key), [workspace_id])
    assert.notStrictEqual(workspace_id, ada)
    for (const user of ["ada@example.org", "u-17"])
      refused(await chat(service.as(key), "as U-17", user), 403, "permission/not_your_workspace")
  })

  it("works for whoever it is told to when an admin made it with acts_for any, as the owner's key does", async () => {
    const { call, key, ada, bob } = await staffed()
    const { key: back } = await memberKey(call, "backend@example.org", "member", { acts_for: "any" })
    writing("for anybody")
    for (const one of [back, key]) {
      assert.sameMembers(
        [...(await idsOf(one))].slice(0, 9).filter((id) => id === ada || id === bob),
        [ada, bob]
      )
      assert.isTrue((await ended(service.as(one), "for anybody", "bob@example.org")).success)
    }
    // and a member can't give it to themselves
    const { key: mine } = await memberKey(call, "ada@example.org")
    const { key_id } = (await call("POST", "/api/keys/org/list")).json.keys.at(-1)
    refused(await service.as(mine)("POST", limiting, { key_id, acts_for: "any" }), 403, "permission/admin_key_required")
  })

  it("deletes what its person stored, with whichever key that was, and nothing else", async () => {
    const { call } = await staffed()
    const first = await memberKey(call, "ada@example.org")
    const second = await memberKey(call, "ada@example.org")
    const other = await memberKey(call, "bob@example.org")
    await stored(service.as(first.key), "adas_sort")
    await stored(service.as(other.key), "bobs_sort")
    refused(await remove(service.as(second.key), "bobs_sort"), 403, "permission/not_your_snippet")
    assert.isDefined(await findByName(call, "bobs_sort"))
    assert.strictEqual((await remove(service.as(second.key), "adas_sort")).status, 200)
    assert.isUndefined(await findByName(call, "adas_sort"))
    assert.strictEqual((await remove(call, "bobs_sort")).status, 200, "the owner's key acts for any")
  })
})

describe("a key's bounds", () => {
  it("are its workspaces and models, in whatever way they are asked for", async () => {
    const { call, ada, bob, commit } = await staffed()
    const { key } = await memberKey(call, "backend@example.org", "member", {
      acts_for: "any",
      workspaces: [ada],
      models: ["haiku"]
    })
    assert.deepStrictEqual(await idsOf(key), [ada])
    await isNone(key, bob, commit)
    writing("bounded")
    const by = service.as(key)
    refused(await chat(by, "bounded", "bob@example.org", { model: "haiku" }), 403, "permission/not_your_workspace")
    for (const more of [{}, { model: "opus" }])
      refused(await chat(by, "bounded", "ada@example.org", more), 403, "permission/limited_key")
    assert.isTrue((await ended(by, "bounded", "ada@example.org", { model: "haiku" })).success)
    const { models, full_ids } = (await by("GET", "/api/models")).json
    assert.deepStrictEqual([models.map(({ name }: { name: string }) => name), full_ids], [["haiku"], false])
  })

  it("and its organization's are what full ids of models are measured by", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    const mayNameAny = async () => (await call("GET", "/api/models")).json.full_ids
    assert.isTrue(await mayNameAny())
    // they are none of the names that are allowed, and nobody has said what they cost
    for (const bounds of [{ models: ["haiku"] }, { cost_per_month: 1 }]) {
      assert.strictEqual((await call("POST", "/api/bounds", bounds)).status, 200)
      assert.isFalse(await mayNameAny(), JSON.stringify(bounds))
    }
  })

  it("end it no later than in the year 9999 in UTC, and keep nobody out by that", async () => {
    const { call } = await staffed()
    const late = { email: "late@example.org", key_name: "late", role: "member" }
    for (const expires_at of ["9999-12-31T23:59:59-05:00", "9999-12-31T23:59:59.999-00:01"])
      refused(await call("POST", "/api/keys/org/create", { ...late, expires_at }), 400, "validation/invalid_field")
    const last = "9999-12-31T23:59:59.999Z"
    const made = await memberKey(call, "last@example.org", "member", { expires_at: last })
    assert.strictEqual(made.expires_at, last)
    assert.strictEqual((await service.as(made.key)("GET", "/api/workspaces")).status, 200)
  })

  it("end it in the year 9999 at the latest, also where a log from before has a later time", async () => {
    const { call, id } = await staffed()
    const before = new Date(lastTime + 5 * 3_600_000)
    assert.match(before.toISOString(), /^\+010000/)
    const { full, key } = issueKey(randomUUID(), "from before")
    const commandId = randomUUID()
    await service.run(
      dispatch(Organization, {
        tenant: id,
        stream: `organization-${id}`,
        commandId,
        correlationId: commandId,
        actor: { key: null, user: null, organization: null },
        command: OrganizationCommand.CreateKey({
          by: null,
          member: { user: randomUUID(), email: "before@example.org" },
          role: "member",
          key: { ...key, userId: null },
          limits: { expiresAt: before.getTime() }
        })
      })
    )
    const { keys } = (await call("POST", "/api/keys/org/list")).json
    const found = keys.find(({ name }: { readonly name: string }) => name === "from before")
    assert.strictEqual(found.expires_at, "9999-12-31T23:59:59.999Z")
    assert.strictEqual((await service.as(full)("GET", "/api/workspaces")).status, 200)
  })

  it("end it at its time: requests, MCP, git and streams", async () => {
    const { call, ada } = await staffed()
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const made = await memberKey(call, "audit@example.org", "admin", { expires_at })
    const { key, id } = made
    assert.strictEqual(made.expires_at, expires_at)
    const stream = await listen(service, "/api/events/stream?type=MemberAdded", key)
    assert.isDefined(await stream.next())
    refused(await call("POST", limiting, { key_id: id, expires_at: "2020-01-01" }), 400, "validation/invalid_field")
    const soon = new Date(Date.now() + 300).toISOString()
    assert.strictEqual((await call("POST", limiting, { key_id: id, expires_at: soon })).json.expires_at, soon)
    const by = service.as(key)
    const { message } = refused(
      await vi.waitFor(async () => {
        const answer = await by("GET", "/api/workspaces")
        assert.strictEqual(answer.status, 401)
        return answer
      }, 30_000),
      401,
      "auth/invalid_api_key"
    )
    assert.include(message, "expired")
    const rest = await stream.until(() => false)
    assert.strictEqual(rest.at(-1)!.data.reason, "revoked")
    assert.strictEqual((await by("GET", `/git/${ada}.git/info/refs?service=git-upload-pack`)).status, 401)
    assert.strictEqual((await request(service.url, key, "tools/list")).status, 401)
  })

  it("that change end what is under way: a chat before its next turn, an event stream", async () => {
    const { call } = await staffed()
    const { key, id } = await memberKey(call, "ada@example.org", "admin")
    const shut = Promise.withResolvers<void>()
    const stream = await listen(service, "/api/events/stream?type=MemberAdded", key)
    scripts.set("until bounded", (turn) => ({
      ...write(`${turn}.txt`),
      ...(turn === 2 ? { after: shut.promise } : {})
    }))
    const running = chat(service.as(key), "until bounded", "ada@example.org")
    await vi.waitFor(() => assert.strictEqual(asked("until bounded").length, 2), 60_000)
    assert.strictEqual((await call("POST", limiting, { key_id: id, read_only: true, models: ["opus"] })).status, 200)
    shut.resolve()
    const { json } = await running
    assert.deepStrictEqual([json.success, json.changed_files], [false, ["1.txt", "2.txt"]])
    assert.strictEqual(asked("until bounded").length, 2)
    const rest = await stream.until(() => false)
    assert.strictEqual(rest.at(-1)!.data.reason, "revoked")
    refused(await chat(service.as(key), "x", "ada@example.org"), 403, "permission/read_only_key")
  })

  it("that leave out a workspace end who follows a run there, though their key works elsewhere", async () => {
    const { call, key: owner, bob } = await staffed()
    const { key, id } = await memberKey(call, "backend@example.org", "member", { acts_for: "any" })
    const held = Promise.withResolvers<void>()
    scripts.set("followed", () => ({ ...says("ok"), held: held.promise }))
    const accept = "text/event-stream"
    const given = { user_query: "followed", user_id: "ada@example.org", org_id: "acme" }
    const running = await listen(service, chatting, owner, { accept }, given)
    const [requested] = await running.take(1)
    const following = await listen(service, `/api/runs/${requested!.data.run_id}`, key, { accept })
    await following.take(1)
    assert.strictEqual((await call("POST", limiting, { key_id: id, workspaces: [bob] })).status, 200)
    const { event, data } = (await following.until(() => false)).at(-1)!
    assert.deepStrictEqual([event, data.reason], ["end", "revoked"])
    assert.deepStrictEqual(await idsOf(key), [bob])
    held.resolve()
    assert.strictEqual((await running.until((message) => message.event === "answer")).at(-1)!.data.answer.success, true)
  }, 60_000)

  it("are told by the list of keys, with role and last use; the list of people tells theirs", async () => {
    const { call, id } = await staffed()
    const made = await memberKey(call, "ada@example.org", "reader", { read_only: true, expires_at: "2040-01-31" })
    await service.as(made.key)("GET", "/api/workspaces")
    const listed = await vi.waitFor(async () => {
      const { keys } = (await call("POST", "/api/keys/org/list")).json
      const found = keys.find((key: { id: string }) => key.id === made.id)
      assert.isNotNull(found.last_used_at)
      return found
    }, 60_000)
    assert.deepInclude(listed, {
      role: "reader",
      acts_for: "own",
      read_only: true,
      expires_at: "2040-01-31T00:00:00.000Z",
      workspaces: null,
      models: null
    })
    const { users, organization_id, next_cursor } = (await call("GET", "/api/users")).json
    assert.deepStrictEqual([organization_id, next_cursor], [id, null])
    const [olga, ada] = users
    assert.deepInclude(olga, { user_email: "olga@example.org", role: "owner", keys: 1 })
    assert.deepInclude(ada, { user_email: "ada@example.org", role: "reader", keys: 1, user_id: listed.user_id })
    // of two that know when it was used the later one counts, and one of them may not have known yet
    assert.isAtLeast(Date.parse(ada.last_used_at), Date.parse(listed.last_used_at))
    const page = (await call("GET", "/api/users?limit=1")).json
    assert.deepStrictEqual(page.users, [olga])
    const next = (await call("GET", `/api/users?limit=1&cursor=${page.next_cursor}`)).json
    assert.deepStrictEqual([next.users[0].user_id, next.next_cursor], [ada.user_id, null])
  })
})

describe("a person's role", () => {
  it("changes for all keys that they hold, at once", async () => {
    const { call } = await staffed()
    const one = await memberKey(call, "ada@example.org")
    const two = await memberKey(call, "ada@example.org")
    const { users } = (await call("GET", "/api/users")).json
    const { user_id } = users.find(({ user_email }: { user_email: string }) => user_email === "ada@example.org")
    const change = (role: string, by = call) => by("POST", `/api/users/${user_id}/role`, { role })
    assert.deepStrictEqual((await change("reader")).json, { success: true, user_id, role: "reader" })
    for (const { key } of [one, two]) {
      const { message } = refused(await chat(service.as(key), "x", "ada@example.org"), 403, "permission/role_required")
      assert.include(message, "this one's role is reader")
    }
    assert.strictEqual((await change("admin")).status, 200)
    for (const { key } of [one, two]) assert.strictEqual((await service.as(key)("GET", "/api/users")).status, 200)
    refused(await change("owner"), 400, "validation/invalid_field")
    const olga = users[0].user_id
    refused(await call("POST", `/api/users/${olga}/role`, { role: "member" }), 409, "conflict/owner_stays")
    refused(await change("member", service.as(one.key)), 403, "permission/only_owner_can_promote")
    const alone = await personal(service, "alone@example.org")
    refused(await alone.call("GET", "/api/users"), 403, "permission/not_org_member")
  })
})

describe("who acted", () => {
  it("is in the trailers of the commit, and in the event", async () => {
    const { call } = await staffed()
    const { key, id } = await memberKey(call, "ada@example.org")
    const by = service.as(key)
    writing("signed")
    const { workspace_id, commit } = await ended(by, "signed", "ada@example.org")
    const { events } = (await call("GET", `/api/events?stream=workspace-${workspace_id}`)).json
    const { actor } = events.at(-1)
    assert.strictEqual(actor.key_id, id)
    const messageOf = async (sha: unknown) =>
      String((await by("GET", `/api/workspaces/${workspace_id}/commits/${sha}`)).json.message)
    const trailers = `Cairn-Key: ${id}\nCairn-User: ${actor.user_id}\n`
    assert.include(await messageOf(commit), trailers)
    const { json } = await by("POST", `/api/workspaces/${workspace_id}/restore`, {
      commit: (await commitsOf(String(workspace_id), by)).at(-1)!.sha
    })
    assert.include(await messageOf(json.commit), trailers)
    assert.strictEqual((await call("POST", chatting, {})).status, 400)
  })
})
