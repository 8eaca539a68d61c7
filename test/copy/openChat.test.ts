import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { chat, commitsOf, ended } from "#test/http/agent.ts"
import { type MessagesApi, startMessagesApi } from "#test/MessagesApi.ts"
import { freshDatabase } from "#test/postgres.ts"
import { newInstallation, type Service, startService } from "#test/service.ts"
import { from, run, to } from "./command.ts"
import { model } from "./filled.ts"

describe("a chat that was open when its service was stopped for the move", () => {
  let api: MessagesApi
  let service: Service
  const stopped = Promise.withResolvers<void>()
  const environment = () => ({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url })

  beforeAll(async () => {
    let first = true
    api = await startMessagesApi(async (request) => {
      if (first) {
        first = false
        await stopped.promise
      }
      return model(request)
    })
  })
  afterAll(async () => {
    await service.close()
    await api.close()
  })

  it("goes on in the copy, once, and who sends it again is answered by it", async () => {
    const installation = await newInstallation()
    service = await startService(environment(), installation)
    const asked = chat(service.call, "open", "ada").catch(() => undefined)
    await vi.waitFor(() => assert.strictEqual(api.requests.length, 1), { timeout: 60_000 })
    await service.stop()
    await asked
    stopped.resolve()

    const target = await Effect.runPromise(freshDatabase)
    const { dataDir, database } = installation
    const copied = await run({ ...from(database), ...to(target) }, "copy")
    assert.strictEqual(copied.code, 0, copied.err)
    assert.strictEqual((await run(from(target, dataDir), "installation", "adopt")).code, 0)
    service = await startService(environment(), { database: target, dataDir })
    const { workspace_id, success } = await ended(service.call, "open", "ada")
    assert.isTrue(success)
    assert.strictEqual((await commitsOf(workspace_id, service.call)).length, 1)
    assert.strictEqual(api.requests.length, 3)
    assert.deepStrictEqual(
      await service.sql(
        "SELECT type, count(*)::int AS count FROM events WHERE type IN ('ChatRequested', 'ChatCompleted') GROUP BY type ORDER BY type"
      ),
      [
        { type: "ChatCompleted", count: 1 },
        { type: "ChatRequested", count: 1 }
      ]
    )
  })
})
