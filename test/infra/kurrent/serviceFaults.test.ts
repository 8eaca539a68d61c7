import { assert, describe, it, vi } from "vitest"
import { refused } from "../../http/problem.ts"
import { findByName, stored, upload } from "../../http/store.ts"
import { serviceOnDouble } from "../../kurrent/service.ts"

describe.skipIf(process.versions["deno"] !== undefined)("the service whose log goes away", () => {
  const world = serviceOnDouble()
  const { double } = world

  it("with the log down refuses writes in time and goes on answering reads, which say that they may be old; then goes on", async () => {
    await stored(world.service.call, "before")
    assert.isDefined(await findByName(world.service.call, "before"))
    double.stop()
    const search = () =>
      world.service.call("POST", "/api/retrieve/search", { task: "before task", top_k: 100, min_verdict_score: 0 })
    // for a second it may be but a lost connection
    await vi.waitFor(
      async () => {
        const { status, headers, json } = await search()
        assert.deepStrictEqual([status, headers.get("cairn-stale")], [200, "true"])
        assert.include(
          json.matches.map((found: { code_block: { name: string } }) => found.code_block.name),
          "before"
        )
      },
      { timeout: 60_000, interval: 50 }
    )
    const write = await upload(world.service.call, "meanwhile")
    assert.strictEqual(write.status, 503, write.text)
    assert.isNotNull(write.headers.get("retry-after"))
    refused(write, 503, write.json.code)
    const ready = await world.service.call("GET", "/ready")
    assert.deepStrictEqual([ready.status, ready.json.missing], [200, ["log"]])
    await double.start()
    await stored(world.service.call, "meanwhile")
    await vi.waitFor(async () => assert.isNull((await search()).headers.get("cairn-stale")), {
      timeout: 60_000,
      interval: 50
    })
    assert.isDefined(await findByName(world.service.call, "meanwhile"))
    assert.isFalse(world.service.log.some((line) => /ECONNREFUSED.*at |GRPC|grpc-js/.test(line)))
  })
})
