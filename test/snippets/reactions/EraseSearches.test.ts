import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { RetrievalEvent, searchSubject } from "#domain/Retrieval.ts"
import { schemaOf } from "#engine/Projection.ts"
import { EventStore } from "#engine/ports/EventStore.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { retain } from "#src/audit/retention.ts"
import { encode } from "#src/codec.ts"
import { listen } from "#test/http/sse.ts"
import { findByName, remove, stored } from "#test/http/store.ts"
import { organization } from "#test/service/tenants.ts"
import { type Service, startService } from "#test/service.ts"

const day = 86_400_000

/** The texts of searches go with the last snippet that they found. */
describe("what searches asked for", () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  const snippet = async (name: string) => {
    await stored(service.call, name)
    return (await findByName(service.call, name))!.code_block.id
  }
  /** Queries that are still there, of notes of this home's snippets. */
  const queries = async () =>
    (
      await service.sql<{ query: string }>(
        `SELECT convert_from(p.bytes, 'UTF8') AS query FROM events e JOIN payloads p ON p.id = e.event_id
         WHERE e.type = 'SearchAnswered' ORDER BY e.position`
      )
    ).map(({ query }) => JSON.parse(query).query as string)
  const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 50 })
  const erased = () =>
    service.sql<{ data: string; stream: string }>(
      "SELECT data, stream FROM events WHERE type = 'SearchesErased' ORDER BY position"
    )

  /** Notes a search as the service does, a moment after it was answered. */
  const note = (tenant: string, found: ReadonlyArray<string>, query: string, date = "2031-05-05") => {
    const stream = `retrieval-${tenant}-${date}`
    const event = RetrievalEvent.cases.SearchAnswered.make({
      home: tenant,
      snippets: found,
      scores: found.map(() => 0.5),
      total: found.length,
      cacheHit: false,
      subject: searchSubject(stream, found),
      text: { query }
    })
    const commandId = crypto.randomUUID()
    const actor = { key: null, user: null, organization: tenant }
    const command = { commandId, correlationId: commandId, causationId: null, actor, request: null }
    return service.run(
      Effect.flatMap(EventStore, (store) =>
        store.append({ tenant, stream, expected: "any", commands: [{ ...command, events: [encode(event)] }] })
      )
    )
  }

  it("is kept until the last snippet that was found is deleted, and goes then", async () => {
    const { id: tenant } = await organization(service, "PRO")
    const [one, two] = [await snippet("kept_one"), await snippet("kept_two")]
    await note(tenant, [one, two], "both of them")
    await note(tenant, [two, one], "both, the other way round")
    await note(tenant, [one], "the first")
    await note(tenant, [], "nothing at all")
    await remove(service.call, one)
    await until(async () => assert.notInclude(await queries(), "the first"))
    assert.includeMembers(await queries(), ["both of them", "both, the other way round", "nothing at all"])
    await remove(service.call, two)
    await until(async () => assert.notInclude(await queries(), "both of them"))
    assert.notInclude(await queries(), "both, the other way round")
    assert.include(await queries(), "nothing at all")
  })

  it("goes too when it was noted after all that was found had been deleted", async () => {
    const { id: tenant } = await organization(service, "PRO")
    const [gone, left] = [await snippet("noted_late"), await snippet("noted_late_beside")]
    await remove(service.call, gone)
    await note(tenant, [gone, left], "late, one is left")
    await note(tenant, [gone], "too late")
    await until(async () => {
      const sets = (await erased()).flatMap(({ data }) => JSON.parse(data).subjects as ReadonlyArray<string>)
      assert.include(sets, searchSubject(`retrieval-${tenant}-2031-05-05`, [gone]))
    })
    assert.notInclude(await queries(), "too late")
    assert.include(await queries(), "late, one is left")
    // and nothing is stored under it any more
    await note(tenant, [gone], "later still")
    assert.notInclude(await queries(), "later still")
  })

  it("is erased once for each set of snippets, and what is left at the end of its time with the day", async () => {
    const { id: tenant } = await organization(service, "PRO")
    const kept = await snippet("kept_to_the_end")
    const stream = `retrieval-${tenant}-2031-05-05`
    await note(tenant, [kept], "for ninety days")
    await note(tenant, [kept], "and again")
    await note(tenant, [], "of nothing")
    await service.run(retain(Date.parse("2031-05-05") + 91 * day, 90))
    const left = await queries()
    for (const query of ["for ninety days", "and again", "of nothing"]) assert.notInclude(left, query)
    const subjects = (await erased()).flatMap(({ data }) => JSON.parse(data).subjects as ReadonlyArray<string>)
    assert.strictEqual(new Set(subjects).size, subjects.length)
    const [last] = (await erased()).filter((one) => one.stream === stream)
    assert.deepStrictEqual(JSON.parse(last!.data), { cause: "expired", subjects: [searchSubject(stream, [kept])] })
  })

  it("names no deleted snippet in what is shown of the log", async () => {
    const [gone, left] = [await snippet("unnamed_gone"), await snippet("unnamed_left")]
    const { tenant } = (
      await service.sql<{ tenant: string }>(`SELECT tenant FROM ${schemaOf(Snippets)}.snippets LIMIT 1`)
    )[0]!
    await note(tenant, [left, gone], "who is named", "2031-06-06")
    const shown = async () => {
      const stream = `retrieval-${tenant}-2031-06-06`
      const { events } = (await service.call("GET", `/api/events?stream=${stream}&type=SearchAnswered`)).json
      return events.map(({ data }: { data: { snippets: unknown; scores: unknown } }) => [data.snippets, data.scores])
    }
    assert.deepStrictEqual(await shown(), [
      [
        [left, gone],
        [0.5, 0.5]
      ]
    ])
    await remove(service.call, gone)
    assert.deepStrictEqual(await shown(), [
      [
        [left, "deleted"],
        [0.5, null]
      ]
    ])
  })

  it("names none in the stream of events either, neither of what was there nor of what comes", async () => {
    const [gone, left] = [await snippet("unstreamed_gone"), await snippet("unstreamed_left")]
    const [{ tenant }] = (await service.sql<{ tenant: string }>(
      `SELECT tenant FROM ${schemaOf(Snippets)}.snippets LIMIT 1`
    )) as [{ tenant: string }]
    await note(tenant, [left, gone], "who is streamed", "2031-07-07")
    await remove(service.call, gone)
    const stream = await listen(service, `/api/events/stream?stream=retrieval-${tenant}-2031-07-07&type=SearchAnswered`)
    const told = async () => {
      const [message] = await stream.take(1)
      const { snippets, scores } = message!.data.data
      assert.notInclude(JSON.stringify(message), gone)
      return [snippets, scores]
    }
    assert.deepStrictEqual(await told(), [
      [left, "deleted"],
      [0.5, null]
    ])
    await note(tenant, [gone, left], "who comes late", "2031-07-07")
    assert.deepStrictEqual(await told(), [
      ["deleted", left],
      [null, 0.5]
    ])
    await stream.close()
  })
})
