import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, assert, it } from "vitest"
import { from, run } from "#test/copy/command.ts"
import { fill, model, seen, sees } from "#test/copy/filled.ts"
import { ProtocolDouble } from "#test/kurrent/ProtocolDouble.ts"
import { startMessagesApi } from "#test/MessagesApi.ts"
import { freshDatabase } from "#test/postgres.ts"
import { newInstallation, startService } from "#test/service.ts"

const places: Array<string> = []
const place = () => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-backup-"))
  places.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of places) rmSync(folder, { recursive: true, force: true })
})

it("a backup of a log in Postgres is restored into KurrentDB, and one of that into Postgres", async () => {
  const double = new ProtocolDouble()
  await double.start()
  const api = await startMessagesApi(model)
  const environment = { ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url }
  const kurrent = { KURRENTDB_URL: double.url }
  const go = async (env: { readonly [name: string]: string }, ...args: ReadonlyArray<string>) => {
    const ran = await run(env, ...args, "--json")
    assert.strictEqual(ran.code, 0, ran.err)
    return JSON.parse(ran.out)
  }
  const original = await newInstallation()
  places.push(original.dataDir)
  let service = await startService(environment, original)
  try {
    await fill(service)
    const before = await seen(service.call)
    await service.stop()
    const [first, second] = [place(), place()]
    await go(from(original.database, original.dataDir), "backup", first)
    const moved = { database: await Effect.runPromise(freshDatabase), dataDir: place() }
    const there = { ...from(moved.database, moved.dataDir), ...kurrent }
    assert.deepInclude(await go(there, "restore", first), { success: true, found: 0 })
    service = await startService({ ...environment, ...kurrent }, moved)
    await sees(service.call, before)
    await service.stop()
    await go(there, "backup", second)
    const back = { database: await Effect.runPromise(freshDatabase), dataDir: place() }
    assert.deepInclude(await go(from(back.database, back.dataDir), "restore", second), { success: true, found: 0 })
  } finally {
    await service.stop()
    await api.close()
    double.stop()
  }
}, 600_000)
