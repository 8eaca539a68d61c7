import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { memberKey, organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"

const create = "/api/keys/org/create"
const list = "/api/keys/org/list"
const revoke = "/api/keys/org/revoke"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const idsOf = async (call: Service["call"]): Promise<ReadonlyArray<string>> =>
  (await call("POST", list)).json.keys.map(({ id }: { id: string }) => id)

describe("keys of an organization", () => {
  it("are made, listed and revoked by its admins as by its owner", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    for (const by of [call, service.as((await memberKey(call, "a@example.org", "admin")).key)]) {
      const made = await memberKey(by, `${randomUUID()}@example.org`)
      assert.include(await idsOf(by), made.id)
      const { status, json } = await by("POST", revoke, { key_id: made.id })
      assert.deepStrictEqual([status, json], [200, { success: true, key_id: made.id }])
      assert.notInclude(await idsOf(by), made.id)
      refused(await service.as(made.key)("GET", "/api/workspaces"), 401, "auth/invalid_api_key")
    }
  })

  it("say whose they are: each field is that key's own", async () => {
    const { call, id } = await organization(service, "ENTERPRISE")
    await organization(service, "ENTERPRISE")
    const before = Date.now()
    const given = [
      ["m@example.org", "laptop"],
      ["M@Example.ORG", "build server"],
      ["n@example.org", "laptop"]
    ] as const
    const made: Array<Record<string, string>> = []
    for (const [email, key_name] of given) {
      const { json } = await call("POST", create, { email, key_name })
      assert.deepInclude(json, { name: key_name, user_email: email.toLowerCase(), organization_id: id })
      assert.strictEqual(json.organization_name, "ENTERPRISE & Co")
      assert.strictEqual(json.key_prefix, json.key.slice(0, 20))
      const created = Date.parse(json.created_at)
      assert.isTrue(before <= created && created <= Date.now(), json.created_at)
      made.push(json)
    }
    assert.strictEqual(new Set(made.map(({ key }) => key)).size, 3)
    assert.deepStrictEqual(
      made.map(({ is_new_member }) => is_new_member as unknown),
      [true, false, true]
    )
    const { keys } = (await call("POST", list)).json
    assert.strictEqual(keys.length, 4, "the owner's and these, of no other organization")
    for (const [at, [email, name]] of given.entries()) {
      const { id, key_prefix, created_at } = made[at]!
      assert.deepInclude(keys[at + 1], {
        id,
        name,
        key_prefix,
        user_email: email.toLowerCase(),
        created_at,
        last_used_at: null
      })
    }
    const [owner, first, second, third] = keys.map(({ user_id }: { user_id: string }) => user_id)
    assert.strictEqual(first, second)
    assert.strictEqual(new Set([owner, first, third]).size, 3)
  })

  it("are those of the caller's key, whatever else a request names", async () => {
    const { call, id } = await organization(service, "ENTERPRISE")
    const other = await organization(service, "ENTERPRISE")
    const theirs = await memberKey(other.call, "m@example.org")
    for (const prefix of ["x-cairn-", "x-raysurfer-"]) {
      const headers = { [`${prefix}org-id`]: other.id, [`${prefix}user-id`]: "olga@example.org" }
      const { status, json } = await call("POST", list, undefined, headers)
      if (status === 200) assert.strictEqual(json.organization_id, id)
      else assert.strictEqual(json.code, "permission/not_org_member")
      const made = await call("POST", create, { email: `${prefix}@example.org`, key_name: "k" }, headers)
      if (made.status === 200) assert.strictEqual(made.json.organization_id, id)
      else assert.strictEqual(made.json.code, "permission/not_org_member")
      assert.include([403, 404], (await call("POST", revoke, { key_id: theirs.id }, headers)).status)
    }
    for (const more of [{ organization_id: other.id }, { org_id: other.id }]) {
      const body = { email: "x@example.org", key_name: "k", ...more }
      refused(await call("POST", create, body), 400, "validation/invalid_field")
    }
    assert.strictEqual((await idsOf(other.call)).length, 2)
    assert.strictEqual((await service.as(theirs.key)("GET", "/api/workspaces")).status, 200)
  })
})
