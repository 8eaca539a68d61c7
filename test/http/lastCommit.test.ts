import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { Effect, Stream } from "effect"
import * as Tar from "effect/encoding/Tar"
import { assert, beforeAll, describe, it, vi } from "vitest"
import { WorkspaceCommand } from "#domain/Workspace/commands.ts"
import { Workspace } from "#domain/Workspace/decider.ts"
import { dispatch } from "#engine/dispatch.ts"
import { schemaOf } from "#engine/Projection.ts"
import { Workspaces } from "#projections/Workspaces/tables.ts"
import { given } from "#test/commands.ts"
import { tablesWith } from "#test/erased.ts"
import { noGit } from "#test/infra/git/git.ts"
import { says } from "#test/MessagesApi.ts"
import { call as callTool } from "#test/mcp/rpc.ts"
import { memberKey, organization, personal } from "#test/service/tenants.ts"
import type { Service } from "#test/service.ts"
import { asked, chatting, commitsOf, ended, scripts, service, startsAgent, write } from "./agent.ts"
import { good, makesClones, place, urlOf } from "./clone.ts"
import { refused } from "./problem.ts"

startsAgent()
makesClones()

type Call = Service["call"]

interface Person {
  readonly key: string
  readonly call: Call
  /** As a workspace says it, whose last commit is theirs. */
  readonly by: {
    readonly key_id: string
    readonly user_id: string
    readonly organization_id: string | null
    readonly email: string
  }
}

let call: Call
let id: string
let owner: Person

beforeAll(async () => {
  const made = await organization(service, "ENTERPRISE")
  id = made.id
  call = made.call
  const access = (await call("GET", "/api/access")).json
  const by = { key_id: access.key_id, user_id: access.user_id, organization_id: id, email: access.user_email }
  owner = { key: made.key, call, by }
})

/** Somebody of the organization, who works in everybody's workspaces unless told. */
const person = async (
  name: string,
  {
    role = "member",
    acts_for = "any"
  }: { readonly role?: "member" | "admin" | "reader"; readonly acts_for?: string } = {}
): Promise<Person> => {
  const email = `${name.toLowerCase()}@example.org`
  const { key } = await memberKey(call, email, role, { acts_for })
  const as = service.as(key)
  const { key_id, user_id } = (await as("GET", "/api/access")).json
  return { key, call: as, by: { key_id, user_id, organization_id: id, email } }
}

const fine = async (answering: ReturnType<Call>) => {
  const { status, json, text } = await answering
  assert.strictEqual(status, 200, text)
  return json
}

const put = (by: Call, workspace: string, content: string) =>
  fine(by("PUT", `/api/workspaces/${workspace}/files/a.txt`, content))

/** Who made a workspace's last commit, as the list says it and the workspace by its id. */
const lastBy = async (workspace: string, by: Call = call) => {
  const one = await fine(by("GET", `/api/workspaces/${workspace}`))
  const { workspaces } = await fine(by("GET", "/api/workspaces"))
  assert.deepInclude(workspaces, one)
  return one.updated_by
}

/** A workspace of its own, opened by the owner, with one file of theirs. */
const opened = async (user: string = randomUUID()): Promise<string> => {
  const { workspace_id } = await fine(call("POST", "/api/workspaces", { org_id: "acme", user_id: user }))
  await put(call, workspace_id, "one\n")
  assert.deepStrictEqual(await lastBy(workspace_id), owner.by)
  return workspace_id
}

const archive = async () => {
  const tar = Stream.make(Tar.file("in.txt", "x")).pipe(Stream.pipeThroughChannel(Tar.encode()), Stream.runCollect)
  return new Uint8Array(gzipSync(Buffer.concat([...(await Effect.runPromise(tar))])))
}

