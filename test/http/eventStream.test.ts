import { request } from "node:http"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { RetrievalEvent } from "#domain/Retrieval.ts"
import { Notes } from "#src/notes.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { listen, type Message } from "./sse.ts"

const path = "/api/events/stream"
const ids = (messages: ReadonlyArray<Message>) => messages.map(({ id }) => id)

/** Notes a search: an event whose text is as long as one likes. */
const search = (service: Service, tenant: string, query: string) => {
  const event = RetrievalEvent.cases.SearchAnswered.make({
    home: tenant,
    snippets: [],
    scores: [],
    total: 0,
    cacheHit: false,
    subject: "retrieval",
    text: { query }
  })
  const actor = { key: null, user: null, organization: null }
  return service.run(Effect.flatMap(Notes, ({ add }) => add({ tenant, stream: "retrieval", actor, event })))
}

describe("the stream of events", () => {
  let service: Service
  let tenant: { readonly key: string; readonly call: Service["call"]; readonly id: string }
  beforeAll(async () => {
    service = await startService()
    tenant = await organization(service, "ENTERPRISE")
  })
  afterAll(() => service.close())

  const listed = async (query = ""): Promise<Array<{ position: string; type: string; stream: string }>> =>
    (await tenant.call("GET", `/api/events?limit=1000${query}`)).json.events

  it("gives what /api/events gives, in a form that no cache and no proxy keeps", async () => {
    const stream = await listen(service, path, tenant.key)
    const events = await listed()
    const told = await stream.take(events.length)
    assert.deepStrictEqual(
      told.map(({ data }) => data),
      events
    )
    for (const { id, event, data } of told) assert.deepStrictEqual([id, event], [data.position, data.type])
    assert.strictEqual(stream.headers.get("content-type"), "text/event-stream; charset=utf-8")
    assert.strictEqual(stream.headers.get("cache-control"), "no-store")
    assert.strictEqual(stream.headers.get("x-accel-buffering"), "no")
    await stream.close()
  })

  it("takes after, type and stream", async () => {
    await memberKey(tenant.call, "first@example.org")
    const [first] = await listed("&type=KeyCreated")
    const stream = await listen(
      service,
      `${path}?after=${first!.position}&type=KeyCreated&stream=${first!.stream}`,
      tenant.key
    )
    const [message] = await stream.take(1)
    assert.strictEqual(message!.id, (await listed("&type=KeyCreated"))[1]!.position)
    await stream.close()
  })

  it("refuses a type that no event has, and names those that there are", async () => {
    for (const reading of ["/api/events", path]) {
      const { message } = refused(await tenant.call("GET", `${reading}?type=KeyMade`), 400, "validation/invalid_field")
      assert.include(message, "KeyCreated")
    }
  })

  it("goes on without a gap or a repetition while others write", async () => {
    const writing = (async () => {
      for (let i = 0; i < 25; i++) await memberKey(tenant.call, "busy@example.org")
    })()
    const seen: Array<Message> = []
    let last = "0"
    // each connection breaks after a few, and the next one says what came last
    for (let connection = 0; connection < 5; connection++) {
      const stream = await listen(service, `${path}?after=1`, tenant.key, { "last-event-id": last })
      seen.push(...(await stream.take(5)))
      last = seen.at(-1)!.id!
      await stream.close()
    }
    await writing
    const events = await listed()
    const rest = await listen(service, path, tenant.key, { "last-event-id": last })
    seen.push(...(await rest.take(events.length - seen.length)))
    await rest.close()
    assert.deepStrictEqual(
      ids(seen),
      events.map(({ position }) => position)
    )
  })

  it("is open sixteen times for one key, and again when one of them has ended", async () => {
    const { key } = await memberKey(tenant.call, "streams@example.org", "admin")
    const open = await Promise.all(Array.from({ length: 16 }, () => listen(service, path, key)))
    for (const stream of open) await stream.take(1)
    const more = await service.as(key)("GET", path)
    refused(more, 429, "rate_limit/exceeded")
    assert.strictEqual(more.headers.get("retry-after"), "1")
    await open.pop()!.close()
    const again = await vi.waitFor(
      async () => {
        const stream = await listen(service, path, key)
        assert.strictEqual(stream.headers.get("content-type"), "text/event-stream; charset=utf-8")
        return stream
      },
      { timeout: 60_000 }
    )
    for (const stream of [...open, again]) await stream.close()
  })

  it("tells of nobody else's events", async () => {
    const head = await service.head()
    const stream = await listen(service, `${path}?after=${head}&type=MemberAdded`, tenant.key)
    await memberKey(service.call, "theirs@example.org")
    await memberKey(tenant.call, "ours@example.org")
    const [message] = await stream.take(1)
    assert.deepStrictEqual(message!.data.data.text, { email: "ours@example.org" })
    await stream.close()
  })

  it("ends when its key is revoked, and tells nothing that came after", async () => {
    const admin = await memberKey(tenant.call, "admin@example.org", "admin")
    const head = await service.head()
    const stream = await listen(service, `${path}?after=${head}&type=MemberAdded`, admin.key)
    await memberKey(tenant.call, "before@example.org")
    assert.strictEqual((await stream.next())!.event, "MemberAdded")
    await tenant.call("POST", "/api/keys/org/revoke", { key_id: admin.id })
    await memberKey(tenant.call, "after@example.org")
    const rest = await stream.until(() => false)
    const { id, event, data } = rest.at(-1)!
    assert.deepStrictEqual([id, event, data.reason], [undefined, "end", "revoked"])
    assert.notInclude(JSON.stringify(rest), "after@example.org")
    refused(await service.as(admin.key)("GET", path), 401, "auth/invalid_api_key")
  })

  it("tells long texts whole, also to those who waited for them, and each gives back the room that it took", async () => {
    const after = await service.head()
    const stream = await listen(service, `${path}?after=${after}&type=SearchAnswered`, tenant.key)
    // with the copies that are in hand of each, more than one key has room for
    const queries = Array.from({ length: 11 }, (_, n) => `${n} `.repeat(550_000))
    for (const query of queries) await search(service, tenant.id, query)
    const told = (await stream.take(queries.length)).map(({ data }) => data)
    assert.deepStrictEqual(
      told.map(({ data }) => data.text.query === queries.shift()),
      told.map(() => true)
    )
    const { events } = (await tenant.call("GET", `/api/events?limit=2&type=SearchAnswered&after=${after}`)).json
    assert.deepStrictEqual(events, told.slice(0, 2))
    await stream.close()
  })

  it("is for owners and admins", async () => {
    const member = await memberKey(tenant.call, "member@example.org")
    refused(await service.as(member.key)("GET", path), 403, "permission/admin_key_required")
  })

  it("refuses what is no position", async () => {
    for (const id of ["x", "-1", "1e3", "1".repeat(16)]) {
      const answer = await tenant.call("GET", path, undefined, { "last-event-id": id })
      assert.strictEqual(refused(answer, 400, "validation/invalid_field").field, "Last-Event-ID")
    }
    const answer = await tenant.call("GET", `${path}?after=x`)
    assert.strictEqual(refused(answer, 400, "validation/invalid_field").field, "after")
  })
})

