import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { retain } from "#src/audit/retention.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"
import { noteSearch } from "./searches.ts"

const day = 86_400_000

describe("what searches asked for", () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  interface Searched {
    readonly stream: string
    readonly query: string | null
  }
  const searched = () =>
    service.sql<Searched>(
      `SELECT e.stream, convert_from(p.bytes, 'UTF8') AS query FROM events e LEFT JOIN payloads p ON p.id = e.event_id
       WHERE e.type = 'SearchAnswered' ORDER BY e.position`
    )
  const erasures = () =>
    service.sql<{ stream: string; data: string }>(
      "SELECT stream, data FROM events WHERE type = 'RetrievalErased' ORDER BY position"
    )
  const search = (call: Service["call"], task: string) => call("POST", "/api/retrieve/search", { task })
  const noted = (count: number) =>
    vi.waitFor(
      async () =>
        assert.lengthOf(
          (await searched()).filter(({ query }) => query !== null),
          count
        ),
      60_000
    )

  it("is kept for 90 whole days, and erased for each tenant then, once", async () => {
    const other = await organization(service, "PRO")
    await search(service.call, "parse a secret file")
    await search(service.call, "another question")
    await search(other.call, "a question of others")
    await noted(3)
    const [{ stream }] = (await searched()) as [Searched]
    const began = Date.parse(stream.slice(-10))

    await service.run(retain(began + 91 * day - 1, 90))
    assert.isEmpty(await erasures())

    await service.run(retain(began + 91 * day, 90))
    assert.deepStrictEqual(
      (await searched()).map(({ query }) => query),
      [null, null, null]
    )
    const erased = await erasures()
    assert.sameMembers(
      erased.map(({ stream }) => stream),
      [...new Set((await searched()).map(({ stream }) => stream))]
    )
    assert.deepStrictEqual(JSON.parse(erased[0]!.data), { day: stream.slice(-10), subject: erased[0]!.stream })

    await service.run(retain(began + 92 * day, 90))
    assert.deepStrictEqual(await erasures(), erased)
  })

  it("goes day by day: what is not over yet stays", async () => {
    const { id, call } = await organization(service, "PRO")
    const days = ["2031-01-01", "2031-01-02", "2031-01-03"]
    for (const date of days) {
      await noteSearch(service, id, date)
      await noted(days.indexOf(date) + 1)
    }
    await service.run(retain(Date.parse("2031-01-02") + 91 * day, 90))
    assert.deepStrictEqual(
      (await searched()).flatMap(({ query }) => (query === null ? [] : [JSON.parse(query).query])),
      ["asked on 2031-01-03"]
    )
    const { events } = (await call("GET", "/api/events?type=RetrievalErased")).json
    assert.deepStrictEqual(
      events.map(({ data }: { data: { day: string } }) => data.day),
      days.slice(0, 2)
    )
  })

  it("goes as many days after its day as are given", async () => {
    const { id } = await organization(service, "PRO")
    const stream = await noteSearch(service, id, "2032-05-01", "asked once")
    const has = async () => (await searched()).find((one) => one.stream === stream)?.query != null
    await vi.waitFor(async () => assert.isTrue(await has()), 60_000)
    await service.run(retain(Date.parse("2032-05-01") + 8 * day - 1, 7))
    assert.isTrue(await has())
    await service.run(retain(Date.parse("2032-05-01") + 8 * day, 7))
    assert.isFalse(await has())
  })
})
