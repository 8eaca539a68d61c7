import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { ReadPatience } from "#engine/ask.ts"
import { schema } from "#projections/Snippets/tables.ts"
import { type Call, send } from "#test/service/call.ts"
import { holdReadModels } from "#test/service/cut.ts"
import { memberKey } from "#test/service/tenants.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { creating, fine, revoking, uploading, uploadOf } from "./routes.ts"
import { findByName, source, stored } from "./store.ts"

const blocks = "/api/store/code-block"
const idOf = async (call: Call, name: string) => (await findByName(call, name))!.code_block.id
const remove = (call: Call, id: string) => call("DELETE", `${blocks}/${id}`)

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

  it("have the text of what is deleted yet, and the delete's answer says so", async () => {
    await stored(service.call, "leaving")
    await caughtUp()
    const id = await idOf(service.call, "leaving")
    const models = await holdReadModels(service)
    try {
      const answer = await remove(service.call, id)
      fine(answer)
      assert.strictEqual(answer.headers.get("cairn-stale"), "true")
    } finally {
      await models.release()
    }
    await caughtUp()
    assert.isUndefined(await findByName(service.call, "leaving"))
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

describe("a catalogue that is behind the log", () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    // from here on what looks for secrets is at hand
    await stored(service.call, "known", { public: true })
  })
  afterAll(() => service.close())

  let others = 0
  /**
   * What is answered to a request that comes while the catalogue is held back. That ends when the answer is there, or
   * else when an event of this type is in the log, and then some uploads, which wait for no catalogue.
   */
  const answered = async <A>(after: string, asking: () => Promise<A>): Promise<A> => {
    const models = await holdReadModels(service)
    const head = await service.head()
    const answer = asking()
    const going = async () => {
      const found = "SELECT 1 FROM events WHERE type = $1 AND position > $2"
      await vi.waitFor(async () => assert.isNotEmpty(await service.sql(found, [after, head])), {
        timeout: 60_000,
        interval: 5
      })
      for (let n = 0; n < 5; n++) await stored(service.call, `other${others++}`)
    }
    try {
      await Promise.race([answer, going()])
    } finally {
      await models.release()
    }
    return answer
  }

  it("is waited for by a delete: the text is gone from it by the answer", async () => {
    await stored(service.call, "gone")
    const id = await idOf(service.call, "gone")
    const { answer, left } = await answered("SnippetDeleted", async () => {
      const answer = await remove(service.call, id)
      return { answer, left: await service.sql(`SELECT id FROM ${schema}.snippets WHERE id = $1`, [id]) }
    })
    fine(answer)
    assert.isNull(answer.headers.get("cairn-stale"))
    assert.isEmpty(left)
  })

  it("is waited for by what becomes public, for what was said of it when it was private", async () => {
    // put together here, so that nobody who looks through this repository takes it for a real one
    const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`
    const block = { name: "whispered", source: source("whispered"), entrypoint: "whispered", language: "python" }
    const answer = await answered("SnippetUploaded", async () => {
      fine(await service.call("POST", blocks, { ...block, description: `Needs ${token}.` }))
      return service.call("POST", blocks, { ...block, public: true })
    })
    assert.strictEqual(refused(answer, 400, "validation/secret_found").field, "stored.description")
  })

  it("refuses what is to become public while it stays behind", async () => {
    const models = await holdReadModels(service)
    try {
      await stored(service.call, "said before")
      const block = { name: "told", source: source("told"), entrypoint: "told", language: "python", public: true }
      const uploads = "SELECT 1 FROM events WHERE type = 'SnippetUploaded'"
      const before = await service.sql(uploads)
      refused(await service.call("POST", blocks, block), 503, "unavailable/store")
      assert.lengthOf(await service.sql(uploads), before.length)
    } finally {
      await models.release()
    }
  })
})
