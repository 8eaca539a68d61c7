import { readFileSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Access, operations } from "#domain/access/operations.ts"
import { accessOf, isExpired, isLimited, isPermitted, refusalOf } from "#domain/access/permitted.ts"
import { mayTakeAway, worksIn } from "#domain/access/reach.ts"
import { isAbove, type KeyLimits, Role, unlimited } from "#domain/Key.ts"
import type { Holder } from "#domain/Scope.ts"
import { request } from "#test/mcp/rpc.ts"
import type { Answer } from "#test/service/call.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { asked, type Endpoint, endpoints, nowhere } from "./everyOperation.ts"
import { refused } from "./problem.ts"

/** Codes that say that a role or a key's bounds are not enough, whatever is asked for. */
const codes = ["permission/admin_key_required", "permission/role_required", "permission/read_only_key"]

const may = (role: Role, { least }: Access): boolean => least === "anyone" || !isAbove(least, role)

/** Rows of the page's table, by operation. */
const page = new Map(
  readFileSync(new URL("../../docs/access.md", import.meta.url), "utf8")
    .split("\n")
    .filter((line) => /^\| `\w+\.\w+`/.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map(([, id, ...cells]) => [id!.slice(1, -1), cells.slice(0, 6)] as const)
)

describe("the table of who may do what", () => {
  it("has every operation, and none that is not there", () => {
    const there = [...endpoints.map(([id]) => id), "git.fetch", "git.push", "mcp.messages"]
    assert.deepStrictEqual(Object.keys(operations).sort(), there.sort())
  })

  it("is the page's", () => {
    const mark = (yes: boolean) => (yes ? "✓" : "–")
    const rows = Object.entries<Access>(operations).map(([id, access]): [string, ReadonlyArray<string>] => [
      id,
      access.least === "anyone"
        ? ["no key", "no key", "no key", "no key", "no key", "–"]
        : [...Role.literals.map((role) => mark(may(role, access))), mark(access.does === "reads"), access.within ?? "–"]
    ])
    assert.deepStrictEqual([...page], rows)
  })

  it("is asked wherever a key is, and says anyone where none is", () => {
    for (const [id, { middlewares }] of endpoints) {
      const secured = [...middlewares].some(({ key }) => key === "cairn/Authentication")
      assert.strictEqual(accessOf(id)?.least !== "anyone", secured, id)
    }
  })

  it("lets nobody do what it has not", () => {
    const owner: Holder = {
      key: "k",
      user: "u",
      tenant: "t",
      organization: "t",
      tier: "ENTERPRISE",
      role: "owner",
      limits: unlimited,
      operates: true,
      email: "o@example.org",
      userId: null,
      secret: "s"
    }
    for (const id of ["chat.dance", "toString", "__proto__", ""])
      assert.strictEqual(refusalOf(owner, id)?._tag, "UnlistedOperation", id)
    assert.isUndefined(refusalOf(owner, "chat.chat"))
  })
})

describe("a backup, which has the data of every organization", () => {
  const holder = (role: Role, operates: boolean): Holder => ({
    key: "k",
    user: "u",
    tenant: "t",
    organization: "t",
    tier: "ENTERPRISE",
    role,
    operates,
    limits: unlimited,
    email: "o@example.org",
    userId: null,
    secret: "s"
  })

  it("is for owners of the operator's organization alone, by keys that nothing bounds", () => {
    const told = (holder: Holder) => refusalOf(holder, "backups.backup")?._tag
    assert.isUndefined(told(holder("owner", true)))
    assert.strictEqual(told(holder("owner", false)), "OperatorRequired")
    for (const role of ["admin", "member", "reader"] as const)
      assert.strictEqual(told(holder(role, true)), "RoleRequired", role)
    for (const limits of [{ workspaces: [] }, { models: ["m"] }, { actsFor: "own" } as const])
      assert.strictEqual(told({ ...holder("owner", true), limits: { ...unlimited, ...limits } }), "LimitedKey")
    assert.strictEqual(told({ ...holder("owner", true), organization: null }), "NotOrganizationMember")
  })
})

describe("a key that is bounded", () => {
  const holder = (role: Role, limits: Partial<KeyLimits>): Holder => ({
    key: "k",
    user: "u",
    tenant: "t",
    organization: "t",
    tier: "ENTERPRISE",
    role,
    limits: { ...unlimited, ...limits },
    operates: true,
    email: "o@example.org",
    userId: null,
    secret: "s"
  })
  const kept = (limits: Partial<KeyLimits>, role: Role = "owner") =>
    Object.keys(operations)
      .filter((id) => refusalOf(holder(role, limits), id)?._tag === "LimitedKey")
      .sort()

  it("to its own person makes and bounds no keys, and does not read what all do, whatever its role", () => {
    const managing = [
      "activity.activity",
      "events.event",
      "events.eventStream",
      "events.events",
      "events.newestEvents",
      "keys.createKey",
      "keys.limitKey",
      "snippets.retrievals"
    ]
    assert.deepStrictEqual(kept({ actsFor: "own" }, "admin"), managing)
    const operating = ["backups.backup", "organization.erase", "service.requests", "service.status"]
    const replaying = ["replays.cancelReplay", "replays.replay", "replays.replays"]
    replaying.push("asOf.asOfRows", "asOf.asOfs", "asOf.dropAsOf", "asOf.makeAsOf")
    assert.deepStrictEqual(kept({ actsFor: "own" }, "owner"), [...managing, ...operating, ...replaying].sort())
    assert.deepStrictEqual(kept({}), [])
  })

  it("to some workspaces or models manages nothing, and is told its own usage", () => {
    const managing = Object.entries<Access>(operations)
      .filter(([, { least, within }]) => (least === "admin" || least === "owner") && within === undefined)
      .map(([id]) => id)
      .sort()
    for (const limits of [{ workspaces: [] }, { models: [] }, { workspaces: ["w"], models: ["m"] }])
      assert.deepStrictEqual(kept(limits), managing)
    for (const limits of [{ workspaces: [] }, { models: ["m"] }, { actsFor: "own" } as const])
      assert.isTrue(isLimited({ ...unlimited, ...limits }))
    for (const limits of [{}, { readOnly: true }, { expiresAt: 1 }])
      assert.isFalse(isLimited({ ...unlimited, ...limits }))
  })

  it("takes away what its own person stored, and not what nobody is known to have; works where its person is known to", () => {
    const own = { ...holder("member", { actsFor: "own" }), user: "u" }
    assert.deepStrictEqual(
      ["u", "other", null].map((storedBy) => mayTakeAway(own, storedBy)),
      [true, false, false]
    )
    assert.isTrue(mayTakeAway(holder("member", {}), null))
    for (const user of [undefined, "", "p@example.org"]) assert.isFalse(worksIn(own, { id: "w", user }), user)
    assert.isTrue(worksIn(own, { id: "w", user: "O@Example.org" }))
    assert.isFalse(worksIn(holder("owner", { workspaces: [] }), { id: "w", user: undefined }))
    assert.isTrue(worksIn(holder("owner", { workspaces: ["w"] }), { id: "w", user: undefined }))
  })

  it("is over at its time, to the millisecond, and then may nothing", () => {
    const until = holder("owner", { expiresAt: 1_000 })
    assert.deepStrictEqual(
      [isExpired(until, 999), isExpired(until, 1_000), isExpired(holder("owner", {}), 9e15)],
      [false, true, false]
    )
    assert.deepStrictEqual(
      [isPermitted(until, "chat.chat", 999), isPermitted(until, "chat.chat", 1_000)],
      [true, false]
    )
    assert.isFalse(isPermitted(undefined, "chat.chat", 0))
    assert.isFalse(isPermitted(holder("reader", {}), "chat.chat", 0))
  })
})

describe("over HTTP", () => {
  let service: Service
  const keys = new Map<string, string>()
  beforeAll(async () => {
    service = await startService()
    const { call, key } = await organization(service, "ENTERPRISE")
    keys.set("owner", key)
    for (const role of ["admin", "member", "reader"] as const)
      keys.set(role, (await memberKey(call, `${role}@example.org`, role, { acts_for: "any" })).key)
    keys.set("read-only", (await memberKey(call, "looks@example.org", "admin", { read_only: true })).key)
    keys.set("limited", (await memberKey(call, "bounded@example.org", "admin", { models: ["haiku", "local"] })).key)
  })
  afterAll(() => service.close())

  const by = (who: string) => service.as(keys.get(who)!)
  const isRefused = ({ status, json }: Answer) => status === 403 && codes.includes(json?.code)

  /** What a key is told by an operation; a stream is not waited for. */
  const tried = async (who: string, id: string, endpoint: Endpoint) => {
    const [method, path, body] = asked(id, endpoint)
    if (id !== "events.eventStream") return by(who)(method, path, body)
    const leaving = new AbortController()
    const headers = { authorization: `Bearer ${keys.get(who)}` }
    const answer = await fetch(service.url + path, { headers, signal: leaving.signal })
    const text = answer.status === 200 ? "" : await answer.text()
    leaving.abort()
    return { status: answer.status, text, json: text === "" ? undefined : JSON.parse(text) } as Answer
  }

  it.each(Role.literals)("every operation is done or refused as it says: %s", async (role) => {
    for (const [id, endpoint] of endpoints) {
      const answer = await tried(role, id, endpoint)
      assert.notInclude([401, 405, 500], answer.status, `${id}: ${answer.text}`)
      assert.strictEqual(isRefused(answer), !may(role, accessOf(id)!), `${id} as ${role}: ${answer.text}`)
      if (isRefused(answer))
        assert.include(answer.json.message, `one's role is ${role}`, "it says which role is not enough")
    }
    const clone = await by(role)("GET", `/git/${nowhere}.git/info/refs?service=git-upload-pack`)
    refused(clone, 404, "not_found/workspace")
    const push = await by(role)("GET", `/git/${nowhere}.git/info/refs?service=git-receive-pack`)
    if (may(role, accessOf("git.push")!)) refused(push, 404, "not_found/workspace")
    else assert.isTrue(isRefused(push), push.text)
  })

  it("a key that only reads is refused what writes, whatever its role", async () => {
    for (const [id, endpoint] of endpoints) {
      const { least, does } = accessOf(id)!
      const answer = await tried("read-only", id, endpoint)
      // whose role is not enough is told that first
      const expected = least !== "anyone" && does === "writes" && may("admin", accessOf(id)!)
      assert.strictEqual(answer.json?.code === "permission/read_only_key", expected, `${id}: ${answer.text}`)
    }
    for (const [method, path] of [
      ["GET", "info/refs?service=git-receive-pack"],
      ["POST", "git-receive-pack"]
    ] as const)
      refused(await by("read-only")(method, `/git/${nowhere}.git/${path}`), 403, "permission/read_only_key")
  })

  it("a key that is limited to some models or workspaces is refused what concerns all", async () => {
    for (const [id, endpoint] of endpoints) {
      const { least, within } = accessOf(id)!
      const answer = await tried("limited", id, endpoint)
      const expected = least === "admin" && within === undefined
      assert.strictEqual(answer.json?.code === "permission/limited_key", expected, `${id}: ${answer.text}`)
    }
  })

  const tools = {
    search: ["snippets.search", { task: "sort a list" }],
    upload: ["snippets.upload", { task: "sort a list", file: { path: "s.py", content: "def s(): pass" } }],
    vote: ["snippets.vote", { code_block_id: nowhere, up: true, task: "sort a list" }],
    patterns: ["patterns.taskPatterns", { task: "sort a list" }],
    chat: ["chat.chat", { user_query: "hello", user_id: "u", org_id: "o", model: "local" }]
  } as const satisfies { readonly [tool: string]: readonly [operation: keyof typeof operations, given: object] }

  it.each([...Role.literals, "read-only"])("MCP's tools do what the same key may do otherwise: %s", async (who) => {
    const key = keys.get(who)!
    const listed = (await request(service.url, key, "tools/list")).json.result.tools
    assert.sameMembers(
      listed.map(({ name }: { name: string }) => name),
      Object.keys(tools)
    )
    for (const [name, [id, given]] of Object.entries(tools)) {
      const access = accessOf(id)!
      const { json, text } = await request(service.url, key, "tools/call", { name, arguments: given })
      const code = json.result._meta["cairn/answer"]?.code
      const allowed = who === "read-only" ? access.does === "reads" : may(who as Role, access)
      assert.strictEqual(codes.includes(code), !allowed, `${name} as ${who}: ${text}`)
    }
  })

  it.each(Role.literals)("MCP's resources are read by who reads: %s", async (role) => {
    const key = keys.get(role)!
    const { json, text } = await request(service.url, key, "resources/read", { uri: "cairn://workspaces" })
    assert.isDefined(json.result, text)
  })
})
