import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { remove, stored } from "#test/http/store.ts"
import { ProtocolDouble } from "#test/kurrent/ProtocolDouble.ts"
import { freshDatabase } from "#test/postgres.ts"
import { type Service, startService } from "#test/service.ts"
import { from, rowsOf, run, to } from "./command.ts"

describe("a log in KurrentDB whose service was killed between an erasing event and the erasure", () => {
  const double = new ProtocolDouble()
  let service: Service
  beforeAll(async () => {
    await double.start()
    service = await startService({ KURRENTDB_URL: double.url })
  })
  afterAll(async () => {
    await service.close()
    double.stop()
  })

  it("is copied without the text, and finished", async () => {
    const { database } = service
    await stored(service.call, "alpha")
    await stored(service.call, "beta")
    await rowsOf(database, "CREATE TABLE kept AS SELECT * FROM kurrent_texts")
    assert.strictEqual((await remove(service.call, "alpha")).status, 200)
    await service.stop()
    // as it was when the event was there, and nothing else
    await rowsOf(database, "INSERT INTO kurrent_texts SELECT * FROM kept ON CONFLICT DO NOTHING")
    await rowsOf(database, "TRUNCATE kurrent_erasures")
    await rowsOf(database, "DROP TABLE kept")
    const target = await Effect.runPromise(freshDatabase)
    const copied = await run({ ...from(database), KURRENTDB_URL: double.url, ...to(target) }, "copy", "--json")
    assert.strictEqual(copied.code, 0, copied.err)
    assert.deepInclude(JSON.parse(copied.out), { success: true, finished: true, found: 0, findings: [] })
    assert.isAbove(JSON.parse(copied.out).erased, 0)
    const texts = await rowsOf<{ text: string }>(target, "SELECT convert_from(bytes, 'UTF8') AS text FROM payloads")
    assert.isAbove(texts.length, 0)
    assert.isFalse(texts.some(({ text }) => text.includes("alpha")))
  })
})
