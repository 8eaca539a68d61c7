import { mkdtempSync, renameSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Fiber, Layer } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { Hold } from "#ports/Hold.ts"
import { hold } from "#src/layers.ts"
import { freshClient, freshDatabase } from "#test/postgres.ts"
import { newInstallation, removeInstallation, type TestInstallation } from "#test/service.ts"
import { startCli, startProcess } from "./process.ts"

const address = /Cairn is at (http:\S+)/

describe("a database", () => {
  let installation: TestInstallation
  let elsewhere: TestInstallation
  beforeAll(async () => {
    installation = await newInstallation()
    elsewhere = { ...installation, dataDir: mkdtempSync(join(tmpdir(), "cairn-service-")) }
  })
  afterAll(() => [installation, elsewhere].forEach(removeInstallation))

  /** One line, and what it says. */
  const refusal = async (at: TestInstallation, exit = 78) => {
    const service = startProcess(at)
    assert.strictEqual(await service.ended, exit, service.output.text)
    const lines = service.output.text.trim().split("\n")
    assert.lengthOf(lines, 1, service.output.text)
    return lines[0]!
  }

  it("has one service: a second one is refused in one line, and the first goes on", async () => {
    const first = startProcess(installation)
    const [, url] = await first.said(address)
    const line = await refusal(installation)
    assert.match(
      line,
      /^cairn: the database is in use by another Cairn service \(process \d+ on .+One database has one/
    )
    assert.strictEqual((await fetch(`${url}/health`)).status, 200)
    const adopting = startCli(elsewhere, "installation", "adopt")
    assert.strictEqual(await adopting.ended, 1)
    assert.include(adopting.output.text, "in use by another Cairn service")
    await first.stop()
  })

  it("belongs to one folder: another is refused until it is adopted, and then the first one is", async () => {
    assert.match(
      await refusal(elsewhere),
      /is not the folder that this database was used with.+`cairn installation adopt`/
    )
    const read = startCli(elsewhere, "workspace", "files", "00000000-0000-4000-8000-000000000000")
    assert.strictEqual(await read.ended, 1)
    assert.include(read.output.text, "is not the folder that this database was used with")

    const adopting = startCli(elsewhere, "installation", "adopt")
    assert.strictEqual(await adopting.ended, 0, adopting.output.text)
    const service = startProcess(elsewhere)
    await service.said(address)
    await service.stop()
    assert.match(await refusal(installation), /belongs to another database/)
  })

  it("is refused to a folder of another one, and to one that is not mounted", async () => {
    const other: TestInstallation = { ...elsewhere, database: await Effect.runPromise(freshDatabase) }
    assert.match(await refusal(other), /belongs to another database/)
    const folder = join(elsewhere.dataDir, "workspaces")
    renameSync(folder, `${folder}.away`)
    assert.match(await refusal(elsewhere), /is not the folder that this database was used with/)
    renameSync(`${folder}.away`, folder)
    const service = startProcess(elsewhere)
    await service.said(address)
    await service.stop()
  })
})

describe("the hold on a database", () => {
  const holders = Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return (yield* sql<{ pid: number }>`
      SELECT pid FROM pg_locks JOIN pg_database d ON d.oid = database
      WHERE locktype = 'advisory' AND classid = 5020718 AND granted AND datname = current_database()`).map(
      ({ pid }) => pid
    )
  })
  const terminate = (pid: number) =>
    Effect.flatMap(PgClient.PgClient, (sql) => sql`SELECT pg_terminate_backend(${pid}::int)`)
  const until = (what: (pids: ReadonlyArray<number>) => boolean) =>
    Effect.gen(function* () {
      const context = yield* Effect.context<PgClient.PgClient>()
      const look = async () => assert.isTrue(what(await Effect.runPromiseWith(context)(holders)))
      yield* Effect.promise(() => vi.waitFor(look, { timeout: 60_000 }))
    })

  it("is taken again when its session is lost", () =>
    Effect.gen(function* () {
      const [before] = yield* holders
      yield* terminate(before!)
      yield* until(([now]) => now !== undefined && now !== before)
      const failing = yield* Effect.forkChild((yield* Hold).lost)
      assert.isUndefined(failing.pollUnsafe())
    }).pipe(Effect.provide(Layer.provideMerge(hold, freshClient)), Effect.scoped, Effect.runPromise))

  it("ends the service when another one has it by then", () =>
    Effect.gen(function* () {
      const { config } = yield* PgClient.PgClient
      const [before] = yield* holders
      const thief = yield* PgConnection.make(config)
      const stealing = yield* Effect.forkChild(
        thief.query("SELECT pg_advisory_lock(5020718, hashtext(current_schema()))", [], false)
      )
      yield* terminate(before!)
      yield* Fiber.join(stealing)
      const error = yield* Effect.flip((yield* Hold).lost)
      assert.match(error.message, /in use by another Cairn service/)
    }).pipe(Effect.provide(Layer.provideMerge(hold, freshClient)), Effect.scoped, Effect.runPromise))
})
