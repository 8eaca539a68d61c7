import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { fresh } from "#engine/ask.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { memberKey, organization, personal } from "#test/service/tenants.ts"
import {
  type Answer,
  newInstallation,
  ownerKey,
  removeInstallation,
  type Service,
  startService
} from "#test/service.ts"
import { refused } from "./problem.ts"

const nobody = `cairn_live_${"x".repeat(43)}`
const create = "/api/keys/org/create"
const list = "/api/keys/org/list"
const revoke = "/api/keys/org/revoke"
const none = "00000000-0000-4000-8000-000000000000"

describe("managing keys", () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  /** What the three operations answer to one caller. */
  const all = async (call: Service["call"], headers = {}): Promise<ReadonlyArray<Answer>> => [
    await call("POST", create, { email: "new@example.org", key_name: "k" }, headers),
    await call("POST", list, undefined, headers),
    await call("POST", revoke, { key_id: none }, headers)
  ]
  const listed = async (call: Service["call"]) =>
    (await call("POST", list)).json.keys as Array<{ id: string; name: string }>

  it("is refused without a key, and with one that is none", async () => {
    for (const answer of await all(service.call, { authorization: "" })) refused(answer, 401, "auth/missing_api_key")
    for (const authorization of ["Bearer ", "Bearer", "Basic abc", `Token ${ownerKey}`]) {
      for (const answer of await all(service.call, { authorization })) refused(answer, 401, "auth/missing_api_key")
    }
    for (const key of [nobody, "x", `${ownerKey}x`, ownerKey.slice(0, -1), ownerKey.toLowerCase()]) {
      for (const answer of await all(service.as(key))) {
        refused(answer, 401, "auth/invalid_api_key")
        assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer/)
      }
    }
  })

  it("needs an organization", async () => {
    const { call } = await personal(service, "alone@example.org")
    for (const answer of await all(call)) refused(answer, 403, "permission/not_org_member")
  })

  it("needs the enterprise tier", async () => {
    for (const tier of ["FREE", "PRO"] as const) {
      const { call } = await organization(service, tier)
      for (const answer of await all(call)) refused(answer, 403, "permission/enterprise_required")
    }
  })

  it("needs an admin's or the owner's key; only the owner's makes admins", async () => {
    const { call, id } = await organization(service, "ENTERPRISE")
    const member = service.as((await memberKey(call, "m@example.org")).key)
    for (const answer of await all(member)) refused(answer, 403, "permission/admin_key_required")
    const admin = service.as((await memberKey(call, "a@example.org", "admin")).key)
    const promoting = await admin("POST", create, { email: "b@example.org", key_name: "k", role: "admin" })
    assert.strictEqual(refused(promoting, 403, "permission/only_owner_can_promote").field, "role")
    const owner = await call("POST", create, { email: "b@example.org", key_name: "k", role: "owner" })
    assert.strictEqual(refused(owner, 400, "validation/invalid_field").field, "role")
    // authority is the key's: one that an admin makes for the owner's address is a member's
    const disguised = await memberKey(admin, "olga@example.org", "member")
    assert.deepInclude(disguised, { is_new_member: false, role: "member" })
    for (const answer of await all(service.as(disguised.key))) refused(answer, 403, "permission/admin_key_required")
    const made = await memberKey(admin, "C@Example.ORG")
    assert.deepStrictEqual(
      [made.user_email, made.organization_id, made.organization_name, made.is_new_member],
      ["c@example.org", id, "ENTERPRISE & Co", true]
    )
    refused(await admin("POST", revoke, { key_id: none }), 404, "not_found/api_key")
  })

  it("gives a key for somebody who is known their role unless told, and never more than the maker's", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    const own = await memberKey(call, "olga@example.org")
    assert.deepInclude(own, { is_new_member: false, role: "owner" })
    const owners = service.as(own.key)
    const keys = (await owners("POST", list)).json.keys
    assert.deepInclude(keys.at(-1), { id: own.id, role: "owner" })
    assert.deepInclude(await memberKey(owners, "a@example.org", "admin"), { is_new_member: true, role: "admin" })
    const again = await memberKey(owners, "a@example.org")
    assert.deepInclude(again, { is_new_member: false, role: "admin" })
    const admins = service.as(again.key)
    assert.deepInclude(await memberKey(admins, "olga@example.org"), { is_new_member: false, role: "admin" })
    assert.deepInclude(await memberKey(admins, "new@example.org"), { is_new_member: true, role: "member" })
    assert.deepInclude(await memberKey(owners, "a@example.org", "member"), { role: "member" })
  })

  it("gives the secret once, and lists live keys only, without it", async () => {
    const { call, id } = await organization(service, "ENTERPRISE")
    const made = await memberKey(call, "m@example.org")
    assert.match(made.key, /^cairn_live_[0-9A-Za-z]{43}$/)
    assert.strictEqual(made.key_prefix, made.key.slice(0, 20))
    assert.strictEqual(new Date(made.created_at).toISOString(), made.created_at)
    const answer = await call("POST", list)
    assert.strictEqual(answer.json.organization_id, id)
    assert.notInclude(answer.text, made.key)
    const [owners, members] = answer.json.keys
    assert.deepStrictEqual(members, {
      id: made.id,
      name: "m@example.org's",
      key_prefix: made.key_prefix,
      user_email: "m@example.org",
      user_id: members.user_id,
      role: "member",
      acts_for: "own",
      acts_as: null,
      read_only: false,
      expires_at: null,
      workspaces: null,
      models: null,
      created_at: made.created_at,
      last_used_at: null
    })
    assert.strictEqual(owners.user_email, "olga@example.org")
    assert.match(members.user_id, /^[0-9a-f-]{36}$/)

    await service.as(made.key)("GET", "/api/workspaces")
    await vi.waitFor(
      async () => {
        const [, used] = (await call("POST", list)).json.keys
        assert.isNotNull(used.last_used_at)
        assert.isAtMost(Math.abs(Date.now() - Date.parse(used.last_used_at)), 60_000)
      },
      { timeout: 60_000 }
    )
    // what the log says to the hour is known more exactly beside it; the later of both is shown
    for (const [at, shown] of [
      ["2001-01-01T00:00:00.000Z", null],
      ["2101-01-01T00:00:00.000Z", "2101-01-01T00:00:00.000Z"]
    ] as const) {
      // the sighting itself may not be noted yet
      await service.sql(
        "INSERT INTO key_sightings VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET seen_at = excluded.seen_at",
        [made.id, at]
      )
      // the log may hear of it after the sighting
      await vi.waitFor(
        async () => {
          const [, { last_used_at }] = (await call("POST", list)).json.keys
          if (shown === null) assert.isAtMost(Math.abs(Date.now() - Date.parse(last_used_at)), 60_000)
          else assert.strictEqual(last_used_at, shown)
        },
        { timeout: 60_000 }
      )
    }
    assert.strictEqual((await call("POST", revoke, { key_id: made.id })).json.success, true)
    assert.notInclude(
      (await listed(call)).map(({ id }) => id),
      made.id
    )
  })

  it("takes bodies as existing clients send them", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    for (const body of [undefined, "", "{}", "null"]) {
      const headers = { "content-type": "application/json" }
      assert.strictEqual((await call("POST", list, body, headers)).status, 200, String(body))
    }
    const nulls = { email: "e@example.org", key_name: "k", role: null }
    assert.strictEqual((await call("POST", create, nulls)).status, 200)
  })

  it("revokes at once, once, and only in the own organization", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    const { id, key } = await memberKey(call, "m@example.org")
    const member = service.as(key)
    // the key is known to the service when it is revoked
    for (let time = 0; time < 3; time++) assert.strictEqual((await member("GET", "/api/workspaces")).status, 200)
    refused(await service.call("POST", revoke, { key_id: id }), 404, "not_found/api_key")
    assert.strictEqual((await member("GET", "/api/workspaces")).status, 200)
    const { status, json } = await call("POST", revoke, { key_id: id })
    assert.deepStrictEqual([status, json], [200, { success: true, key_id: id }])
    refused(await member("GET", "/api/workspaces"), 401, "auth/invalid_api_key")
    refused(await call("POST", revoke, { key_id: id }), 404, "not_found/api_key")
    refused(await call("POST", revoke, { key_id: "no uuid" }), 404, "not_found/api_key")
  })

  it("caps members, the owner among them; a member's further key is no member", async () => {
    const { call } = await organization(service, "ENTERPRISE", 2)
    assert.isTrue((await memberKey(call, "one@example.org")).is_new_member)
    const over = await call("POST", create, { email: "two@example.org", key_name: "k" })
    refused(over, 400, "validation/member_limit_reached")
    assert.include(over.json.message, "2 members")
    assert.isFalse((await memberKey(call, "ONE@example.org")).is_new_member)
    assert.isFalse((await memberKey(call, "olga@example.org")).is_new_member)
    assert.strictEqual((await listed(call)).length, 4)
  })

  it("never gives out more seats than there are, whoever asks at once", async () => {
    const { call } = await organization(service, "ENTERPRISE", 4)
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => call("POST", create, { email: `p${n}@example.org`, key_name: "k" }))
    )
    assert.strictEqual(answers.filter(({ status }) => status === 200).length, 3)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      refused(answer, 400, "validation/member_limit_reached")
    }
  })
})

