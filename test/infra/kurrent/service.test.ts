import { assert, describe, it } from "vitest"
import { findByName, remove, stored, upload, vote } from "../../http/store.ts"
import { serviceOnDouble } from "../../kurrent/service.ts"

describe("the service with its log in KurrentDB, a double of its protocol", () => {
  const world = serviceOnDouble()
  const { double } = world

  it("finds what was stored, counts votes, and deletes; no text is in the log, and none is left beside it", async () => {
    await stored(world.service.call, "kept")
    const match = (await findByName(world.service.call, "kept"))!
    assert.strictEqual((await vote(world.service.call, match.code_block.id)).status, 200)
    assert.strictEqual((await findByName(world.service.call, "kept"))!.thumbs_up, 1)
    const texts = () =>
      world.service.sql<{ n: bigint }>("SELECT count(*) AS n FROM kurrent_texts WHERE bytes LIKE '%Does kept.%'::bytea")
    assert.isAbove(Number((await texts())[0]!.n), 0)
    const inLog = double.records.all.some(({ data }) => Buffer.from(data).includes("Does kept."))
    assert.isFalse(inLog)
    assert.strictEqual((await remove(world.service.call, "kept")).status, 200)
    assert.isUndefined(await findByName(world.service.call, "kept"))
    assert.strictEqual(Number((await texts())[0]!.n), 0)
    assert.lengthOf(await world.service.sql("SELECT 1 FROM events"), 0)
  })

  it("answers a request that is sent again as the first time", async () => {
    const send = () => upload(world.service.call, "twice", {}, { "idempotency-key": "one" })
    const first = await send()
    const { code_block } = (await findByName(world.service.call, "twice"))!
    const length = () => double.records.stream(`snippet-${code_block.id}`).length
    const before = length()
    assert.isAbove(before, 0)
    const again = await send()
    assert.deepStrictEqual([again.status, again.json], [first.status, first.json])
    assert.strictEqual(length(), before)
  })

  it("goes on after a restart with what it had", async () => {
    await stored(world.service.call, "lasting")
    await world.restart()
    assert.isDefined(await findByName(world.service.call, "lasting"))
    await stored(world.service.call, "later")
    assert.isDefined(await findByName(world.service.call, "later"))
  })
})
