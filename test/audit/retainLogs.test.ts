import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { SnippetEvent } from "#domain/Snippet/events.ts"
import { Logs } from "#projections/Logs.ts"
import { replay } from "#src/audit/replay.ts"
import { retainLogs } from "#src/audit/retainLogs.ts"
import { verify } from "#src/audit/verify.ts"
import { audit } from "#src/layers.ts"
import { Notes } from "#src/notes.ts"
import { projections } from "#src/readModels.ts"
import { sentWith } from "#src/snippets/bundle.ts"
import { organization } from "#test/service/tenants.ts"
import { newInstallation, removeInstallation, type Service, startService } from "#test/service.ts"
import { sendBundle } from "../http/bundle.ts"
import { newSnippet } from "../http/executed.ts"
import { fine } from "../http/routes.ts"
import { findByName, remove, stored } from "../http/store.ts"

const day = 86_400_000

/** When the month of now has ended. */
const endOfMonth = () => {
  const now = new Date()
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
}

describe("what uploads printed", () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  /** Whether events of a type still have their text, in their order. */
  const kept = async (tenant: string, type: string) =>
    (
      await service.sql<{ has: boolean }>(
        `SELECT p.id IS NOT NULL AS has FROM events e LEFT JOIN payloads p ON p.id = e.event_id
         WHERE e.type = $2 AND e.tenant = $1 ORDER BY e.position`,
        [tenant, type]
      )
    ).map(({ has }) => has)
  const erasures = async (tenant: string) =>
    (await service.sql("SELECT 1 FROM events WHERE type = 'LogsErased' AND tenant = $1", [tenant])).length
  const logged = async (call: Service["call"]) =>
    fine(await call("POST", "/api/raw/search", { query: "printed" })).matches.length as number

  it("goes so many days after its month, by an event, for good; the snippet stays", async () => {
    const { id, call } = await organization(service, "PRO")
    const snippet = await newSnippet(call, "prints", { execution_logs: "printed once" })
    await stored(call, "prints", { task: "another task", execution_logs: "printed twice" })
    await stored(call, "silent")
    assert.deepStrictEqual(await kept(id, "LogsRecorded"), [true, true])
    assert.strictEqual(await logged(call), 2)
    const uploads = "SELECT 1 FROM payloads WHERE tenant = $1 AND convert_from(bytes, 'UTF8') LIKE '%printed%'"
    assert.lengthOf(await service.sql(uploads, [id]), 2)

    await service.run(retainLogs(endOfMonth() + 7 * day - 1, 7))
    assert.deepStrictEqual([await erasures(id), await logged(call)], [0, 2])
    await service.run(retainLogs(endOfMonth() + 7 * day, 7))
    assert.deepStrictEqual(await kept(id, "LogsRecorded"), [false, false])
    assert.lengthOf(await service.sql(uploads, [id]), 0)
    assert.deepStrictEqual([await erasures(id), await logged(call)], [1, 0])
    assert.notInclude((await call("GET", `/raw/${snippet}.md`)).text, "printed")
    const found = (await findByName(call, "prints"))!.code_block
    assert.include(found.source, "prints")
    assert.include(found.example_queries, "another task")

    // once: nothing is looked at again
    await service.run(retainLogs(endOfMonth() + 60 * day, 7))
    assert.strictEqual(await erasures(id), 1)

    // what is read is what a replay gives, and the log is whole
    const { differences } = await service.run(replay(Logs, { promote: false, progress: () => undefined }))
    assert.deepStrictEqual(differences, [])
    const looked = verify(projections, () => {}).pipe(Effect.provide(audit({ dataDir: service.dataDir })))
    assert.deepStrictEqual((await service.run(looked)).findings, [])
  })

  it("goes with its snippet, whatever its month", async () => {
    const { id, call } = await organization(service, "PRO")
    await stored(call, "goes", { execution_logs: "printed words" })
    assert.strictEqual(await logged(call), 1)
    fine(await remove(call, "goes"))
    assert.deepStrictEqual(await kept(id, "LogsRecorded"), [false])
    assert.strictEqual(await logged(call), 0)
  })

  it("stays where an older release recorded it, with its snippet's source", async () => {
    const { id, call } = await organization(service, "PRO")
    const snippet = await newSnippet(call, "older")
    const event = SnippetEvent.cases.TaskAdded.make({
      snippet,
      author: null,
      succeeded: true,
      subject: `snippet/${snippet}`,
      text: { path: "older.py", task: "an older task", dependencies: {}, logs: "printed long ago", agent: null }
    })
    const actor = { key: null, user: null, organization: id }
    await service.run(
      Effect.flatMap(Notes, ({ add }) => add({ tenant: id, stream: `snippet-${snippet}`, actor, event }))
    )
    await vi.waitFor(async () => assert.strictEqual(await logged(call), 1), 60_000)
    await service.run(retainLogs(endOfMonth() + 90 * day, 7))
    assert.strictEqual(await logged(call), 1)
    assert.strictEqual(await erasures(id), 0)
  })

  it("of a bundle goes by itself, and is no evidence any more", async () => {
    const { id, call } = await organization(service, "PRO")
    const log_files = [{ path: "run.log", content: "printed by a bundle" }]
    const { status_url } = fine(await sendBundle(call, ["bundled"], { log_files }))
    const bundle = status_url.split("/").at(-1)
    assert.deepInclude((await service.run(sentWith(bundle))).logs[0], {
      path: "run.log",
      content: "printed by a bundle"
    })
    await service.run(retainLogs(endOfMonth() + 7 * day, 7))
    assert.deepStrictEqual(await kept(id, "LogFilesReceived"), [false])
    assert.deepStrictEqual(await service.run(sentWith(bundle)), {
      received: true,
      prompts: ["Write bundled."],
      logs: []
    })
    // and the rest goes with its snippet
    fine(await remove(call, "bundled"))
    await vi.waitFor(async () => assert.deepStrictEqual(await kept(id, "EvidenceReceived"), [false]), 60_000)
  })

  it("of a bundle goes with the last of its snippets, where nobody is told for how long", async () => {
    const { id, call } = await organization(service, "PRO")
    fine(await sendBundle(call, ["leaves"], { log_files: [{ path: "run.log", content: "printed" }] }))
    assert.deepStrictEqual(await kept(id, "LogFilesReceived"), [true])
    fine(await remove(call, "leaves"))
    await vi.waitFor(async () => assert.deepStrictEqual(await kept(id, "LogFilesReceived"), [false]), 60_000)
  })
})

