import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Service, startService } from "#test/service.ts"
import { findByName, remove, stored, upload, vote } from "../../http/store.ts"
import { ProtocolDouble } from "../../kurrent/ProtocolDouble.ts"

describe("the service with its log in KurrentDB, a double of its protocol", () => {
  const double = new ProtocolDouble()
  let service: Service
  beforeAll(async () => {
    await double.start()
    service = await startService({ KURRENTDB_URL: double.url })
  })
  afterAll(async () => {
    await service.close()
    double.stop()
    assert.deepStrictEqual(double.refused, [])
  })

  it("finds what was stored, counts votes, and deletes; no text is in the log, and none is left beside it", async () => {
    await stored(service.call, "kept")
    const match = (await findByName(service.call, "kept"))!
    assert.strictEqual((await vote(service.call, match.code_block.id)).status, 200)
    assert.strictEqual((await findByName(service.call, "kept"))!.thumbs_up, 1)
    const texts = () =>
      service.sql<{ n: bigint }>("SELECT count(*) AS n FROM kurrent_texts WHERE bytes LIKE '%Does kept.%'::bytea")
    assert.isAbove(Number((await texts())[0]!.n), 0)
    const inLog = double.records.all.some(({ data }) => Buffer.from(data).includes("Does kept."))
    assert.isFalse(inLog)
    assert.strictEqual((await remove(service.call, "kept")).status, 200)
    assert.isUndefined(await findByName(service.call, "kept"))
    assert.strictEqual(Number((await texts())[0]!.n), 0)
    assert.lengthOf(await service.sql("SELECT 1 FROM events"), 0)
  })

  it("answers a request that is sent again as the first time", async () => {
    const send = () => upload(service.call, "twice", {}, { "idempotency-key": "one" })
    const first = await send()
    const { code_block } = (await findByName(service.call, "twice"))!
    const length = () => double.records.stream(`snippet-${code_block.id}`).length
    const before = length()
    assert.isAbove(before, 0)
    const again = await send()
    assert.deepStrictEqual([again.status, again.json], [first.status, first.json])
    assert.strictEqual(length(), before)
  })

  it("goes on after a restart with what it had", async () => {
    await stored(service.call, "lasting")
    await service.stop()
    service = await startService({ KURRENTDB_URL: double.url }, service)
    assert.isDefined(await findByName(service.call, "lasting"))
    await stored(service.call, "later")
    assert.isDefined(await findByName(service.call, "later"))
  })
})
