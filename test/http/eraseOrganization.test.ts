import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it, vi } from "vitest"
import { OrganizationCommand } from "#domain/Organization/commands.ts"
import { Organization } from "#domain/Organization/decider.ts"
import { RetrievalEvent, searchSubject } from "#domain/Retrieval.ts"
import { slugTenant } from "#domain/Slug.ts"
import { Snippet } from "#domain/Snippet/decider.ts"
import { dispatch } from "#engine/dispatch.ts"
import { positionOf } from "#engine/Position.ts"
import { schemaOf } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { replay } from "#src/audit/replay.ts"
import { verify } from "#src/audit/verify.ts"
import { upToDate } from "#src/cli/log.ts"
import * as Codec from "#src/codec.ts"
import { tool } from "#src/commandLine.ts"
import { registerOrganization } from "#src/keys/bootstrap.ts"
import { changeSlug } from "#src/keys/changeSlug.ts"
import { EraseTenants } from "#src/keys/reactions/EraseTenants.ts"
import { KeepSlugs } from "#src/keys/reactions/KeepSlugs.ts"
import { audit } from "#src/layers.ts"
import { projections } from "#src/readModels.ts"
import { given, uploadOf } from "#test/commands.ts"
import { ended, scripts, service, startsAgent, write } from "#test/http/agent.ts"
import { findByName, stored, vote } from "#test/http/store.ts"
import { says } from "#test/MessagesApi.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { newInstallation, removeInstallation, type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { fine } from "./routes.ts"

const waiting = { timeout: 120_000, interval: 50 }

/** What the reactions that erase have to do is done. */
const done = async (on: Service) => {
  const head = positionOf(await on.head())
  await vi.waitFor(async () => {
    for (const { name } of [EraseTenants, KeepSlugs]) {
      const reached = await on.run(Effect.flatMap(ReadModels, (models) => models.reaction(name)))
      assert.isAtLeast(reached, head)
    }
  }, waiting)
}

const textsOf = async (on: Service, tenant: string) =>
  (await on.sql<{ subject: string }>("SELECT subject FROM payloads WHERE tenant = $1", [tenant])).map(
    ({ subject }) => subject
  )

/** The read models that have rows of a tenant. */
const rowsOf = async (on: Service, tenant: string) => {
  const tables = await on.sql<{ schema: string; name: string }>(
    `SELECT table_schema AS schema, table_name AS name FROM information_schema.columns
     WHERE column_name = 'tenant' AND table_schema ~ '_v[0-9]+$'`
  )
  const found: Array<string> = []
  for (const { schema, name } of tables) {
    const rows = await on.sql(`SELECT FROM ${schema}.${name} WHERE tenant = $1`, [tenant])
    if (rows.length > 0) found.push(`${schema}.${name}`)
  }
  return found
}

const erasure = (on: Service, id: string) => on.as("")("GET", `/api/erasures/${id}`)
const erased = (on: Service, id: string) =>
  vi.waitFor(async () => {
    const { json, text } = await erasure(on, id)
    assert.strictEqual(json.state, "erased", text)
    return json
  }, waiting)

