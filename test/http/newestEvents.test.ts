import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { organization } from "#test/service/tenants.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { Cairn } from "../../clients/typescript/src/index.ts"

let service: Service
const clientFor = (apiKey = ownerKey) => new Cairn({ apiKey, baseUrl: service.url, maxRetries: 0 })

beforeAll(async () => {
  service = await startService()
  const cairn = clientFor()
  for (let n = 0; n < 6; n++)
    await cairn.snippets.create({ name: `s${n}`, source: `x = ${n}\n`, entrypoint: "x", language: "python" })
})
afterAll(() => service?.close())

describe("the newest events", () => {
  it("are the log's last ones, in its order, and page by page back to its beginning", async () => {
    const { system } = clientFor()
    const all = []
    for await (const event of system.events()) all.push(event.eventId)
    const back: Array<string> = []
    let before: string | undefined
    for (;;) {
      const page = await system.newestEvents({ limit: 3, before })
      assert.isAtMost(page.events.length, 3)
      back.unshift(...page.events.map(({ eventId }) => eventId))
      if (page.nextBefore === null) break
      before = page.nextBefore
    }
    // a key that was used is noted meanwhile
    assert.deepStrictEqual(back.slice(0, all.length), all.slice(0, back.length))
    assert.isAtLeast(back.length, all.length)
  })

  it("are those of a type or a stream where that was asked for", async () => {
    const { system } = clientFor()
    const stored = await system.newestEvents({ type: "SnippetUploaded", limit: 2 })
    assert.deepStrictEqual(
      stored.events.map(({ data }) => (data["text"] as { readonly name: string }).name),
      ["s4", "s5"]
    )
    const [, last] = stored.events
    const { events, nextBefore } = await system.newestEvents({ stream: last!.stream })
    assert.isTrue(events.every(({ stream }) => stream === last!.stream))
    assert.strictEqual(nextBefore, null)
  })

  it("say where to go on: what comes later is told there, and nothing twice", async () => {
    const cairn = clientFor()
    const { nextAfter } = await cairn.system.newestEvents()
    const { codeBlockId } = await cairn.snippets.create({
      name: "l",
      source: "l = 1\n",
      entrypoint: "l",
      language: "python"
    })
    for await (const { type, data } of cairn.system.events({ after: nextAfter, type: "SnippetUploaded" })) {
      assert.strictEqual(type, "SnippetUploaded")
      assert.strictEqual(data["snippet"], codeBlockId)
    }
  })

  it("are another organization's own", async () => {
    const other = (await organization(service, "PRO")).key
    const { events } = await clientFor(other).system.newestEvents({ limit: 100 })
    assert.isTrue(events.every(({ type }) => type !== "SnippetUploaded"))
  })

  it("are refused where the place is none of this log", async () => {
    const answer = await fetch(`${service.url}/api/events/newest?before=nowhere`, {
      headers: { authorization: `Bearer ${ownerKey}` }
    })
    assert.strictEqual(answer.status, 400)
  })
})

describe("what a key may", () => {
  it("is told to it: whose it is, what bounds it, and the operations that are not refused", async () => {
    const owner = await clientFor().system.access()
    assert.strictEqual(owner.role, "owner")
    assert.isTrue(owner.operator)
    assert.includeMembers([...owner.operations], ["backups.backup", "events.events", "snippets.vote", "system.health"])
    const member = await clientFor(
      (await clientFor().keys.create({ email: "m@example.org", keyName: "m", role: "member" })).key
    ).system.access()
    assert.strictEqual(member.role, "member")
    assert.isFalse(member.operator)
    assert.include(member.operations, "snippets.vote")
    assert.notInclude(member.operations, "events.events")
    const { key } = await clientFor().keys.create({ email: "r@example.org", keyName: "r", readOnly: true })
    const reading = await clientFor(key).system.access()
    assert.isTrue(reading.readOnly)
    assert.notInclude(reading.operations, "snippets.vote")
  })
})