describe("rates", () => {
  it("are 20, 30 and 10 a minute for each key, and say when to come again", async () => {
    const service = await startService({ CAIRN_RATE_LIMITS: "other=3" })
    try {
      const { call } = await organization(service, "ENTERPRISE")
      const burst = async (count: number, path: string, body: (n: number) => unknown) => {
        const answers: Array<Answer> = []
        for (let n = 0; n < count; n++) answers.push(await call("POST", path, body(n)))
        return answers
      }
      const [created, lists, revoked] = [
        await burst(21, create, (n) => ({ email: `r${n}@example.org`, key_name: "k" })),
        await burst(31, list, () => undefined),
        await burst(11, revoke, () => ({ key_id: none }))
      ]
      for (const [answers, status] of [
        [created, 200],
        [lists, 200],
        [revoked, 404]
      ] as const) {
        assert.deepStrictEqual([...new Set(answers.slice(0, -1).map((answer) => answer.status))], [status])
        const last = answers.at(-1)!
        refused(last, 429, "rate_limit/exceeded")
        assert.match(last.headers.get("retry-after") ?? "", /^[1-9]\d?$/)
        // a minute that is counted in the database is up to a second longer
        assert.isAtMost(Number(last.headers.get("retry-after")), 61)
      }
      // another key has a minute of its own, and other paths another count
      assert.strictEqual((await service.call("POST", list)).status, 200)
      for (let n = 0; n < 3; n++) assert.strictEqual((await call("GET", "/api/workspaces")).status, 200)
      refused(await call("GET", "/api/workspaces"), 429, "rate_limit/exceeded")
      assert.strictEqual((await listedDirectly(service, "r19@example.org")).length, 1)
      assert.strictEqual((await listedDirectly(service, "r20@example.org")).length, 0)
    } finally {
      await service.close()
    }
  })
  const listedDirectly = async (service: Service, email: string) => {
    await service.run(Effect.asVoid(fresh(Keys)))
    return service.sql("SELECT id FROM keys_v4.members WHERE email = $1", [email])
  }
})

