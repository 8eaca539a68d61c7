import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { memberKey, organization, personal } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"

interface Listed {
  readonly id: string
  readonly user_id: string
  readonly user_email: string
}

describe("erasing a user", () => {
  let service: Service
  let tenant: { readonly id: string; readonly key: string; readonly call: Service["call"] }
  beforeAll(async () => {
    service = await startService()
    // the owner, and one seat
    tenant = await organization(service, "ENTERPRISE", 2)
  })
  afterAll(() => service.close())

  const keys = async (): Promise<ReadonlyArray<Listed>> => (await tenant.call("POST", "/api/keys/org/list")).json.keys
  const userOf = async (email: string) => (await keys()).find(({ user_email }) => user_email === email)!.user_id
  const erase = (id: string, call = tenant.call) => call("DELETE", `/api/users/${id}`)
  /** How often a text lies in the database. */
  const found = async (text: string) => {
    const [row] = await service.sql<{ n: bigint }>(
      `SELECT (SELECT count(*) FROM payloads WHERE position($1::bytea IN bytes) > 0)
            + (SELECT count(*) FROM keys_v4.members WHERE email = $2) + (SELECT count(*) FROM keys_v4.keys WHERE name = $2) AS n`,
      [new TextEncoder().encode(text), text]
    )
    return Number(row!.n)
  }

  it("revokes the keys, deletes name and e-mail, and frees the seat", async () => {
    const [one, two] = [
      await memberKey(tenant.call, "max@example.org"),
      await memberKey(tenant.call, "max@example.org")
    ]
    refused(
      await tenant.call("POST", "/api/keys/org/create", { email: "eve@example.org", key_name: "k" }),
      400,
      "validation/member_limit_reached"
    )
    const id = await userOf("max@example.org")
    assert.isAbove(await found("max@example.org"), 0)

    const answer = await erase(id)
    assert.strictEqual(answer.status, 200, answer.text)
    const { position } = answer.json
    assert.deepStrictEqual(answer.json, { success: true, erased: { users: 1, keys: 2 }, position })
    assert.strictEqual(answer.headers.get("cairn-position"), position)
    for (const { key } of [one, two]) {
      refused(await service.as(key)("POST", "/api/keys/org/list"), 401, "auth/invalid_api_key")
    }
    assert.deepStrictEqual(
      (await keys()).map(({ user_email }) => user_email),
      ["olga@example.org"]
    )
    assert.strictEqual(await found("max@example.org"), 0)
    await memberKey(tenant.call, "eve@example.org")
    assert.strictEqual((await erase(await userOf("eve@example.org"))).status, 200)
  })

  it("lets the same e-mail be added again, whose text is kept then and can be erased again", async () => {
    await memberKey(tenant.call, "again@example.org")
    const id = await userOf("again@example.org")
    await erase(id)
    for (let round = 0; round < 2; round++) {
      const { key, is_new_member } = await memberKey(tenant.call, "again@example.org")
      assert.isTrue(is_new_member)
      assert.strictEqual(await userOf("again@example.org"), id)
      assert.strictEqual((await service.as(key)("GET", "/api/workspaces")).status, 200)
      assert.strictEqual((await erase(id)).status, 200)
      assert.strictEqual(await found("again@example.org"), 0)
    }
  })

  it("erases two users in a row, whose requests differ in the path only", async () => {
    const other = await organization(service, "ENTERPRISE", 3)
    for (const email of ["a@example.org", "b@example.org"]) await memberKey(other.call, email)
    const listed: ReadonlyArray<Listed> = (await other.call("POST", "/api/keys/org/list")).json.keys
    const others = listed.filter(({ user_email }) => user_email !== "olga@example.org")
    const answers = await Promise.all(others.map(({ user_id }) => erase(user_id, other.call)))
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      [200, 200]
    )
    assert.lengthOf((await other.call("POST", "/api/keys/org/list")).json.keys, 1)
  })

  it("finds nobody twice, nobody of another organization, and nobody without a form", async () => {
    await memberKey(tenant.call, "once@example.org")
    const id = await userOf("once@example.org")
    refused(await erase(id, service.call), 404, "not_found/user")
    await erase(id)
    for (const wrong of [id, "00000000-0000-4000-8000-000000000000", "x"]) {
      assert.strictEqual(refused(await erase(wrong), 404, "not_found/user").field, "id")
    }
  })

  it("never takes the owner", async () =>
    refused(await erase(await userOf("olga@example.org")), 409, "conflict/owner_stays"))

  it("is for owners and admins, and for none without an organization", async () => {
    const member = await memberKey(tenant.call, "member@example.org")
    const id = await userOf("member@example.org")
    refused(await erase(id, service.as(member.key)), 403, "permission/admin_key_required")
    refused(await erase(id, (await personal(service, "p@example.org")).call), 403, "permission/not_org_member")
    assert.strictEqual((await erase(id)).status, 200)
  })
})
