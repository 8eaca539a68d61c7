import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, expect, it } from "vitest"
import { startKillable, untilItStops } from "#test/cli/killable.ts"
import { from, rowsOf, run, to } from "#test/copy/command.ts"
import { model } from "#test/copy/filled.ts"
import { type Gates, gatesOn, whereMade } from "#test/gates.ts"
import { ended } from "#test/http/agent.ts"
import { stored } from "#test/http/store.ts"
import { type MessagesApi, startMessagesApi } from "#test/MessagesApi.ts"
import { freshDatabase } from "#test/postgres.ts"
import { organization } from "#test/service/tenants.ts"
import { newInstallation, ownerKey, removeInstallation, type Service, startService } from "#test/service.ts"

/**
 * The steps of a restore behind its log: the first writes of its read models, each erasure, and the end. What the log
 * has is known by its reactions, which are set when it is whole.
 */
const behindTheLog = [
  `CREATE FUNCTION gates.write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NOT EXISTS (SELECT FROM reactions) THEN RETURN NEW; END IF;
    PERFORM gates.wait_for(TG_TABLE_NAME || CASE TG_TABLE_NAME WHEN 'read_models' THEN '' ELSE
      ' ' || (SELECT count(*) FROM events e, log_copy c WHERE e.position > c.position) END);
    RETURN NEW;
  END $$`,
  ...whereMade(["read_models", "events", "log_copy"], "ROW")
]

describe("a restore whose log is whole, and that has erasures left", () => {
  let api: MessagesApi
  let service: Service | undefined
  let gates: Gates | undefined
  const original = newInstallation()
  const base = mkdtempSync(join(tmpdir(), "cairn-erasures-"))
  const environment = () => ({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url })
  beforeAll(async () => {
    api = await startMessagesApi(model)
  })
  afterAll(async () => {
    await gates?.close()
    await service?.stop()
    await api.close()
    removeInstallation(await original)
    rmSync(base, { recursive: true, force: true })
  })

  it("is served by nobody when it was killed, and erases them, each once, when it is given again", async () => {
    const source = await original
    service = await startService(environment(), source)
    const { call, url } = service
    const files = { CAIRN_URL: url, CAIRN_API_KEY: ownerKey }
    const tar = (name: string) => join(base, name)
    const backup = async (name: string) => {
      const made = await run(files, "backup", tar(name))
      assert.strictEqual(made.code, 0, made.err)
    }
    const gone = await organization(service, "FREE")
    await stored(gone.call, "theirs")
    const workspaces: Array<string> = []
    for (const user of ["ada", "zoe"]) workspaces.push((await ended(call, "one", user)).workspace_id)
    await backup("old.tar")
    for (const id of workspaces) assert.strictEqual((await call("DELETE", `/api/workspaces/${id}`)).status, 200)
    const { slug } = (await gone.call("GET", "/api/organization")).json
    assert.strictEqual((await gone.call("POST", "/api/organization/delete", { slug })).status, 202)
    await backup("newer.tar")
    await service.stop()
    service = undefined

    const target = { database: await Effect.runPromise(freshDatabase), dataDir: join(base, "data") }
    const there = from(target.database, target.dataDir)
    gates = await gatesOn(target, behindTheLog)
    const steps: Array<string> = []
    let whole = false
    for (let round = 0; ; round++) {
      // what is left is noted, and not asked for again
      const erasures = whole ? [] : ["--erasures", tar("newer.tar")]
      const restore = startKillable(target.dataDir, ["restore", tar("old.tar"), ...erasures, "--json"], {
        DATABASE_URL: Redacted.value(target.database)
      })
      const stopped = await untilItStops(restore, gates)
      if (stopped.length === 0) {
        const { code, out, err } = await restore.ended
        assert.strictEqual(code, 0, `${err} ${out}`)
        assert.deepInclude(JSON.parse(out), { success: true, number: 1, found: 0 })
        break
      }
      restore.kill()
      assert.strictEqual((await restore.ended).code, "SIGKILL")
      steps.push(...stopped)
      // with its last write it would be over
      await gates.open(stopped, round % 2 === 0 || stopped.includes("log_copy 3") ? "lost" : "written")
      const [copy] = await rowsOf<{ whole: boolean }>(
        target.database,
        "SELECT erasing IS NOT NULL AS whole FROM log_copy WHERE finished_at IS NULL"
      )
      const before = whole
      whole = copy?.whole === true
      if (!whole) continue
      const said =
        /^.*this database was restored from a backup, and what was erased since is not erased yet: give the same `cairn restore` again/
      await expect(startService(environment(), target), steps.join()).rejects.toThrow(said)
      assert.match((await run(there, "events")).err, said)
      if (before) continue
      const other = await run(there, "restore", tar("newer.tar"))
      assert.match(other.err, /It can't be restored: another backup was restored here/)
      const copied = await run({ ...from(source.database, source.dataDir), ...to(target.database) }, "copy")
      assert.match(copied.err, /the target was restored from a backup, and what was erased since is not erased yet/)
    }
    assert.includeMembers(steps, ["log_copy 0", "read_models", "events 0", "events 1", "events 2", "log_copy 3"])
    await gates.close()
    gates = undefined
    assert.match((await run(there, "restore", tar("old.tar"))).err, /is a finished copy of this log/)

    const erased = await rowsOf<{ type: string }>(
      target.database,
      "SELECT type FROM events e, log_copy c WHERE e.position > c.position ORDER BY e.position"
    )
    assert.deepStrictEqual(
      erased.map(({ type }) => type),
      ["WorkspaceErased", "WorkspaceErased", "OrganizationErased"]
    )
    service = await startService(environment(), target)
    assert.strictEqual((await service.as(gone.key)("GET", "/api/organization")).status, 401)
    assert.deepStrictEqual((await service.call("GET", "/api/workspaces")).json.workspaces, [])
    const folder = join(target.dataDir, "workspaces")
    assert.deepStrictEqual(
      readdirSync(folder).filter((name) => name.endsWith(".git")),
      []
    )
    assert.isFalse(existsSync(join(target.dataDir, "restoring")))
    await service.stop()
    service = undefined
  }, 900_000)
})