it("a stopping service tells its streams, and waits for none, also not for one that takes nothing", async () => {
  const service = await startService()
  const stream = await listen(service, `${path}?type=MemberAdded`)
  assert.strictEqual((await stream.next())!.event, "MemberAdded")
  // more than the sockets hold, for a client that reads none of it
  const [{ tenant }] = (await service.sql<{ tenant: string }>("SELECT tenant FROM events LIMIT 1")) as [
    { tenant: string }
  ]
  for (let i = 0; i < 20; i++) await search(service, tenant, "x".repeat(1_000_000))
  await vi.waitFor(async () => {
    const [row] = await service.sql<{ n: bigint }>("SELECT count(*) AS n FROM events WHERE stream = 'retrieval'")
    assert.strictEqual(Number(row!.n), 20)
  }, 60_000)
  const idle = await new Promise<import("node:http").ClientRequest>((resolve) => {
    const asking = request(service.url + path, { headers: { authorization: `Bearer ${ownerKey}` } }, (answer) => {
      answer.pause()
      resolve(asking)
    })
    asking.on("error", () => undefined)
    asking.end()
  })
  const gone = new Promise((resolve) => idle.once("close", resolve))
  const [rest] = await Promise.all([stream.until(() => false), service.close()])
  assert.deepStrictEqual([rest.at(-1)!.event, rest.at(-1)!.data.reason], ["end", "stopping"])
  idle.destroy()
  await gone
})
