import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { memberKey, organization } from "#test/service/tenants.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { Cairn, NotFoundError, ValidationError } from "../../clients/typescript/src/index.ts"

let service: Service
const clientFor = (apiKey = ownerKey) => new Cairn({ apiKey, baseUrl: service.url, maxRetries: 0 })
const create = (cairn: Cairn, name: string, more: object = {}) =>
  cairn.snippets.create({ name, source: `${name} = 1\n`, entrypoint: name, language: "python", ...more })

const uploadOf = async (cairn: Cairn, name: string) => {
  for await (const event of cairn.system.events({ type: "SnippetUploaded" }))
    if ((event.data["text"] as { readonly name: string } | null)?.name === name) return event
  throw new Error(`no ${name}`)
}

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

describe("events", () => {
  it("are those of one key, or of one person, where that was asked for", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    const owner = (await call("GET", "/api/access")).json
    const member = await memberKey(call, "m@example.org", "member")
    for (const name of ["a", "b"]) await create(clientFor(member.key), name)
    const asked = async (path: string) =>
      (await call("GET", path)).json.events.filter(({ type }: { type: string }) => type !== "KeyUsed")
    for (const path of ["/api/events?limit=100&", "/api/events/newest?limit=100&"]) {
      const theirs = await asked(`${path}actor=${member.id}`)
      assert.deepStrictEqual(
        theirs.map(({ type }: { type: string }) => type).filter((type: string) => type === "SnippetUploaded"),
        ["SnippetUploaded", "SnippetUploaded"]
      )
      assert.isTrue(theirs.every(({ actor }: { actor: { key_id: string } }) => actor.key_id === member.id))
      const made = await asked(`${path}actor=${owner.user_id}&type=KeyCreated`)
      assert.isAbove(made.length, 0)
      assert.isTrue(made.every(({ actor }: { actor: { user_id: string } }) => actor.user_id === owner.user_id))
    }
  })

  it("tell nobody who a stranger was by being asked for them", async () => {
    const mine = clientFor()
    const { codeBlockId } = await create(mine, "shared", { public: true })
    const { call, key } = await organization(service, "PRO")
    const { user_id, key_id } = (await call("GET", "/api/access")).json
    await clientFor(key)
      .withOptions({ publicSnips: true })
      .snippets.vote({ codeBlockId, succeeded: true, task: "share" })
    const votes = await mine.system.newestEvents({ type: "VoteCast", limit: 5 })
    assert.deepStrictEqual(
      votes.events.map(({ actor }) => actor.keyId),
      ["external"]
    )
    for (const actor of [user_id, key_id])
      assert.deepStrictEqual((await mine.system.newestEvents({ actor, limit: 5 })).events, [], actor)
  })

  it("are what followed from one request, and in which order", async () => {
    const cairn = clientFor()
    await create(cairn, "root")
    const { correlationId, eventId } = await uploadOf(cairn, "root")
    const { workspaceId } = await cairn.workspaces.open({ org: "o", user: "u" })
    await cairn.chat("anything", { org: "o", user: "u", model: "local" })
    const of = async (correlation: string) => {
      const events = []
      for await (const event of cairn.system.events({ correlation })) events.push(event)
      return events
    }
    assert.deepStrictEqual(
      (await of(correlationId)).map((event) => event.eventId),
      [eventId]
    )
    const [requested] = (await cairn.system.newestEvents({ type: "ChatRequested", limit: 1 })).events
    const chat = await of(requested!.correlationId)
    assert.isAbove(chat.length, 2)
    assert.strictEqual(chat[0]!.eventId, requested!.eventId)
    const known = new Set<string>()
    for (const event of chat) {
      assert.strictEqual(event.correlationId, requested!.correlationId)
      if (event.causationId !== null) assert.isTrue(known.has(event.causationId), event.type)
      known.add(event.eventId)
    }
    assert.deepStrictEqual(await of("00000000-0000-4000-8000-000000000000"), [])
    assert.isAbove(workspaceId.length, 0)
  })

  it("are begun at a position or a time, with what was recorded there", async () => {
    const cairn = clientFor()
    for (const name of ["first", "second", "third"]) await create(cairn, name)
    const [first, second, third] = await Promise.all(["first", "second", "third"].map((name) => uploadOf(cairn, name)))
    const newest = async (asOf: string, before?: string) =>
      (await cairn.system.newestEvents({ asOf, before, type: "SnippetUploaded", limit: 1 })).events[0]?.eventId
    assert.strictEqual(await newest(second!.position), second!.eventId)
    assert.strictEqual(await newest(second!.position, second!.position), first!.eventId)
    assert.strictEqual(await newest(second!.position, third!.position), second!.eventId)
    const atTime = async (event: typeof first, milliseconds: number) =>
      newest(new Date(Date.parse(event!.recordedAt) + milliseconds).toISOString())
    assert.strictEqual(await atTime(third, 0), third!.eventId)
    assert.strictEqual(await atTime(third, 60_000), third!.eventId)
    if (first!.recordedAt !== second!.recordedAt) assert.strictEqual(await atTime(first, 0), first!.eventId)
    assert.strictEqual(await newest("2020-01-01"), undefined)
    for (const asOf of ["yesterday", "2026-02-30T", "abcd-1"])
      assert.instanceOf(await newest(asOf).catch((error: unknown) => error), ValidationError, asOf)
  })
})

describe("one event", () => {
  it("is told with what became of its text, by what, and whether it is as it was written", async () => {
    const cairn = clientFor()
    const { codeBlockId } = await create(cairn, "told")
    const { position } = await uploadOf(cairn, "told")
    const { event, _requestId, ...seen } = await cairn.system.event(position)
    assert.strictEqual(event.data["snippet"], codeBlockId)
    assert.deepStrictEqual(seen, { text: "there", erasedBy: null, intact: true })
    await cairn.snippets.delete(codeBlockId)
    const erased = await cairn.system.event(position)
    assert.strictEqual(erased.event.data["text"], null)
    assert.strictEqual(erased.text, "erased")
    const receipt = await cairn.system.event(erased.erasedBy!)
    assert.strictEqual(receipt.event.type, "SnippetDeleted")
    assert.strictEqual(receipt.event.data["snippet"], codeBlockId)
    assert.strictEqual(receipt.text, "none")
    await service.sql("UPDATE events SET actor_key = 'somebody' WHERE position = $1", [BigInt(position)])
    assert.strictEqual((await cairn.system.event(position)).intact, false)
  })

  it("is nobody else's, and none where there is none", async () => {
    const cairn = clientFor()
    const [own] = (await cairn.system.newestEvents({ limit: 1 })).events
    const { key } = await organization(service, "ENTERPRISE")
    const ask = (position: string, as = cairn) => as.system.event(position).catch((error: unknown) => error)
    assert.instanceOf(await ask(own!.position, clientFor(key)), NotFoundError)
    for (const position of ["0", "999999999999"]) assert.instanceOf(await ask(position), NotFoundError, position)
    assert.instanceOf(await ask("x"), ValidationError)
  })
})
