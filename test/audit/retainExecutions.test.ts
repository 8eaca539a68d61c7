import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { ExecutionEvent } from "#domain/Execution.ts"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import { Executions } from "#projections/Executions.ts"
import { Logs } from "#projections/Logs.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { replay } from "#src/audit/replay.ts"
import { retainExecutions } from "#src/audit/retainExecutions.ts"
import { verify } from "#src/audit/verify.ts"
import { audit } from "#src/layers.ts"
import { Notes } from "#src/notes.ts"
import { projections } from "#src/readModels.ts"
import { execution } from "#test/domain/executions.ts"
import { organization } from "#test/service/tenants.ts"
import { newInstallation, removeInstallation, type Service, startService } from "#test/service.ts"
import { foundRuns, newSnippet, recorded } from "../http/executed.ts"
import { fine } from "../http/routes.ts"
import { findByName } from "../http/store.ts"

const day = 86_400_000

describe("the text of executions", () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  interface Run {
    readonly id: string
    readonly subject: string
    readonly has: boolean
  }
  /** Executions in the log, in their order. */
  const runs = (tenant: string) =>
    service.sql<Run>(
      `SELECT e.data::json->>'execution' AS id, e.data::json->>'subject' AS subject, p.id IS NOT NULL AS has
       FROM events e LEFT JOIN payloads p ON p.id = e.event_id
       WHERE e.type = 'ExecutionRecorded' AND e.tenant = $1 ORDER BY e.position`,
      [tenant]
    )
  const erasures = (tenant: string) =>
    service.sql<{ data: string }>("SELECT data FROM events WHERE type = 'ExecutionsErased' AND tenant = $1", [tenant])

  const record = (call: Service["call"], code: string, output: string) =>
    recorded(call, code, { io: { input_data: {}, input_hash: "", output_data: output, output_hash: "" } })
  const listed = async (call: Service["call"]) => (await foundRuns(call, {})).total_found as number
  const logged = async (call: Service["call"]) =>
    fine(await call("POST", "/api/raw/search", { query: "printed" })).matches.length as number
  const differences = Effect.forEach([Executions, Logs, Snippets], (projection) =>
    Effect.map(replay(projection, { promote: false, progress: () => undefined }), ({ differences }) => differences)
  )

  /** When the month of now has ended. */
  const endOfMonth = () => {
    const now = new Date()
    return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
  }

  it("goes so many days after its month, by an event, for good; what ran and how stays", async () => {
    const { id, call } = await organization(service, "PRO")
    const snippet = await newSnippet(call, "counts")
    await record(call, snippet, "printed once")
    await record(call, snippet, "printed twice")
    await record(call, "elsewhere", "of nobody")
    const before = await runs(id)
    assert.deepStrictEqual(
      before.map(({ has }) => has),
      [true, true, true]
    )
    assert.strictEqual(before[0]!.subject, before[1]!.subject)
    assert.deepStrictEqual([await listed(call), await logged(call)], [3, 2])

    await service.run(retainExecutions(endOfMonth() + 30 * day - 1, 30))
    assert.isEmpty(await erasures(id))
    await service.run(retainExecutions(endOfMonth() + 30 * day, 30))
    assert.deepStrictEqual(
      (await runs(id)).map(({ has }) => has),
      [false, false, false]
    )
    assert.lengthOf(await erasures(id), 2)
    assert.deepStrictEqual([await listed(call), await logged(call)], [0, 0])
    // and the snippet has its source
    assert.include((await findByName(call, "counts"))!.code_block.source, "counts")

    // once: nothing is looked at again
    await service.run(retainExecutions(endOfMonth() + 60 * day, 30))
    assert.lengthOf(await erasures(id), 2)
    const checkpoint = await service.run(Effect.flatMap(ReadModels, ({ reaction }) => reaction("retention_executions")))
    assert.isAbove(Number(checkpoint), 0)

    // what is read is what a replay gives, and the log is whole
    assert.deepStrictEqual((await service.run(differences)).flat(), [])
    const looked = verify(projections, () => {}).pipe(Effect.provide(audit({ dataDir: service.dataDir })))
    assert.deepStrictEqual((await service.run(looked)).findings, [])
  })

  it("goes with its snippet, whatever its month", async () => {
    const { id, call } = await organization(service, "PRO")
    const snippet = await newSnippet(call, "goes")
    await record(call, snippet, "printed words")
    assert.strictEqual(await logged(call), 1)
    assert.strictEqual((await call("POST", "/api/snippets/delete", { snippet_id: snippet })).status, 200)
    assert.deepStrictEqual(
      (await runs(id)).map(({ has }) => has),
      [false]
    )
    assert.strictEqual(await logged(call), 0)
  })

  it("stays where it has its snippet's subject, as an older release recorded it: the source is there, too", async () => {
    const { id, call } = await organization(service, "PRO")
    const snippet = await newSnippet(call, "older")
    const event = ExecutionEvent.cases.ExecutionRecorded.make({
      ...execution,
      snippet,
      home: id,
      subject: `snippet/${snippet}`
    })
    const actor = { key: null, user: null, organization: id }
    await service.run(
      Effect.flatMap(Notes, ({ add }) => add({ tenant: id, stream: `snippet-${snippet}`, actor, event }))
    )
    await vi.waitFor(async () => assert.lengthOf(await runs(id), 1), 60_000)
    await service.run(retainExecutions(endOfMonth() + 90 * day, 30))
    assert.isEmpty(await erasures(id))
    assert.include((await findByName(call, "older"))!.code_block.source, "older")
    assert.isTrue((await runs(id))[0]!.has)
  })
})

it("is looked through at each start of a service that is told for how long, from where the one before was", async () => {
  const installation = await newInstallation()
  const old = async (service: Service, month: string) => {
    const id = randomUUID()
    const subject = `snippet/${id}/executions/${month}`
    const event = ExecutionEvent.cases.ExecutionRecorded.make({ ...execution, execution: id, snippet: id, subject })
    const actor = { key: null, user: null, organization: id }
    await service.run(Effect.flatMap(Notes, ({ add }) => add({ tenant: id, stream: `execution-${id}`, actor, event })))
    await vi.waitFor(async () => assert.lengthOf(await textOf(service, subject), 1), 60_000)
    return subject
  }
  const textOf = (service: Service, subject: string) =>
    service.sql("SELECT 1 FROM payloads WHERE subject = $1", [subject])
  const goes = (service: Service, subject: string) =>
    vi.waitFor(async () => assert.isEmpty(await textOf(service, subject)), 60_000)
  try {
    const first = await startService({}, installation)
    const subjects = [await old(first, "2020-01"), await old(first, "2020-02")]
    await first.stop()
    const told = { CAIRN_RETENTION_EXECUTIONS: "30" }
    const second = await startService(told, installation)
    for (const subject of subjects) await goes(second, subject)
    const later = await old(second, "2020-03")
    assert.lengthOf(await second.sql("SELECT 1 FROM events WHERE type = 'ExecutionsErased'"), 2)
    await second.stop()
    const third = await startService(told, installation)
    await goes(third, later)
    assert.lengthOf(await third.sql("SELECT 1 FROM events WHERE type = 'ExecutionsErased'"), 3)
    await third.stop()
  } finally {
    removeInstallation(installation)
  }
})
