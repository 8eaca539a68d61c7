import { randomUUID } from "node:crypto"
import { Effect, Layer } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { Bundle, BundleCommand, bundleStream } from "#domain/Bundle.ts"
import { fresh } from "#engine/ask.ts"
import { derivedId } from "#engine/derivedId.ts"
import { dispatch } from "#engine/dispatch.ts"
import { tenantOf } from "#projections/Keys/organizations.ts"
import { Keys } from "#projections/Keys/tables.ts"
import * as CommandLine from "#src/commandLine.ts"
import * as Layers from "#src/layers.ts"
import { upload as storeFile } from "#src/snippets/store.ts"
import { connectTo } from "#test/postgres.ts"
import { send } from "#test/service/call.ts"
import { startProcess } from "#test/service/process.ts"
import {
  newInstallation,
  ownerKey,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"
import { bundlePath, file, sendBundle } from "./bundle.ts"
import { fine } from "./routes.ts"
import { findByName } from "./store.ts"

const names = ["first", "second", "third"]
const bundle = randomUUID()
const actor = { key: null, user: null, organization: null }

/** A process that received the bundle, stored its first file and was killed: no reaction ran. */
const receive = (tenant: string) =>
  Effect.gen(function* () {
    const files = names.map((name) => ({ ...file(name), vote: null }))
    yield* dispatch(Bundle, {
      tenant,
      stream: bundleStream(bundle),
      commandId: randomUUID(),
      correlationId: bundle,
      actor,
      command: BundleCommand.ReceiveBundle({
        bundle,
        home: tenant,
        count: 2,
        graded: true,
        source: "human",
        tracked: false,
        text: { files, task: "three of them", workspace: null, agent: null, origin: null },
        evidence: { prompts: ["three of them"], logs: [] }
      })
    })
    yield* Effect.retry(fresh(Keys), { times: 30 })
    const { secret } = (yield* tenantOf(tenant))!
    const [{ path, content }] = files as [(typeof files)[number]]
    yield* storeFile(
      { tenant, secret, user: null },
      {
        home: tenant,
        workspace: null,
        agent: null,
        path,
        source: content,
        task: "three of them",
        succeeded: true,
        gradingCount: 2,
        gradingRequest: bundle
      },
      { commandId: derivedId("bulk", bundle, 0), correlationId: bundle, actor }
    )
  })

/** Snippets that are in the log, as another process sees it. */
const stored = async (query: (sql: string) => Promise<ReadonlyArray<unknown>>) =>
  (await query("SELECT 1 FROM events WHERE type = 'SnippetUploaded'")).length

describe("a bundle whose process was killed between its files", () => {
  let installation: TestInstallation
  let service: Service
  beforeAll(async () => {
    installation = await newInstallation()
    const before = await startService({}, installation)
    const [{ id }] = (await before.sql("SELECT tenant AS id FROM events WHERE type = 'OrganizationRegistered'")) as [
      { id: string }
    ]
    await before.stop()
    const tools = Layer.mergeAll(
      CommandLine.tool({ dataDir: installation.dataDir, databaseUrl: installation.database }),
      Layers.analysis
    )
    await Effect.runPromise(Effect.provide(receive(id), tools))
    service = await startService({}, installation)
  })
  afterAll(async () => {
    await service.stop()
    removeInstallation(installation)
  })

  const count = async (type: string) => (await service.sql("SELECT 1 FROM events WHERE type = $1", [type])).length

  it("is finished at the next start, without anybody asking, and each file is stored once", async () => {
    await vi.waitFor(async () => assert.strictEqual(await count("UploadStored"), 1), { timeout: 60_000 })
    assert.deepStrictEqual([await count("SnippetUploaded"), await count("TaskAdded")], [3, 0])
    for (const name of names) assert.isDefined(await findByName(service.call, name), name)
    const { json } = await service.call("GET", `/api/store/status/${bundle}`)
    assert.deepStrictEqual([json.status, json.votes.length], ["pending", 3])
    const [{ data }] = (await service.sql("SELECT data FROM events WHERE type = 'UploadStored'")) as [{ data: string }]
    assert.deepInclude(JSON.parse(data), { files: 3, gradings: 3 })
    assert.strictEqual((await service.sql("SELECT 1 FROM payloads WHERE subject LIKE 'upload/%/files'")).length, 0)
  })

  it("does not hold up those after it, be they as large as they may", async () => {
    const files_written = Array.from({ length: 200 }, (_, n) => file(`many_${n}`))
    const json = fine(await sendBundle(service.call, [], { files_written, prompts: ["many"], vote_count: 1 }))
    assert.deepInclude(json, { code_blocks_stored: 200, votes_queued: 200 })
    const { json: status } = await service.call("GET", json.status_url)
    assert.strictEqual(new Set(status.votes.map((vote: { filename: string }) => vote.filename)).size, 200)
  })

  it("takes a body of nearly 32 MiB", async () => {
    const large = (n: number) => ({ path: `large_${n}.txt`, content: `${n}\n${`${"=".repeat(79)}\n`.repeat(12_800)}` })
    const log = { path: "run.log", content: "it went on\n".repeat(1_400_000) }
    const body = JSON.stringify({
      prompts: ["large ones"],
      files_written: Array.from({ length: 14 }, (_, n) => large(n)),
      log_files: [log]
    })
    assert.isAbove(body.length, 29 * 1_048_576)
    assert.isBelow(body.length, 32 * 1_048_576)
    assert.strictEqual(fine(await service.call("POST", bundlePath, body)).code_blocks_stored, 14)
  })
})

it("is whole after its process was killed in the middle, and sent again is the same", async () => {
  const installation = await newInstallation()
  const killed = startProcess(installation, { CAIRN_OWNER_KEY: ownerKey, CAIRN_RATE_LIMITS: "off" })
  const [, url] = await killed.said(/Cairn is at (http:\S+)/)
  const body = { prompts: ["kill it"], files_written: Array.from({ length: 200 }, (_, n) => file(`killed_${n}`)) }
  const headers = { authorization: `Bearer ${ownerKey}` }
  const lost = send(url!, "POST", bundlePath, body, headers).catch(() => undefined)
  const { query, close } = await connectTo(installation)
  await vi.waitFor(async () => assert.isAtLeast(await stored(query), 1), { timeout: 60_000, interval: 1 })
  await killed.stop("SIGKILL")
  await lost
  await close()

  const next = await startService({}, installation)
  const json = fine(await next.call("POST", bundlePath, body))
  assert.deepInclude(json, { code_blocks_stored: 200, votes_queued: 200 })
  const types = await next.sql<{ type: string; events: number }>(
    "SELECT type, count(*)::int AS events FROM events WHERE type ~ '^(Upload|Snippet|Task|Vote)' GROUP BY type"
  )
  assert.deepStrictEqual(Object.fromEntries(types.map(({ type, events }) => [type, events])), {
    UploadReceived: 1,
    UploadStored: 1,
    SnippetUploaded: 200,
    VoteRequested: 200
  })
  await next.stop()
  removeInstallation(installation)
})
