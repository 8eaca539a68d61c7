import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import { retainExecutions } from "#src/audit/retainExecutions.ts"
import { retainLogs } from "#src/audit/retainLogs.ts"
import { from, run } from "#test/copy/command.ts"
import { sendBundle } from "#test/http/bundle.ts"
import { newSnippet, recorded } from "#test/http/executed.ts"
import { fine } from "#test/http/routes.ts"
import { freshDatabase } from "#test/postgres.ts"
import {
  newInstallation,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"

const day = 86_400_000

const folders: Array<string> = []
const place = () => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-retained-"))
  folders.push(folder)
  return folder
}
let original: TestInstallation
beforeAll(async () => {
  original = await newInstallation()
})
afterAll(() => {
  removeInstallation(original)
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const done = async ({ database, dataDir }: TestInstallation, ...args: ReadonlyArray<string>) => {
  const { code, out, err } = await run(from(database, dataDir), ...args, "--json")
  assert.strictEqual(code, 0, err)
  return JSON.parse(out)
}
const words = ["printed by a run", "printed by an upload", "printed by a bundle"]
/** Which of the words lie beside the log, and which a search of logs finds. */
const kept = async ({ call, sql }: Service) => {
  const texts = await sql<{ text: string }>("SELECT convert_from(bytes, 'UTF8') AS text FROM payloads")
  return {
    texts: words.filter((word) => texts.some(({ text }) => text.includes(word))),
    found: fine(await call("POST", "/api/raw/search", { query: "printed" })).total_found as number,
    executions: fine(await call("POST", "/api/retrieve/executions", {})).total_found as number
  }
}

it("what was kept for a time comes back from no backup, older or newer, and the log is whole", async () => {
  let service = await startService({}, original)
  const { call } = service
  const snippet = await newSnippet(call, "prints", { execution_logs: words[1] })
  await recorded(call, snippet, { io: { input_data: {}, input_hash: "", output_data: words[0], output_hash: "" } })
  fine(await sendBundle(call, ["bundled"], { log_files: [{ path: "run.log", content: words[2] }] }))
  assert.deepStrictEqual(await kept(service), { texts: words, found: 2, executions: 1 })
  const folder = place()
  assert.deepInclude(await done(original, "backup", folder), { number: 1 })

  const now = new Date()
  const over = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) + 30 * day
  await service.run(retainExecutions(over, 30))
  await service.run(retainLogs(over, 30))
  const gone = { texts: [], found: 0, executions: 0 }
  assert.deepStrictEqual(await kept(service), gone)
  assert.deepInclude(await done(original, "backup", folder), { number: 2 })
  await service.stop()

  for (const more of [[], ["--backup", "1"]]) {
    const target = { database: await Effect.runPromise(freshDatabase), dataDir: place() }
    assert.deepInclude(await done(target, "restore", folder, ...more), { success: true, found: 0 })
    service = await startService({ CAIRN_RETENTION_EXECUTIONS: "30", CAIRN_RETENTION_LOGS: "30" }, target)
    assert.deepStrictEqual(await kept(service), gone, more.join(" "))
    const found = fine(await service.call("POST", "/api/retrieve/search", { task: "prints" }))
    assert.include(
      found.matches.map(({ code_block }: { code_block: { id: string } }) => code_block.id),
      snippet
    )
    await service.stop()
  }
}, 600_000)
