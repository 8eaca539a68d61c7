import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { startKillable, untilItStops } from "#test/cli/killable.ts"
import { from, run } from "#test/copy/command.ts"
import { fill, model, seen, sees } from "#test/copy/filled.ts"
import { type Gates, gatesOn, whereMade } from "#test/gates.ts"
import { isLong } from "#test/long.ts"
import { type MessagesApi, startMessagesApi } from "#test/MessagesApi.ts"
import { freshDatabase } from "#test/postgres.ts"
import {
  newInstallation,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"

/**
 * The tables that a restore fills: each of their first writes is a step, as soon as they are there. CI leaves out some
 * of those whose neighbours it has.
 */
const tables = isLong
  ? ["migrations", "installation", "log_copy", "events", "payloads", "requests", "reactions"]
  : ["migrations", "log_copy", "events", "payloads", "requests"]

const restoring = [
  `CREATE FUNCTION gates.write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM gates.wait_for(TG_TABLE_NAME || ' ' || TG_OP);
    RETURN NULL;
  END $$`,
  ...whereMade(tables, "STATEMENT")
]

describe("a restore", () => {
  let api: MessagesApi
  let service: Service | undefined
  let gates: Gates | undefined
  /** What nobody should be able to start. */
  let wrong: Promise<Service> | undefined
  const base = mkdtempSync(join(tmpdir(), "cairn-restore-"))
  const environment = () => ({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url })
  beforeAll(async () => {
    api = await startMessagesApi(model)
  })
  afterAll(async () => {
    await gates?.close()
    await service?.stop()
    await (await wrong?.catch(() => undefined))?.stop()
    await api.close()
    rmSync(base, { recursive: true, force: true })
  })

  /** What comes of a start: why there is none, or at which gate its first write waits. */
  const started = async (target: TestInstallation): Promise<string> => {
    let said: string | undefined
    wrong = startService(environment(), target)
    wrong.then(
      () => (said = "it was started"),
      (error) => (said = String(error))
    )
    return await vi.waitFor(
      async () => {
        const at = await gates!.waiting()
        assert.isTrue(at.length > 0 || said !== undefined)
        return said ?? `it was started, and would write: ${at.join()}`
      },
      { timeout: 120_000, interval: 20 }
    )
  }

  it("that is killed at any of its steps is served by nobody, and whole when it is given again", async ({
    onTestFailed
  }) => {
    const steps: Array<string> = []
    let refused = 0
    let does = "is filled and backed up"
    // where it hangs nothing else tells at which of them
    onTestFailed(() => console.log(`it ${does}, was killed at ${steps.join(", ")}, and ${refused} starts were refused`))
    const original = await newInstallation()
    service = await startService(environment(), original)
    await fill(service)
    const before = await seen(service.call)
    await service.stop()
    service = undefined
    const folder = join(base, "backup")
    const made = await run(from(original.database, original.dataDir), "backup", folder)
    assert.strictEqual(made.code, 0, made.err)
    removeInstallation(original)

    const target = { database: await Effect.runPromise(freshDatabase), dataDir: join(base, "data") }
    gates = await gatesOn(target, restoring)
    for (let round = 0; ; round++) {
      does = "restores"
      const restore = startKillable(target.dataDir, ["restore", folder, "--json"], {
        DATABASE_URL: Redacted.value(target.database)
      })
      const stopped = await untilItStops(restore, gates)
      if (stopped.length === 0) {
        const { code, out, err } = await restore.ended
        assert.strictEqual(code, 0, `${err} ${out}`)
        assert.deepInclude(JSON.parse(out), { success: true, number: 1, found: 0 })
        break
      }
      does = `is killed at ${stopped.join(", ")}`
      restore.kill()
      assert.strictEqual((await restore.ended).code, "SIGKILL")
      steps.push(...stopped)
      does = "waits until nobody is on the database"
      await gates.open(stopped, round % 2 === 0 ? "lost" : "written")
      const [table] = await gates.query("SELECT FROM pg_tables WHERE schemaname = 'public' AND tablename = 'log_copy'")
      const begun = table && (await gates.query("SELECT finished_at IS NULL AS unfinished FROM log_copy"))
      // before it has begun there is nothing that anybody could take for it, and after its end it is whole
      if (!begun?.some((row) => (row as { unfinished: boolean }).unfinished)) continue
      does = "is started too early"
      assert.match(await started(target), /this database is the unfinished copy/, steps.join())
      refused += 1
    }
    does = "is served"
    await gates.close()
    gates = undefined
    assert.includeMembers(steps, [
      ...[
        "migrations INSERT",
        "log_copy INSERT",
        "events INSERT",
        "payloads INSERT",
        "requests INSERT",
        "log_copy UPDATE"
      ]
    ])
    assert.deepStrictEqual([...new Set(steps)], steps)
    assert.isAtLeast(refused, 3)
    service = await startService(environment(), target)
    await sees(service.call, before)
  }, 1_800_000)
})
