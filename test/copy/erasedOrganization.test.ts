import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { filesWith, fillWith, tablesWith } from "#test/erased.ts"
import { write } from "#test/http/agent.ts"
import { matches, stored } from "#test/http/store.ts"
import { type MessagesApi, says, startMessagesApi } from "#test/MessagesApi.ts"
import { connectTo, freshDatabase } from "#test/postgres.ts"
import { organization } from "#test/service/tenants.ts"
import {
  newInstallation,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"
import { from, rowsOf, run, to } from "./command.ts"

const word = "zebrafish"
const waiting = { timeout: 120_000, interval: 50 }

describe("a log with an organization that was erased", () => {
  let api: MessagesApi
  let service: Service | undefined
  let source: TestInstallation
  const environment = () => ({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url })
  beforeAll(async () => {
    api = await startMessagesApi(({ body }) =>
      body.messages.length === 1 ? write(`${word}.txt`, `dear ${word}\n`) : says(`Done with ${word}.`)
    )
    source = await newInstallation()
  })
  afterAll(async () => {
    await service?.stop()
    await api.close()
    removeInstallation(source)
  })

  const erasure = async (id: string) => (await service!.as("")("GET", `/api/erasures/${id}`)).json

  /** What the erasure has still to do is not done: no event of it can be appended but the first. */
  const halted = async (id: string) => {
    const { query, close } = await connectTo(source)
    await query(`CREATE FUNCTION halt() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.tenant = '${id}' AND NEW.type <> 'OrganizationErased' THEN RAISE 'halted'; END IF; RETURN NEW; END $$`)
    await query("CREATE TRIGGER halt BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION halt()")
    return async () => {
      await query("DROP TRIGGER halt ON events")
      await query("DROP FUNCTION halt")
      await close()
    }
  }

  /** Copies the source into an empty database, and serves that. */
  const moved = async () => {
    await service?.stop()
    service = undefined
    const { database, dataDir } = source
    const target = await Effect.runPromise(freshDatabase)
    const copied = await run({ ...from(database, dataDir), ...to(target) }, "copy", "--json")
    assert.strictEqual(copied.code, 0, copied.err)
    assert.deepInclude(JSON.parse(copied.out), { success: true, finished: true, found: 0, findings: [] })
    const at = from(target, dataDir)
    assert.strictEqual((await run(at, "installation", "adopt")).code, 0)
    const verified = await run(at, "verify", "--json")
    assert.strictEqual(verified.code, 0, verified.err + verified.out)
    return { database: target, dataDir }
  }

  it("is copied without any of its text, also where the erasure was not finished, which goes on in the copy", async () => {
    service = await startService(environment(), source)
    await stored(service.call, "of_others")
    const done = await organization(service, "ENTERPRISE")
    await fillWith(done.call, word)
    assert.strictEqual((await done.call("POST", "/api/organization/delete", { slug: word })).status, 202)
    await vi.waitFor(async () => {
      assert.strictEqual((await erasure(done.id)).state, "erased")
      assert.lengthOf(await service!.sql(`SELECT FROM events WHERE type = 'SlugFreed' AND data LIKE '%${done.id}%'`), 2)
    }, waiting)
    const told = await erasure(done.id)
    const target = await moved()
    const rows = <Row>(statement: string) => rowsOf<Row & object>(target.database, statement)
    assert.deepStrictEqual(await tablesWith(rows, word), [])
    assert.lengthOf(await rows(`SELECT FROM payloads WHERE tenant = '${done.id}'`), 0)

    service = await startService(environment(), target)
    assert.deepStrictEqual(await erasure(done.id), told)
    assert.strictEqual((await service.as(done.key)("GET", "/api/workspaces")).status, 401)
    const publicly = { "x-cairn-public-snips": "true" }
    assert.notInclude(JSON.stringify(await matches(service.call, "public task", {}, publicly)), word)
    assert.isNotEmpty(await matches(service.call, "of_others task"))
    // its slug is as free as it was
    const half = await organization(service, "ENTERPRISE")
    const workspaces = await fillWith(half.call, word)
    assert.strictEqual((await half.call("GET", "/api/organization")).json.slug, word)

    source = target
    const goOn = await halted(half.id)
    assert.strictEqual((await half.call("POST", "/api/organization/delete", { slug: word })).status, 202)
    assert.strictEqual((await erasure(half.id)).state, "erasing")
    await service.stop()
    service = undefined
    await goOn()
    service = await startService(environment(), await moved())
    await vi.waitFor(async () => assert.strictEqual((await erasure(half.id)).state, "erased"), waiting)
    for (const workspace of workspaces)
      await vi.waitFor(
        () => assert.isFalse(existsSync(join(source.dataDir, "workspaces", `${workspace}.git`))),
        waiting
      )
    await vi.waitFor(async () => assert.deepStrictEqual(await tablesWith(service!.sql, word), []), waiting)
    assert.deepStrictEqual(filesWith(source.dataDir, word), [])
  }, 600_000)
})
