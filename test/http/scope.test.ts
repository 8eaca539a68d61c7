import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Call, Headers } from "#test/service/call.ts"
import { memberKey, organization, personal } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { findByName, remove, stored, upload, vote } from "./store.ts"

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

describe.each(["x-cairn-", "x-raysurfer-"])("the scope headers %s*", (prefix) => {
  const headers = (given: { readonly [name: string]: string }) =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [prefix + name, value]))
  const inA = headers({ "workspace-id": "a" })
  const inB = headers({ "workspace-id": "b" })
  const client = headers({ "workspace-id": "a", "snips-desired": "client" })
  const company = headers({ "workspace-id": "a", "snips-desired": "company" })
  const everyones = headers({ "public-snips": "true" })

  it.each(["PRO", "ENTERPRISE"] as const)("open a workspace and its organization's: %s", async (tier) => {
    const { call, id } = await organization(service, tier)
    const sees = async (name: string, given = {}) => (await findByName(call, name, given)) !== undefined
    await stored(call, "shared")
    await stored(call, "mine", {}, inA)
    await stored(call, "sibling", {}, inB)
    await stored(call, "narrow", {}, client)
    await stored(call, "wide", {}, company)
    const own = headers({ "org-id": id })
    const visible = async (given: Headers) => {
      const names = ["shared", "mine", "sibling", "narrow", "wide"]
      const found = await Promise.all(names.map((name) => sees(name, given)))
      return names.filter((_, index) => found[index])
    }
    assert.deepStrictEqual(await visible({}), ["shared", "wide"])
    assert.deepStrictEqual(await visible(own), ["shared", "wide"])
    assert.deepStrictEqual(await visible(inA), ["shared", "mine", "narrow", "wide"])
    assert.deepStrictEqual(await visible(inB), ["shared", "sibling", "wide"])
    assert.deepStrictEqual(await visible(client), ["mine", "narrow"])
    assert.deepStrictEqual(await visible(company), ["shared", "wide"])
    assert.deepStrictEqual(await visible(headers({ "snips-desired": "company" })), ["shared", "wide"])

    // a vote may go to what a search with the same headers sees
    const idOf = async (name: string, given: Headers) => (await findByName(call, name, given))!.code_block.id
    assert.strictEqual((await vote(call, await idOf("shared", {}), true, {}, inA)).status, 200)
    refused(await vote(call, await idOf("mine", inA), true), 404, "not_found/snippet")
    refused(await vote(call, await idOf("mine", inA), true, {}, inB), 404, "not_found/snippet")
    refused(await vote(call, await idOf("shared", {}), true, {}, client), 404, "not_found/snippet")
    // a delete only to what was uploaded there
    refused(await remove(call, await idOf("shared", {}), {}, inA), 403, "permission/not_your_snippet")
    refused(await remove(call, "shared", {}, inA), 404, "not_found/snippet")
    refused(await remove(call, await idOf("mine", inA), {}, inB), 404, "not_found/snippet")
    refused(await remove(call, "mine"), 404, "not_found/snippet")
    // a body's workspace stands in for the header's
    refused(await remove(call, "mine", { workspace_id: "b" }, inA), 404, "not_found/snippet")
    assert.strictEqual((await remove(call, "mine", { workspace_id: "a" })).status, 200)
    // also where the headers alone would be refused for want of one, and only then
    const clients = headers({ "snips-desired": "client" })
    for (const more of [{}, { workspace_id: null }, { workspace_id: "" }])
      refused(await remove(call, "narrow", more, clients), 400, "validation/workspace_required")
    refused(await remove(call, "narrow", { workspace_id: "b" }, clients), 404, "not_found/snippet")
    const foreign = { ...clients, ...headers({ "org-id": "another" }) }
    refused(await remove(call, "narrow", { workspace_id: "a" }, foreign), 403, "permission/not_org_member")
    assert.strictEqual((await remove(call, "narrow", { workspace_id: "a" }, clients)).status, 200)
    assert.deepStrictEqual(await visible(inA), ["shared", "wide"])
  })

  it("are refused where they can't be", async () => {
    const { call, id } = await organization(service, "PRO")
    const other = await organization(service, "PRO")
    const search = (given: { readonly [name: string]: string }, by = call) =>
      by("POST", "/api/retrieve/search", { task: "t" }, headers(given))
    refused(await search({ "org-id": other.id }), 403, "permission/not_org_member")
    refused(await search({ "org-id": "PRO & Co" }), 403, "permission/not_org_member")
    // by its slug as by its id, and by nobody else's
    const slugOf = async (by: typeof call) => (await by("GET", "/api/organization")).json.slug as string
    for (const own of [id, id.toUpperCase(), await slugOf(call), (await slugOf(call)).toUpperCase()])
      assert.strictEqual((await search({ "org-id": own })).status, 200, own)
    refused(await search({ "org-id": await slugOf(other.call) }), 403, "permission/not_org_member")
    refused(await search({ "org-id": "nobodys" }), 403, "permission/not_org_member")
    refused(await search({ "snips-desired": "client" }), 400, "validation/workspace_required")
    refused(await search({ "snips-desired": "team", "workspace-id": "a" }), 400, "validation/invalid_field")
    refused(await search({ "workspace-id": "w".repeat(1001) }), 400, "validation/invalid_field")
    assert.strictEqual((await search({ "workspace-id": "w".repeat(1000) })).status, 200)
    const head = await service.head()
    refused(await upload(call, "refused", {}, headers({ "org-id": other.id })), 403, "permission/not_org_member")
    const { call: alone } = await personal(service, `${prefix}@example.org`)
    refused(await search({ "org-id": other.id }, alone), 403, "permission/not_org_member")
    assert.isUndefined(await findByName(call, "refused"))
    const [row] = await service.sql<{ rows: bigint }>(
      "SELECT count(*) AS rows FROM events WHERE position > $1 AND type LIKE 'Snippet%'",
      [head]
    )
    assert.strictEqual(Number(row!.rows), 0)
  })

  it.each([
    ["FREE", "organization"],
    ["FREE", "person"]
  ] as const)("need a tier above %s (%s)", async (_, kind) => {
    const { call } =
      kind === "person" ? await personal(service, `${prefix}free@example.org`) : await organization(service, "FREE")
    for (const given of [
      inA,
      client,
      company,
      headers({ "snips-desired": "company" }),
      headers({ "snips-desired": "client" })
    ]) {
      refused(await upload(call, "refused", {}, given), 403, "permission/tier_required")
      refused(await call("POST", "/api/retrieve/search", { task: "t" }, given), 403, "permission/tier_required")
    }
    refused(await remove(call, "x", { workspace_id: "a" }), 403, "permission/tier_required")
    await stored(call, "plain")
    assert.isDefined(await findByName(call, "plain"))
    assert.isDefined(await findByName(call, "plain", headers({ "workspace-id": "", "snips-desired": "" })))
  })

  it("show public snippets to others who ask, to be voted on and not deleted", async () => {
    const { call: publisher } = await organization(service, "PRO")
    const { call: reader } = await organization(service, "FREE")
    const name = `public${prefix.length}`
    await stored(publisher, name, { public: true })
    assert.isDefined(await findByName(publisher, name))
    assert.isUndefined(await findByName(reader, name))
    assert.isUndefined(await findByName(reader, name, headers({ "public-snips": "1" })))
    const { code_block } = (await findByName(reader, name, everyones))!
    refused(await vote(reader, code_block.id), 404, "not_found/snippet")
    assert.strictEqual((await vote(reader, code_block.id, true, {}, everyones)).status, 200)
    assert.strictEqual((await findByName(publisher, name))!.thumbs_up, 1)
    refused(await remove(reader, code_block.id, {}, everyones), 403, "permission/not_your_snippet")
    refused(await remove(reader, code_block.id), 404, "not_found/snippet")
    // who voted is nobody that the publisher's log names
    const { json } = await publisher("GET", "/api/events?type=VoteCast")
    assert.deepStrictEqual(json.events[0].actor, {
      key_id: "external",
      user_id: "external",
      organization_id: "external"
    })
    assert.strictEqual(json.events[0].data.voter, "external")
    // private first, published by a later upload of the same code
    await stored(publisher, `later${name}`)
    assert.isUndefined(await findByName(reader, `later${name}`, everyones))
    await stored(publisher, `later${name}`, { public: true })
    assert.isDefined(await findByName(reader, `later${name}`, everyones))
    assert.strictEqual((await remove(publisher, code_block.id)).status, 200)
    assert.isUndefined(await findByName(reader, name, everyones))
  })

  it("narrow a search to an agent's own snippets and those of no agent", async () => {
    const { call } = await organization(service, "FREE")
    const [ann, bob] = [headers({ "agent-id": "ann" }), headers({ "agent-id": "bob" })]
    await stored(call, "anns", {}, ann)
    await stored(call, "bobs", {}, bob)
    await stored(call, "nobodys")
    const visible = async (given: Headers) => {
      const found = await Promise.all(["anns", "bobs", "nobodys"].map((name) => findByName(call, name, given)))
      return found.map((match) => match?.agent_id)
    }
    assert.deepStrictEqual(await visible({}), ["ann", "bob", null])
    assert.deepStrictEqual(await visible(ann), ["ann", undefined, null])
    assert.deepStrictEqual(await visible(bob), [undefined, "bob", null])
  })
})

describe("scopes", () => {
  it("ours win where a header comes in both spellings", async () => {
    const { call } = await organization(service, "PRO")
    await stored(call, "both", {}, { "x-cairn-workspace-id": "a", "x-raysurfer-workspace-id": "b" })
    assert.isDefined(await findByName(call, "both", { "x-raysurfer-workspace-id": "a" }))
    assert.isUndefined(await findByName(call, "both", { "x-raysurfer-workspace-id": "b" }))
  })

  it("are the organization's for all of its keys", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    const member: Call = service.as((await memberKey(call, "m@example.org")).key)
    await stored(member, "together")
    assert.isDefined(await findByName(call, "together"))
    assert.strictEqual((await remove(call, "together")).status, 200)
    refused(await member("GET", "/api/events"), 403, "permission/admin_key_required")
  })
})
