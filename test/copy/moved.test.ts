import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, expect, it } from "vitest"
import { stored } from "#test/http/store.ts"
import { type MessagesApi, startMessagesApi } from "#test/MessagesApi.ts"
import { freshDatabase } from "#test/postgres.ts"
import { newInstallation, removeInstallation, type Service, startService } from "#test/service.ts"
import { from, rowsOf, run, to } from "./command.ts"
import { fill, model, seen, sees } from "./filled.ts"

/** Whatever was decided; searches are noted in the background, and so are keys. */
const counting = `SELECT type, count(*)::int AS count FROM events
  WHERE type NOT IN ('SearchAnswered', 'KeyUsed') GROUP BY type ORDER BY type`

describe("a service that was moved to another Postgres", () => {
  let api: MessagesApi
  let service: Service | undefined
  const environment = () => ({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url })

  beforeAll(async () => {
    api = await startMessagesApi(model)
  })
  afterAll(async () => {
    await service?.close()
    await api.close()
  })

  it("answers as before, goes on, and does nothing again", async () => {
    const installation = await newInstallation()
    const { dataDir, database } = installation
    service = await startService(environment(), installation)
    await fill(service)
    const repeated = () => stored(service!.call, "keyed", { user_vote: 1 }, { "idempotency-key": "the-same" })
    const answered = await repeated()
    const before = await seen(service.call)
    const events = await service.sql(counting)
    await service.stop()
    const asked = api.requests.length

    const target = await Effect.runPromise(freshDatabase)
    const copied = await run({ ...from(database, dataDir), ...to(target) }, "copy", "--json")
    assert.strictEqual(copied.code, 0, copied.err)
    const told = JSON.parse(copied.out)
    assert.deepInclude(told, { success: true, finished: true, events: told.copied, found: 0 })

    // what is in no event
    for (const beside of [
      "SELECT * FROM requests ORDER BY digest, n",
      "SELECT * FROM key_sightings ORDER BY key",
      "SELECT * FROM reactions ORDER BY name",
      "SELECT secret, positions FROM installation"
    ]) {
      const rows = await rowsOf(database, beside)
      assert.deepStrictEqual(await rowsOf(target, beside), rows)
      assert.isAbove(rows.length, 0, beside)
    }
    const [delivered] = await rowsOf(target, "SELECT 1 FROM requests WHERE delivered_at IS NOT NULL")
    assert.isDefined(delivered)

    const at = from(target, dataDir)
    await expect(startService(environment(), { database: target, dataDir })).rejects.toThrow(/installation adopt/)
    assert.strictEqual((await run(at, "installation", "adopt")).code, 0)
    const verified = await run(at, "verify", "--json")
    assert.strictEqual(verified.code, 0, verified.err + verified.out)
    await expect(startService(environment(), installation)).rejects.toThrow(/belongs to another database/)

    service = await startService(environment(), { database: target, dataDir })
    await sees(service.call, before)
    // known again, whatever was noted of it
    assert.deepStrictEqual(await repeated(), answered)
    assert.deepStrictEqual(await service.sql(counting), events)
    assert.strictEqual(api.requests.length, asked)
    removeInstallation(installation)
  })
})
