import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { ReadPatience } from "#engine/ask.ts"
import { send } from "#test/service/call.ts"
import { holdReadModels } from "#test/service/cut.ts"
import { memberKey } from "#test/service/tenants.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { creating, fine, revoking, uploading, uploadOf } from "./routes.ts"
import { findByName, stored } from "./store.ts"

describe("read models that are behind the log", () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ CAIRN_READ_PATIENCE_MS: "900" })
  })
  afterAll(() => service.close())

  const asked = async (task: string) => {
    const body = { task, top_k: 100, min_verdict_score: 0 }
    const answer = await send(service.url, "POST", "/api/retrieve/search", body, {
      authorization: `Bearer ${ownerKey}`
    })
    const names = fine(answer).matches.map((match: { code_block: { name: string } }) => match.code_block.name)
    return { names, stale: answer.headers.get("cairn-stale"), inBody: answer.json.stale }
  }

  const caughtUp = () =>
    vi.waitFor(async () => assert.isNull((await asked("before task")).stale), { timeout: 60_000, interval: 0 })

  it("are waited for as long as the operator says", async () => {
    assert.strictEqual(await service.run(Effect.service(ReadPatience)), 900)
  })

  it("answer after a second with what they know, and say so; the write is in the log, and is found when they are there", async () => {
    await stored(service.call, "before")
    await caughtUp()
    const models = await holdReadModels(service)
    try {
      const answer = await service.call("POST", uploading, uploadOf("meanwhile"))
      fine(answer)
      assert.isAbove(Number(answer.headers.get("cairn-position")), 0)
      const { names, stale, inBody } = await asked("before task")
      assert.deepStrictEqual([stale, inBody], ["true", true])
      assert.include(names, "before")
      assert.notInclude(names, "meanwhile")
    } finally {
      await models.release()
    }
    await caughtUp()
    assert.isDefined(await findByName(service.call, "meanwhile"))
  })

  it("let nobody in by an older state: a revoked key waits, and is refused", async () => {
    const member = await memberKey(service.call, "behind@example.org")
    const asMember = service.as(member.key)
    fine(await asMember("GET", "/api/workspaces"))
    const models = await holdReadModels(service)
    try {
      fine(await service.call("POST", revoking, { key_id: member.id }))
      const answer = await asMember("GET", "/api/workspaces")
      refused(answer, 503, "unavailable/keys")
      assert.strictEqual(answer.headers.get("retry-after"), "1")
      // short of that it waits
      const waiting = asMember("GET", "/api/workspaces")
      await models.release()
      refused(await waiting, 401, "auth/invalid_api_key")
    } catch (error) {
      await models.release()
      throw error
    }
  })

  it("keep no new key out: it waits, and is let in", async () => {
    const models = await holdReadModels(service)
    const made = fine(await service.call("POST", creating, { email: "late@example.org", key_name: "late" }))
    const waiting = service.as(made.key)("GET", "/api/workspaces")
    await models.release()
    fine(await waiting)
  })
})