/** What each way of a commit to come about does in a workspace of a user's. */
const ways: ReadonlyArray<readonly [string, (by: Person, workspace: string, user: string) => Promise<unknown>]> = [
  ["put a file", ({ call }, workspace) => put(call, workspace, "two\n")],
  ["deleted a file", ({ call }, workspace) => fine(call("DELETE", `/api/workspaces/${workspace}/files/a.txt`))],
  [
    "unpacked an archive",
    async ({ call }, workspace) => fine(call("POST", `/api/workspaces/${workspace}/archive`, await archive()))
  ],
  [
    "restored an earlier commit",
    async ({ call }, workspace) => {
      const empty = (await commitsOf(workspace, call)).at(-1)!.sha
      return fine(call("POST", `/api/workspaces/${workspace}/restore`, { commit: empty }))
    }
  ],
  [
    "asked a chat that succeeded",
    async ({ call }, _, user) => {
      scripts.set(`write for ${user}`, (turn) => (turn === 1 ? write("b.txt") : says("ok")))
      assert.isTrue((await ended(call, `write for ${user}`, user)).success)
    }
  ],
  [
    "asked a chat that failed",
    async ({ call }, _, user) => {
      scripts.set(`go on for ${user}`, () => write("b.txt"))
      assert.isFalse((await ended(call, `go on for ${user}`, user, { max_turns: 1 })).success)
    }
  ],
  [
    "asked a chat over MCP",
    async ({ key }, _, user) => {
      const asking = { user_query: `hello from ${user}`, user_id: user, org_id: "acme" }
      const tool = await callTool(service.url, key, "chat", asking)
      assert.isFalse(tool.failed, tool.text)
    }
  ]
]

