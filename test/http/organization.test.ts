import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { slugTenant } from "#domain/Slug.ts"
import { fresh } from "#engine/ask.ts"
import { positionOf } from "#engine/Position.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { replay } from "#src/audit/replay.ts"
import { registerOrganization } from "#src/keys/bootstrap.ts"
import { changeSlug } from "#src/keys/changeSlug.ts"
import { KeepSlugs } from "#src/keys/reactions/KeepSlugs.ts"
import { freeSlug } from "#src/keys/slugs.ts"
import { memberKey, organization, personal, registeredOnly } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"

const none = { key: null, user: null, organization: null }
const metadata = () => {
  const commandId = randomUUID()
  return { commandId, correlationId: commandId, actor: none }
}

describe("an organization's name and slug", () => {
  let service: Service
  let tenant: Awaited<ReturnType<typeof organization>>
  beforeAll(async () => {
    service = await startService()
    tenant = await organization(service, "ENTERPRISE")
  })
  afterAll(() => service.close())

  const shown = async (call = tenant.call) => (await call("GET", "/api/organization")).json
  const rename = (body: object, call = tenant.call) => call("POST", "/api/organization", body)
  const register = (name: string, slug?: string) =>
    service.run(
      registerOrganization({
        name,
        tier: "FREE",
        ownerEmail: "o@example.org",
        ...(slug === undefined ? {} : { slug })
      })
    )
  const callOf = async (name: string, slug?: string) => {
    const made = await register(name, slug)
    return { id: made.organization, call: service.as(made.key.full) }
  }
  const slugTexts = async () =>
    (
      await service.sql<{ text: string }>(
        "SELECT convert_from(bytes, 'UTF8') AS text FROM payloads WHERE tenant = $1",
        [slugTenant]
      )
    ).map(({ text }) => (JSON.parse(text) as { slug: string }).slug)
  /** The reaction has done what there is to do. */
  const kept = async () => {
    const head = positionOf(await service.head())
    await vi.waitFor(
      async () =>
        assert.isAtLeast(
          await service.run(Effect.flatMap(ReadModels, (models) => models.reaction(KeepSlugs.name))),
          head
        ),
      { timeout: 60_000, interval: 50 }
    )
  }

  it("are told to everybody of it, with how many members it has", async () => {
    const { key } = await memberKey(tenant.call, "reader@example.org", "reader")
    const one = await shown(service.as(key))
    assert.deepStrictEqual(one, {
      organization_id: tenant.id,
      name: "ENTERPRISE & Co",
      slug: "enterprise-co",
      tier: "ENTERPRISE",
      members: 2,
      member_limit: 100,
      registered_at: one.registered_at
    })
    assert.match(one.registered_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.deepStrictEqual((await service.call("GET", "/api/organization")).json.slug, "cairn")
    const { call } = await personal(service, "alone@example.org")
    refused(await call("GET", "/api/organization"), 403, "permission/not_org_member")
  })

  it("of a name that others have too has a number behind it", async () => {
    const slugs = []
    for (const name of ["Twice", "twice!", "TWICE"]) slugs.push((await shown((await callOf(name)).call)).slug)
    assert.deepStrictEqual(slugs, ["twice", "twice-2", "twice-3"])
  })

  it("change, and are the new ones wherever they are told", async () => {
    const answer = await rename({ name: "Acme & Sons" })
    assert.strictEqual(answer.status, 200, answer.text)
    assert.deepStrictEqual([answer.json.name, answer.json.slug], ["Acme & Sons", "enterprise-co"])
    assert.match(answer.headers.get("cairn-position")!, /^\d+$/)
    const both = await rename({ name: "Acme", slug: "acme" })
    assert.deepStrictEqual([both.json.name, both.json.slug], ["Acme", "acme"])
    assert.deepStrictEqual(await shown(), both.json)
    const made = await tenant.call("POST", "/api/keys/org/create", { email: "eve@example.org", key_name: "k" })
    assert.strictEqual(made.json.organization_name, "Acme")
    // there and back again: the same request is another one then
    for (const slug of ["acme-2", "acme", "acme-2", "acme"])
      assert.strictEqual((await rename({ slug })).json.slug, slug)
  })

  it("stay where nothing else is asked for", async () => {
    const before = await shown()
    for (const body of [{}, { name: null, slug: null }]) {
      const answer = await rename(body)
      assert.deepStrictEqual([answer.status, answer.json], [200, before], answer.text)
    }
  })

  it("are changed by owners and admins alone", async () => {
    for (const [role, status] of [
      ["admin", 200],
      ["member", 403],
      ["reader", 403]
    ] as const) {
      const { key } = await memberKey(tenant.call, `${role}@example.org`, role)
      const answer = await rename({ name: "Acme" }, service.as(key))
      assert.strictEqual(answer.status, status, role)
    }
  })

  it("are refused when they are none", async () => {
    for (const slug of ["", "Acme", "a b", "-a", "a-", "ä", "a".repeat(41), randomUUID(), 7])
      refused(await rename({ slug }), 400, "validation/invalid_field")
    for (const body of [{ name: "" }, { name: "a".repeat(201) }])
      refused(await rename(body), 400, "validation/invalid_field")
    assert.strictEqual((await shown()).slug, "acme")
  })

  it("are refused together when another organization has the slug", async () => {
    const { call } = await callOf("Other", "other")
    const problem = refused(await rename({ name: "Nothing of it", slug: "other" }), 409, "conflict/slug_taken")
    assert.strictEqual(problem.field, "slug")
    assert.strictEqual((await shown()).name, "Acme")
    // its former one is free, and its own again is no conflict
    assert.strictEqual((await rename({ slug: "mine" }, call)).status, 200)
    assert.strictEqual((await rename({ slug: "mine" }, call)).status, 200)
    assert.strictEqual((await rename({ slug: "other" })).json.slug, "other")
    await rename({ slug: "acme" })
  })

  it("a slug that several ask for at once is one organization's, and the others are told", async () => {
    const calls = await Promise.all(["one", "two", "three", "four"].map((name) => callOf(name)))
    const answers = await Promise.all(calls.map(({ call }) => rename({ slug: "wanted" }, call)))
    assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
    const slugs = await Promise.all(calls.map(async ({ call }) => (await shown(call)).slug))
    assert.strictEqual(slugs.filter((slug) => slug === "wanted").length, 1)
    // and so it is for those who register with it: nothing is registered for the others
    const made = await Promise.allSettled(["five", "six", "seven"].map((name) => register(name, "asked-for")))
    assert.deepStrictEqual(made.map(({ status }) => status).sort(), ["fulfilled", "rejected", "rejected"])
    await service.run(fresh(Keys))
    const rows = await service.sql("SELECT FROM keys_v4.tenants WHERE name IN ('five', 'six', 'seven')")
    assert.lengthOf(rows, 1)
  })

  it("a slug's text goes when it is free, and the log has none of it", async () => {
    await rename({ slug: "said-once" })
    assert.include(await slugTexts(), "said-once")
    await rename({ slug: "acme" })
    assert.notInclude(await slugTexts(), "said-once")
    assert.include(await slugTexts(), "acme")
    assert.lengthOf(await service.sql("SELECT FROM events WHERE data LIKE '%said-once%'"), 0)
  })

  it("a slug that a crash left to nobody is taken by who wants it next", async () => {
    const nobody = randomUUID()
    await service.run(changeSlug(nobody, "left-over", metadata()))
    assert.strictEqual((await rename({ slug: "left-over" })).json.slug, "left-over")
    await rename({ slug: "acme" })
  })

  it("every organization has one again, also when it was taken back", async () => {
    const { id, call } = await callOf("Taken back")
    await service.run(freeSlug(id, metadata()))
    await kept()
    assert.strictEqual((await shown(call)).slug, "taken-back")
  })

  it("organizations that were registered without one are given one", async () => {
    const id = randomUUID()
    await service.run(registeredOnly(id, "Registered only"))
    await kept()
    await service.run(fresh(Keys))
    const [row] = await service.sql<{ slug: string }>("SELECT slug FROM keys_v4.slugs WHERE id = $1", [id])
    assert.strictEqual(row?.slug, "registered-only")
  })

  it("are what a replay gives, too", async () => {
    const { differences } = await service.run(replay(Keys, { promote: false, progress: () => undefined }))
    assert.deepStrictEqual(differences, [])
  })
})
