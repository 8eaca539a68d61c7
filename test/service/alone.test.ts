import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Fiber, Layer } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { admit as admitTo } from "#infra/belonging.ts"
import * as PostgresHold from "#infra/postgres/hold.ts"
import { Hold, NotOurs } from "#ports/Hold.ts"
import { from, run } from "#test/copy/command.ts"
import { freshClient, freshDatabase } from "#test/postgres.ts"
import { newInstallation, removeInstallation, startService, type TestInstallation } from "#test/service.ts"
import { freshClient as migratedClient } from "../infra/stores.ts"
import { startProcess } from "./process.ts"

const address = /Cairn is at (http:\S+)/

describe("a database", () => {
  let installation: TestInstallation
  let elsewhere: TestInstallation
  beforeAll(async () => {
    installation = await newInstallation()
    elsewhere = { ...installation, dataDir: mkdtempSync(join(tmpdir(), "cairn-service-")) }
  })
  afterAll(() => [installation, elsewhere].forEach(removeInstallation))

  // in this process, but for what makes one that is told from others, and for how one ends that is refused
  const start = (at: TestInstallation) => startService({ CAIRN_OWNER_KEY: "" }, at)
  const refusal = async (at: TestInstallation): Promise<string> => {
    const outcome = await start(at).then(
      (service) => service.stop(),
      (error: unknown) => error
    )
    assert.instanceOf(outcome, NotOurs)
    return (outcome as NotOurs).message
  }
  const command = ({ database, dataDir }: TestInstallation, ...args: ReadonlyArray<string>) =>
    run(from(database, dataDir), ...args)

  it("has any number of services on its folder, and nobody gives it another one beside them", async () => {
    const services = [startProcess(installation), await start(installation)] as const
    const [, url] = await services[0].said(address)
    for (const one of [url!, services[1].url]) assert.strictEqual((await fetch(`${one}/health`)).status, 200)
    const adopting = await command(elsewhere, "installation", "adopt")
    assert.strictEqual(adopting.code, 1)
    assert.match(adopting.err, /the database is in use by another Cairn \(process \d+ on .+Stop that one first/)
    await Promise.all(services.map((service) => service.stop()))
  })

  it("tells a copy of its folder from the one that a service has, and what was left there from a service", async () => {
    const copy = { ...installation, dataDir: mkdtempSync(join(tmpdir(), "cairn-service-")) }
    const killed = startProcess(installation)
    await killed.said(address)
    await killed.stop("SIGKILL")
    const service = startProcess(installation)
    await service.said(address)
    cpSync(installation.dataDir, copy.dataDir, { recursive: true })
    // what was copied with it tells nothing of one that has begun since
    rmSync(join(copy.dataDir, "workspaces", ".services"), { recursive: true })
    const line = await refusal(copy)
    assert.match(
      line,
      /is a copy of the folder that another Cairn on this database has \(process \d+ on .+share one folder/
    )
    await service.stop()
    removeInstallation(copy)
  })

  it("belongs to one folder: another is refused until it is adopted, and then the first one is", async () => {
    const refused = startProcess(elsewhere)
    assert.strictEqual(await refused.ended, 78, refused.output.text)
    assert.match(
      refused.output.text,
      /^cairn: .+ is not the folder that this database was used with.+`cairn installation adopt`.*\n$/
    )
    const read = await command(elsewhere, "workspace", "files", "00000000-0000-4000-8000-000000000000")
    assert.strictEqual(read.code, 1)
    assert.include(read.err, "is not the folder that this database was used with")

    const adopting = await command(elsewhere, "installation", "adopt")
    assert.strictEqual(adopting.code, 0, adopting.err)
    await (await start(elsewhere)).stop()
    assert.match(await refusal(installation), /belongs to another database/)
  })

  it("is refused to a folder of another one, and to one that is not mounted", async () => {
    const other: TestInstallation = { ...elsewhere, database: await Effect.runPromise(freshDatabase) }
    assert.match(await refusal(other), /belongs to another database/)
    const folder = join(elsewhere.dataDir, "workspaces")
    renameSync(folder, `${folder}.away`)
    assert.match(await refusal(elsewhere), /is not the folder that this database was used with/)
    renameSync(`${folder}.away`, folder)
    await (await start(elsewhere)).stop()
  })
})

describe("the hold on a database", () => {
  /** Sessions that share it, or have it alone. */
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
  const held = (admit: PostgresHold.Admit) => Layer.provideMerge(PostgresHold.shared(admit), freshClient)

  it("is taken again when its session is lost, and the folder looked at again", () => {
    let times = 0
    return Effect.gen(function* () {
      const [before] = yield* holders
      yield* terminate(before!)
      yield* until(([now]) => now !== undefined && now !== before)
      const failing = yield* Effect.forkChild((yield* Hold).lost)
      assert.isUndefined(failing.pollUnsafe())
      yield* Effect.promise(() => vi.waitFor(() => assert.strictEqual(times, 2), { timeout: 60_000 }))
    }).pipe(Effect.provide(held(() => Effect.sync(() => void times++))), Effect.scoped, Effect.runPromise)
  })

  it("waits for a folder that is away by then, and ends the service only for one that is somebody else's", () => {
    const data = mkdtempSync(join(tmpdir(), "cairn-hold-"))
    const [folder, away] = [join(data, "workspaces"), join(data, "away")]
    const mark = join(folder, ".installation")
    let admitted = 0
    let refused = 0
    const admit: PostgresHold.Admit = (token, others) =>
      admitTo(folder)(token, others).pipe(
        Effect.tap(() => Effect.sync(() => void admitted++)),
        Effect.tapError(() => Effect.sync(() => void refused++))
      )
    /** What happens to the folder while the session is lost. */
    const lostWhile = Effect.fnUntraced(function* (changed: () => void) {
      const [before] = yield* holders
      changed()
      yield* terminate(before!)
    })
    const waited = (what: () => void) => Effect.promise(() => vi.waitFor(what, { timeout: 60_000 }))
    return Effect.gen(function* () {
      const failing = yield* Effect.forkChild((yield* Hold).lost)
      const present = readdirSync(join(folder, ".services"))
      assert.lengthOf(present, 1)
      // the place of its mount is there, and empty; then not even that; then it can't be read
      const ways = [() => mkdirSync(folder), () => {}, () => writeFileSync(folder, "")]
      for (const [round, then] of ways.entries()) {
        yield* lostWhile(() => {
          renameSync(folder, away)
          then()
        })
        const before = refused
        yield* waited(() => assert.isAbove(refused, before + 1))
        rmSync(folder, { recursive: true, force: true })
        renameSync(away, folder)
        yield* waited(() => assert.strictEqual(admitted, round + 2))
        assert.deepStrictEqual(readdirSync(join(folder, ".services")), present)
      }
      assert.isUndefined(failing.pollUnsafe())
      yield* lostWhile(() => writeFileSync(mark, "another\n"))
      assert.match((yield* Effect.flip(Fiber.join(failing))).message, /belongs to another database/)
    }).pipe(
      Effect.ensuring(Effect.sync(() => rmSync(data, { recursive: true }))),
      Effect.provide(Layer.provideMerge(PostgresHold.shared(admit), migratedClient)),
      Effect.scoped,
      Effect.runPromise
    )
  })

  it("ends the service when another folder has taken its place by then", () => {
    let times = 0
    const admit = () => (times++ === 0 ? Effect.void : Effect.fail(new NotOurs({ message: "another folder" })))
    return Effect.gen(function* () {
      const [before] = yield* holders
      yield* terminate(before!)
      const error = yield* Effect.flip((yield* Hold).lost)
      assert.strictEqual(error.message, "another folder")
    }).pipe(Effect.provide(held(admit)), Effect.scoped, Effect.runPromise)
  })

  it("ends the service when another one has it for itself by then", () =>
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
      assert.match(error.message, /in use by another Cairn/)
    }).pipe(Effect.provide(held(() => Effect.void)), Effect.scoped, Effect.runPromise))
})