it("is looked through at each start of a service that is told for how long, from where the one before was", async () => {
  const installation = await newInstallation()
  const textOf = (service: Service, subject: string) =>
    service.sql("SELECT 1 FROM payloads WHERE subject = $1", [subject])
  const old = async (service: Service, month: string) => {
    const id = randomUUID()
    const subject = `snippet/${id}/logs/${month}`
    const event = SnippetEvent.cases.LogsRecorded.make({ snippet: id, subject, text: { task: null, logs: "printed" } })
    const actor = { key: null, user: null, organization: id }
    await service.run(Effect.flatMap(Notes, ({ add }) => add({ tenant: id, stream: `snippet-${id}`, actor, event })))
    await vi.waitFor(async () => assert.lengthOf(await textOf(service, subject), 1), 60_000)
    return subject
  }
  const goes = (service: Service, subject: string) =>
    vi.waitFor(async () => assert.isEmpty(await textOf(service, subject)), 60_000)
  const erasures = async (service: Service) =>
    (await service.sql("SELECT 1 FROM events WHERE type = 'LogsErased'")).length
  try {
    const first = await startService({}, installation)
    const subjects = [await old(first, "2020-01"), await old(first, "2020-02")]
    await first.stop()
    const told = { CAIRN_RETENTION_LOGS: "30" }
    const second = await startService(told, installation)
    for (const subject of subjects) await goes(second, subject)
    const later = await old(second, "2020-03")
    assert.strictEqual(await erasures(second), 2)
    await second.stop()
    const third = await startService(told, installation)
    await goes(third, later)
    assert.strictEqual(await erasures(third), 3)
    await third.stop()
  } finally {
    removeInstallation(installation)
  }
})
