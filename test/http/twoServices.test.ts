import { assert, describe, it } from "vitest"
import { says, startMessagesApi } from "#test/MessagesApi.ts"
import { begin, holdWrites } from "#test/service/cut.ts"
import { newInstallation, removeInstallation, startService } from "#test/service.ts"
import { refused } from "./problem.ts"
import { chatting, creating, fine, revoking, uploading, uploadOf, voting } from "./routes.ts"
import { findByName, stored } from "./store.ts"

describe("two services on one database", () => {
  it("make one write of the same request, and one of the same chat", async () => {
    const installation = await newInstallation()
    const api = await startMessagesApi(() => says("Done."))
    const environment = { ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url }
    const services = [
      await startService(environment, installation),
      await startService(environment, installation)
    ] as const
    try {
      const both = async (path: string, body: unknown) => {
        const log = await holdWrites(installation)
        const answers = services.map(({ call }) => call("POST", path, body))
        await log.waiting(2)
        await log.release()
        return Promise.all(answers)
      }
      const eventsOf = async (type: string) =>
        (await services[0].sql("SELECT 1 FROM events WHERE type = $1", [type])).length

      const [one, two] = (await both(uploading, uploadOf("shared"))).map(fine)
      assert.deepStrictEqual(two, one)
      assert.deepStrictEqual([await eventsOf("SnippetUploaded"), await eventsOf("TaskAdded")], [1, 0])
      // what one has stored, the other finds at once
      const found = await Promise.all(services.map(({ call }) => findByName(call, "shared")))
      assert.deepStrictEqual(
        found.map((match) => match?.thumbs_up),
        [1, 1]
      )

      const id = found[0]!.code_block.id
      ;(await both(voting, { task: "t", code_block_id: id, succeeded: true })).forEach(fine)
      assert.strictEqual(await eventsOf("VoteCast"), 2)

      const keys = await both(creating, { email: "both@example.org", key_name: "k" })
      assert.deepStrictEqual(keys.map(({ status }) => status).sort(), [200, 409])
      assert.strictEqual(await eventsOf("KeyCreated"), 2)
      const [made, not] = keys[0]!.status === 200 ? [keys[0]!, keys[1]!] : [keys[1]!, keys[0]!]
      assert.include(refused(not, 409, "conflict/already_created").message, made.json.id)
      // revoked at the one, refused by the other
      const { key } = made.json
      assert.strictEqual((await services[1].as(key)("GET", "/api/workspaces")).status, 200)
      fine(await services[0].call("POST", revoking, { key_id: made.json.id }))
      refused(await services[1].as(key)("GET", "/api/workspaces"), 401, "auth/invalid_api_key")

      const chats = (await both(chatting, { user_query: "q", user_id: "u", org_id: "o" })).map(fine)
      assert.strictEqual(chats[0].commit, chats[1].commit)
      assert.deepStrictEqual([await eventsOf("ChatRequested"), await eventsOf("ChatCompleted")], [1, 1])
    } finally {
      for (const { stop } of services) await stop()
      await api.close()
      removeInstallation(installation)
    }
  })

  it("make one line of commits of what both put into a workspace, and one commit of the same request", async () => {
    const installation = await newInstallation()
    const services = [await startService({}, installation), await startService({}, installation)] as const
    try {
      const opened = await Promise.all(
        services.map(({ call }) => call("POST", "/api/workspaces", { org_id: "o", user_id: "u" }))
      )
      assert.deepStrictEqual(opened[0]!.json, opened[1]!.json)
      const id: string = opened[0]!.json.workspace_id
      const put = (n: number) => services[n % 2]!.call("PUT", `/api/workspaces/${id}/files/f/${n}.txt`, `${n}`)
      const answers = await Promise.all(Array.from({ length: 16 }, (_, n) => put(n)))
      for (const { status, text } of answers) assert.strictEqual(status, 200, text)
      const lines = await Promise.all(
        services.map(async ({ call }) => {
          const { json } = await call("GET", `/api/workspaces/${id}/commits?limit=100`)
          return json.commits as ReadonlyArray<{ sha: string; parents: ReadonlyArray<string> }>
        })
      )
      assert.deepStrictEqual(lines[0], lines[1])
      assert.strictEqual(lines[0]!.length, 17)
      for (const [n, { parents }] of lines[0]!.entries())
        assert.deepStrictEqual(
          parents,
          lines[0]!.slice(n + 1, n + 2).map(({ sha }) => sha)
        )
      const log = await holdWrites(installation)
      const same = services.map(({ call }) => call("PUT", `/api/workspaces/${id}/files/same.txt`, "same"))
      await log.waiting(2)
      await log.release()
      const [first, second] = (await Promise.all(same)).map(fine)
      assert.deepStrictEqual(first, second)
      const { json } = await services[0].call("GET", `/api/workspaces/${id}/commits`)
      assert.strictEqual(json.commits.length, 18)
    } finally {
      for (const { stop } of services) await stop()
      removeInstallation(installation)
    }
  })

  it("know of each other's answers: after a restart an identical write is new only if the last was answered", async () => {
    const installation = await newInstallation()
    let one = await startService({}, installation)
    await stored(one.call, "kept")
    const { code_block } = (await findByName(one.call, "kept"))!
    const body = { task: "t", code_block_id: code_block.id, succeeded: true }
    fine(await one.call("POST", voting, body))
    const log = await holdWrites(installation)
    const cut = begin(one, voting, body)
    await log.waiting(1)
    await cut.cut()
    await log.release()
    await one.stop()

    one = await startService({}, installation)
    const ups = async () => (await findByName(one.call, "kept"))!.thumbs_up
    assert.strictEqual(await ups(), 2)
    fine(await one.call("POST", voting, body))
    assert.strictEqual(await ups(), 2)
    fine(await one.call("POST", voting, body))
    assert.strictEqual(await ups(), 3)
    await one.stop()
    removeInstallation(installation)
  })
})