describe("erasing an organization", () => {
  startsAgent()

  it("is for its owners, who repeat its slug; the operator's own stays", async () => {
    const { call, id } = await organization(service, "FREE")
    const slug = (await call("GET", "/api/organization")).json.slug
    const admin = service.as((await memberKeyOf()).key)
    async function memberKeyOf() {
      const big = await organization(service, "ENTERPRISE")
      return memberKey(big.call, "admin@example.org", "admin")
    }
    const own = (await admin("GET", "/api/organization")).json.slug
    refused(await admin("POST", "/api/organization/delete", { slug: own }), 403, "permission/role_required")
    for (const wrong of ["FREE & Co", `${slug}-2`, id])
      refused(await call("POST", "/api/organization/delete", { slug: wrong }), 409, "conflict/slug_differs")
    refused(await service.call("POST", "/api/organization/delete", { slug: "cairn" }), 409, "conflict/operator_stays")
    assert.strictEqual((await call("GET", "/api/organization")).status, 200)
    refused(await erasure(service, id), 404, "not_found/erasure")
    for (const nothing of ["nothing", "%00", randomUUID()])
      refused(await erasure(service, nothing), 404, "not_found/erasure")
  })

  it("takes all that it had, and nothing of others; its keys are no keys at once, and its slug is free", async () => {
    await stored(service.call, "of_others")
    const { call, id, key } = await organization(service, "ENTERPRISE")
    await call("POST", "/api/organization", { name: "Gone & Co", slug: "gone-co" })
    const member = service.as((await memberKey(call, "max@example.org", "member")).key)
    await stored(call, "of_gone")
    await stored(member, "published_of_gone", { public: true })
    await stored(call, "of_customer", {}, { "x-cairn-workspace-id": "customer" })
    await call("POST", "/api/retrieve/search", { task: "of_gone task" })
    await call("POST", "/api/bounds", { chats_per_day: 7 })
    scripts.set("theirs", (turn) => (turn === 1 ? write("diary.txt") : says("Done.")))
    const { workspace_id } = await ended(call, "theirs", "me")
    const opened = await call("POST", "/api/workspaces", { org_id: "quiet", user_id: "me" })
    await call("PUT", `/api/workspaces/${opened.json.workspace_id}/files/diary.txt`, "dear diary")
    const repositories = [workspace_id, opened.json.workspace_id].map((workspace: string) =>
      join(service.dataDir, "workspaces", `${workspace}.git`)
    )
    for (const repository of repositories) assert.isTrue(existsSync(repository))
    const others = async () =>
      (
        await service.sql<{ id: string }>("SELECT id FROM payloads WHERE tenant NOT IN ($1, $2) ORDER BY id", [
          id,
          slugTenant
        ])
      ).map(({ id }) => id)
    const before = await others()

    // one that is under way
    let answer: (reply: ReturnType<typeof says>) => void = () => undefined
    const begun = new Promise<void>((resolve) =>
      scripts.set("waits", () => {
        resolve()
        return new Promise((answered) => {
          answer = answered
        })
      })
    )
    const chat = call("POST", "/api/agent-chat", { user_query: "waits", user_id: "me", org_id: "acme" })
    await begun

    const receipt = await call("POST", "/api/organization/delete", { slug: "gone-co" })
    assert.strictEqual(receipt.status, 202, receipt.text)
    const { position } = receipt.json
    assert.deepStrictEqual(receipt.json, {
      organization_id: id,
      status_url: `/api/erasures/${id}`,
      erased: { members: 2, keys: 2 },
      position
    })
    assert.strictEqual(receipt.headers.get("location"), `/api/erasures/${id}`)
    refused(await call("GET", "/api/organization"), 401, "auth/invalid_api_key")
    refused(await member("GET", "/api/workspaces"), 401, "auth/invalid_api_key")
    await chat
    answer(says("Too late."))

    const told = await erased(service, id)
    assert.deepInclude(told, { organization_id: id, left: { snippets: 0, workspaces: 0 } })
    assert.deepStrictEqual(told.erased, {
      members: 2,
      keys: 2,
      snippets: 3,
      workspaces: 2,
      commits: told.erased.commits,
      chats: told.erased.chats,
      files: told.erased.files
    })
    assert.isAtLeast(told.erased.commits, 3)
    assert.isAtLeast(told.erased.chats, 2)
    assert.isAbove(Number(told.position), Number(position))
    await done(service)
    assert.deepStrictEqual(await textsOf(service, id), [])
    assert.includeMembers(await others(), before)
    for (const repository of repositories) await vi.waitFor(() => assert.isFalse(existsSync(repository)), waiting)
    await service.run(upToDate(...projections))
    // that a key was seen may be noted a moment later
    assert.deepStrictEqual(
      (await rowsOf(service, id)).filter((name) => !name.startsWith("key_usage")),
      []
    )
    const publicly = { task: "published_of_gone task" }
    const found = await service.call("POST", "/api/retrieve/search", publicly, { "x-cairn-public-snips": "true" })
    assert.notInclude(found.text, "published_of_gone.py")
    const texts = await service.sql<{ text: string }>("SELECT convert_from(bytes, 'UTF8') AS text FROM payloads")
    for (const { text } of texts)
      for (const word of ["Gone & Co", "gone-co", "max@example.org", "dear diary"]) assert.notInclude(text, word)

    const { call: next } = await organization(service, "FREE")
    assert.strictEqual((await next("POST", "/api/organization", { slug: "gone-co" })).status, 200)
    refused(await service.as(key)("POST", "/api/organization/delete", { slug: "gone-co" }), 401, "auth/invalid_api_key")
  })

  it("takes what its people said of others' public snippets, and no one else's words", async () => {
    await stored(service.call, "talked_of", { public: true })
    const snippet = (await findByName(service.call, "talked_of"))!.code_block.id
    const [gone, stays] = [await organization(service, "ENTERPRISE"), await organization(service, "ENTERPRISE")]
    const member = service.as((await memberKey(gone.call, "mia@example.org", "member")).key)
    const open = { "x-cairn-public-snips": "true" }
    for (const [by, whose] of [
      [gone.call, "a going owner"],
      [member, "a going member"],
      [stays.call, "who stays"]
    ] as const) {
      fine(await by("POST", "/api/store/comment", { code_block_id: snippet, text: `comment of ${whose}` }, open))
      fine(await vote(by, snippet, true, { task: `vote of ${whose}` }, open))
    }
    const { slug } = (await gone.call("GET", "/api/organization")).json
    await gone.call("POST", "/api/organization/delete", { slug })
    await erased(service, gone.id)
    // when it is told to be over, it is
    const texts = await service.sql<{ text: string }>("SELECT convert_from(bytes, 'UTF8') AS text FROM payloads")
    const all = texts.map(({ text }) => text).join("\n")
    assert.notInclude(all, "of a going")
    for (const what of ["comment", "vote"]) assert.include(all, `${what} of who stays`)
    await service.run(upToDate(...projections))
    assert.notInclude(await rowsOf(service, gone.id), `${schemaOf(Snippets)}.comments`)
  })

  it("takes what a request of its stores that was under way by then, and a slug that it took", async () => {
    const { call, id } = await organization(service, "FREE")
    const { slug } = (await call("GET", "/api/organization")).json
    await call("POST", "/api/organization/delete", { slug })
    await erased(service, id)
    const actor = { key: "revoked", user: "somebody", organization: id }
    const snippet = randomUUID()
    await service.run(dispatch(Snippet, { ...given(`snippet-${snippet}`, uploadOf(snippet)), tenant: id, actor }))
    const stream = `retrieval-${id}-2026-01-01`
    const note = RetrievalEvent.cases.SearchAnswered.make({
      home: id,
      snippets: [],
      scores: [],
      total: 0,
      cacheHit: false,
      subject: searchSubject(stream, []),
      text: { query: "something private" }
    })
    const commandId = randomUUID()
    const command = { commandId, correlationId: commandId, causationId: null, actor, request: null }
    const commands = [{ ...command, events: [Codec.encode(note)] }]
    await service.run(
      Effect.flatMap(EventStore, (store) => store.append({ tenant: id, stream, expected: "any", commands }))
    )
    await service.run(changeSlug(id, "too-late", { commandId: randomUUID(), correlationId: randomUUID(), actor }))
    await done(service)
    assert.deepStrictEqual(await textsOf(service, id), [])
    await done(service)
    const { call: next } = await organization(service, "FREE")
    assert.strictEqual((await next("POST", "/api/organization", { slug: "too-late" })).status, 200)
  })

  it("leaves a log and read models that are sound, and is done once", async () => {
    for (const projection of projections) {
      const { differences } = await service.run(replay(projection, { promote: false, progress: () => undefined }))
      assert.deepStrictEqual(differences, [], projection.name)
    }
    const { findings } = await service.run(
      verify(projections, () => undefined).pipe(Effect.provide(audit({ dataDir: service.dataDir })))
    )
    assert.deepStrictEqual(findings, [])
    // a crash before the checkpoint: all of it is handled again
    const count = async () => (await service.sql("SELECT FROM events")).length
    const [event] = await service.run(
      Effect.flatMap(EventStore, (store) =>
        store.readAll(positionOf(0), { types: ["OrganizationErased"], limit: 1 })
      ).pipe(Effect.map(({ events }) => events))
    )
    const decoded = Codec.decode(event!)
    await done(service)
    const before = await count()
    await service.run(EraseTenants.handle(decoded as never))
    await service.run(KeepSlugs.handle(decoded as never))
    assert.strictEqual(await count(), before)
  })
})