describe("who made a workspace's last commit", () => {
  it("is who opened it", async () => {
    const somebody = await person("opens")
    const { workspace_id } = await fine(somebody.call("POST", "/api/workspaces", { org_id: "acme", user_id: "opened" }))
    assert.deepStrictEqual(await lastBy(workspace_id), somebody.by)
    // who finds it there made nothing
    await fine(call("POST", "/api/workspaces", { org_id: "acme", user_id: "opened" }))
    assert.deepStrictEqual(await lastBy(workspace_id), somebody.by)
  })

  it.each(ways)("is who %s", async (way, does) => {
    const user = randomUUID()
    const workspace = await opened(user)
    const somebody = await person(way.replaceAll(" ", "-"))
    await does(somebody, workspace, user)
    assert.deepStrictEqual(await lastBy(workspace), somebody.by)
  })

  it.skipIf(noGit)("is who pushed it, whatever authors its commits have", async () => {
    const workspace = await opened()
    const somebody = await person("pushes")
    const clone = place()
    await good("clone", "-q", urlOf(workspace, somebody.key), clone)
    writeFileSync(join(clone, "c.txt"), "three\n")
    await good("-C", clone, "add", "-A")
    const author = ["-c", "user.name=Pia Push", "-c", "user.email=pia@example.org"]
    await good("-C", clone, ...author, "commit", "-q", "-m", "by hand")
    await good("-C", clone, "push", "-q", "origin", "main")
    assert.deepStrictEqual(await lastBy(workspace), somebody.by)
  })

  it("is who asked for a chat that another one cancelled", async () => {
    const user = randomUUID()
    const workspace = await opened(user)
    const somebody = await person("is-cancelled")
    const held = Promise.withResolvers<void>()
    const prompt = `held for ${user}`
    scripts.set(prompt, () => ({ ...says("ok"), after: held.promise }))
    const body = { user_query: prompt, user_id: user, org_id: "acme" }
    const { json } = await somebody.call("POST", chatting, body, { prefer: "respond-async" })
    await vi.waitFor(() => assert.lengthOf(asked(prompt), 1), 60_000)
    assert.deepStrictEqual(await lastBy(workspace), owner.by)
    await fine(call("POST", `/api/runs/${json.run_id}/cancel`))
    held.resolve()
    await vi.waitFor(
      async () => assert.strictEqual((await fine(call("GET", `/api/runs/${json.run_id}`))).state, "cancelled"),
      60_000
    )
    assert.deepStrictEqual(await lastBy(workspace), somebody.by)
  })

  it("is the same when somebody comes who changes nothing", async () => {
    const workspace = await opened()
    const somebody = await person("changes-nothing")
    await put(somebody.call, workspace, "one\n")
    const [head] = await commitsOf(workspace, call)
    await fine(somebody.call("POST", `/api/workspaces/${workspace}/restore`, { commit: head!.sha }))
    assert.deepStrictEqual(await lastBy(workspace), owner.by)
  })

  it("is of the workspace that is there now, when one was erased and opened again", async () => {
    const user = randomUUID()
    const workspace = await opened(user)
    const somebody = await person("begins-again")
    await fine(call("DELETE", `/api/workspaces/${workspace}`))
    await fine(somebody.call("POST", "/api/workspaces", { org_id: "acme", user_id: user }))
    assert.deepStrictEqual(await lastBy(workspace), somebody.by)
  })

  it("has no organization where a person has none", async () => {
    const email = `${randomUUID()}@example.org`
    const alone = await personal(service, email)
    const { workspace_id } = await fine(alone.call("POST", "/api/workspaces", { org_id: "o", user_id: "u" }))
    const { key_id, user_id } = (await alone.call("GET", "/api/access")).json
    assert.deepStrictEqual(await lastBy(workspace_id, alone.call), { key_id, user_id, organization_id: null, email })
  })

  it("loses the address of somebody who is erased, keeps the ids, and no table has the address", async () => {
    const workspace = await opened()
    const somebody = await person("leaves")
    await put(somebody.call, workspace, "two\n")
    assert.deepStrictEqual(await lastBy(workspace), somebody.by)
    const told = await service.sql<{ row: string }>(
      `SELECT w::text AS row FROM "${schemaOf(Workspaces)}".workspaces w WHERE id = $1`,
      [workspace]
    )
    assert.include(told[0]!.row, somebody.by.user_id)
    assert.notInclude(told[0]!.row, somebody.by.email)
    await fine(call("DELETE", `/api/users/${somebody.by.user_id}`))
    assert.deepStrictEqual(await lastBy(workspace), { ...somebody.by, email: "erased" })
    assert.deepStrictEqual(await tablesWith(service.sql, somebody.by.email), [])
    // who is added again by the same address is the same person
    await person("leaves")
    assert.deepStrictEqual(await lastBy(workspace), somebody.by)
  })

  it("is told to whoever may read the workspace, and to nobody else", async () => {
    const theirs = await person("works-alone", { acts_for: "own" })
    const other = await person("works-elsewhere", { acts_for: "own" })
    const reader = await person("reads", { role: "reader", acts_for: "any" })
    const workspace = await opened(theirs.by.email)
    for (const { call } of [theirs, reader, owner]) assert.deepStrictEqual(await lastBy(workspace, call), owner.by)
    const strangers = [other.call, (await organization(service, "ENTERPRISE")).call]
    for (const call of strangers) {
      refused(await call("GET", `/api/workspaces/${workspace}`), 404, "not_found/workspace")
      assert.notInclude((await call("GET", "/api/workspaces")).text, owner.by.key_id)
    }
  })

  it("is external where it was somebody of another organization, whatever is known of them", async () => {
    const workspace = await opened()
    const { head } = await fine(call("GET", `/api/workspaces/${workspace}`))
    const change = {
      workspace,
      commit: "f".repeat(40),
      parent: head,
      tree: "e".repeat(40),
      how: "put",
      created: 0,
      modified: 0,
      deleted: 0
    } as const
    const command = WorkspaceCommand.ChangeFiles({ generation: 0, change })
    const actor = { key: randomUUID(), user: owner.by.user_id, organization: randomUUID() }
    await service.run(dispatch(Workspace, { ...given(`workspace-${workspace}`, command), tenant: id, actor }))
    const external = "external"
    assert.deepStrictEqual(await lastBy(workspace), {
      key_id: external,
      user_id: external,
      organization_id: external,
      email: external
    })
  })
})