describe("the owner's key", () => {
  it("is what CAIRN_OWNER_KEY says, and on a store with others must be one of its owners'", async () => {
    const installation = await newInstallation()
    const first = await startService({}, installation)
    assert.strictEqual((await first.call("POST", list)).json.keys[0].key_prefix, ownerKey.slice(0, 20))
    const member = (await memberKey(first.call, "m@example.org", "admin")).key
    await first.stop()
    const again = await startService({ CAIRN_OWNER_KEY: "" }, installation)
    assert.strictEqual((await again.call("POST", list)).status, 200)
    await again.stop()
    for (const key of [nobody, member]) {
      const refusal = await startService({ CAIRN_OWNER_KEY: key }, installation).then(() => undefined, String)
      assert.include(refusal ?? "", "CAIRN_OWNER_KEY is wrong")
    }
    assert.isFalse(existsSync(join(installation.dataDir, "owner.key")))
    removeInstallation(installation)
  })

  it("is refused when it has not the form of a key", async () => {
    for (const key of ["secret", "cairn_live_short", `${ownerKey}0`, ownerKey.replace("cairn", "rs")]) {
      const refusal = await startService({ CAIRN_OWNER_KEY: key }).then(() => undefined, String)
      assert.include(refusal ?? "", "CAIRN_OWNER_KEY is wrong: expected")
      assert.notInclude(refusal!, key)
    }
  })
})
