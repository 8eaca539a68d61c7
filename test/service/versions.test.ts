import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { schemaOf } from "#engine/Projection.ts"
import { EventStore, type NewEvent } from "#engine/ports/EventStore.ts"
import { Keys } from "#projections/Keys/tables.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { Workspaces } from "#projections/Workspaces/tables.ts"
import { command, noted, to } from "#test/engine/appends.ts"
import { refused } from "#test/http/problem.ts"
import { findByName, matches, stored } from "#test/http/store.ts"
import { type Service, startService } from "#test/service.ts"

describe("a process that is older than what a newer one beside it has written", () => {
  let service: Service
  let written: { readonly stream: string; readonly tenant: string; readonly type: string }
  let id: string
  beforeAll(async () => {
    service = await startService({ CAIRN_READ_PATIENCE_MS: "200" })
    await stored(service.call, "praised")
    id = (
      await vi.waitFor(
        async () => {
          const found = await findByName(service.call, "praised")
          assert.isDefined(found)
          return found!
        },
        { timeout: 60_000 }
      )
    ).code_block.id
    const { json } = await service.call("GET", "/api/events?limit=1000")
    const first = json.events.find(({ stream }: { stream: string }) => stream.includes(id))
    const [row] = await service.sql<{ tenant: string }>("SELECT tenant FROM events WHERE position = $1", [
      Number(first.position)
    ])
    written = { stream: first.stream, type: first.type, tenant: row!.tenant }
  })
  afterAll(() => service?.close())

  /** What the newer process appends. */
  const append = (stream: string, event: Partial<NewEvent>) =>
    service.run(
      Effect.flatMap(EventStore, (store) =>
        store.append(to(stream, "any", [command({ events: [noted(event)] })], written.tenant))
      )
    )
  const ready = async () => (await service.call("GET", "/ready")).json

  it("goes on past events of unknown types, which its read models are not of, and decides nothing on such a stream", async () => {
    await append(written.stream, { type: "SnippetPraised" })
    await stored(service.call, "beside")
    await vi.waitFor(async () => assert.isDefined(await findByName(service.call, "beside")), { timeout: 60_000 })
    assert.strictEqual((await ready()).status, "ready")
    assert.lengthOf(await matches(service.call, "praised task", { top_k: 1, min_verdict_score: 0 }), 1)

    const answer = await service.call("DELETE", `/api/store/code-block/${id}`)
    refused(answer, 503, "unavailable/store")
    assert.strictEqual(answer.headers.get("retry-after"), "1")
    refused(await service.call("GET", "/api/events?limit=1000"), 503, "unavailable/store")
    assert.isDefined(await findByName(service.call, "praised"))
  })

  it("stops the read model that would have to know a newer version, says so, and serves the rest", async () => {
    await append("snippet-of-a-newer-one", { type: written.type, schemaVersion: 99 })
    const name = schemaOf(Snippets)
    const report = await vi.waitFor(
      async () => {
        const report = await ready()
        assert.strictEqual(report.status, "failing")
        return report
      },
      { timeout: 60_000 }
    )
    assert.include(report.read_models[name], `(${written.type} version 99) can't be read by this version of the code`)
    for (const other of [Keys, Workspaces]) assert.strictEqual(report.read_models[schemaOf(other)], "ok")
    const { position } = (
      await service.sql<{ position: number }>("SELECT max(position)::int AS position FROM events")
    )[0]!
    const search = await service.call("POST", "/api/retrieve/search", { task: "praised task", min_verdict_score: 0 })
    // what it had is there, and it is said that there is more
    assert.deepStrictEqual([search.status, search.headers.get("cairn-stale")], [200, "true"])
    assert.isAbove(search.json.matches.length, 0)
    assert.isNull((await service.call("GET", "/api/workspaces")).headers.get("cairn-stale"))
    // nothing was passed over: it goes on from there as soon as somebody can read it
    const [at] = await service.sql<{ position: number }>(
      "SELECT position::int AS position FROM read_models WHERE name = 'snippets' AND live"
    )
    assert.isBelow(at!.position, position)
    assert.strictEqual((await service.call("GET", "/health")).status, 200)
    assert.isTrue((await stored(service.call, "later")).success)
  })
})
