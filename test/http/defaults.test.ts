import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Service, startService } from "#test/service.ts"
import { sendBundle } from "./bundle.ts"
import { fine } from "./routes.ts"
import { findByName, matches, stored, vote } from "./store.ts"

describe("where a request says nothing", () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  it("a search finds 5 snippets, and none whose verdict is below 0.3", async () => {
    const { call } = service
    for (let n = 0; n < 7; n++) await stored(call, `okapi${n}`, { task: `find okapi ${n}` })
    const found = await matches(call, "find okapi")
    assert.lengthOf(found, 5)
    for (const [top_k, expected] of [
      [1, 1],
      [6, 6],
      [100, 7]
    ] as const)
      assert.lengthOf(await matches(call, "find okapi", { top_k }), expected)
    // (0 + 2) / (2 + 4) = 0.333 stays, (0 + 2) / (3 + 4) = 0.286 goes
    const [first] = found
    const { id } = first!.code_block
    const isFound = async () =>
      (await matches(call, "find okapi", { top_k: 100 })).some(({ code_block }) => code_block.id === id)
    for (const expected of [true, true, false]) {
      await vote(call, id, false)
      assert.strictEqual(await isFound(), expected)
    }
  })

  it("a vote counts once, and is a person's", async () => {
    await stored(service.call, "tapir", { user_vote: 1 })
    assert.strictEqual((await findByName(service.call, "tapir"))?.thumbs_up, 1)
    fine(await sendBundle(service.call, ["dikdik"], { user_votes: { "dikdik.py": -1 } }))
    assert.strictEqual((await findByName(service.call, "dikdik"))?.thumbs_down, 1)
    const { json } = await service.call("GET", "/api/events?type=VoteCast&limit=1000")
    assert.strictEqual(json.events.at(-1).data.source, "human")
  })

  it("an upload is graded by the service, as the vote of an AI, once", async () => {
    const { status_url } = await stored(service.call, "ocelot")
    const { json } = await service.call("GET", "/api/events?type=VoteRequested&limit=1000")
    const { request, count } = json.events.at(-1).data
    assert.deepStrictEqual([status_url, count], [`/api/store/status/${request}`, 1])
  })

  it("a key is a member's", async () => {
    const { json } = await service.call("POST", "/api/keys/org/create", { email: "ada@example.org", key_name: "k" })
    const events = (await service.call("GET", "/api/events?type=KeyCreated&limit=1000")).json.events
    const created = events.find(({ data }: { data: { key: string } }) => data.key === json.id)
    // it has no role but its person's
    assert.deepStrictEqual([json.role, created.data.role], ["member", null])
    const joined = (await service.call("GET", "/api/events?type=MemberAdded&limit=1000")).json.events
    const person = joined.find(({ data }: { data: { user: string } }) => data.user === created.data.user)
    assert.strictEqual(person.data.role, "member")
  })
})