it("is finished by the next service, when none was running", async () => {
  const installation = await newInstallation()
  const first = await startService({}, installation)
  const { id, call } = await organization(first, "PRO")
  await call("POST", "/api/organization", { slug: "left" })
  await stored(call, "left_over")
  await first.stop()
  const commandId = randomUUID()
  const erasing = dispatch(Organization, {
    tenant: id,
    stream: `organization-${id}`,
    commandId,
    correlationId: commandId,
    actor: { key: null, user: null, organization: null },
    command: OrganizationCommand.EraseOrganization({ by: null, organization: id, operates: false })
  })
  // as the command line does it, which runs no reactions
  await Effect.runPromise(
    Effect.provide(erasing, tool({ dataDir: installation.dataDir, databaseUrl: installation.database }))
  )
  const next = await startService({}, installation)
  const told = await erased(next, id)
  assert.deepInclude(told.erased, { members: 1, keys: 1, snippets: 1, workspaces: 0 })
  await done(next)
  assert.deepStrictEqual(await textsOf(next, id), [])
  const made = await next.run(
    registerOrganization({ name: "Next", slug: "left", tier: "FREE", ownerEmail: "o@example.org" })
  )
  assert.strictEqual((await next.as(made.key.full)("GET", "/api/organization")).json.slug, "left")
  await next.stop()
  removeInstallation(installation)
})
