import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { holdReadModels } from "#test/service/cut.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { Cairn, type Replay } from "../../clients/typescript/src/index.ts"
import { refused } from "./problem.ts"

describe("a replay that a service is asked for", () => {
  let service: Service
  const cairn = () => new Cairn({ apiKey: ownerKey, baseUrl: service.url, maxRetries: 0 })
  beforeAll(async () => {
    service = await startService()
    for (const name of ["one", "two"])
      await cairn().snippets.create({ name, source: `${name} = 1\n`, entrypoint: name, language: "python" })
  })
  afterAll(() => service.close())

  const lastOf = async (readModel: string) =>
    (await cairn().system.replays()).replays.find((one) => one.readModel === readModel)
  const ended = async (readModel: string): Promise<Replay> => {
    let last = await lastOf(readModel)
    while (last === undefined || last.state === "running") last = await lastOf(readModel)
    return last
  }
  const builds = () =>
    service.sql<{ build: number; live: boolean }>("SELECT build, live FROM read_models WHERE name = 'snippets'")

  it("compares a read model with what the log says, and leaves it as it is", async () => {
    const before = await builds()
    const begun = await cairn().system.replay("snippets")
    assert.deepInclude(begun, { readModel: "snippets", promote: false, state: "running", endedAt: null })
    const last = await ended("snippets")
    const { keyId } = await cairn().system.access()
    assert.deepInclude(last, { state: "done", differences: [], progress: 1, fault: null, keyId })
    assert.isAtLeast(last.events, 2)
    assert.strictEqual(last.position, last.goal)
    assert.isNotNull(last.endedAt)
    assert.deepStrictEqual(await builds(), before)
  })

  it("finds a row that was tampered with, and mends it when that is asked for", async () => {
    const [table] = await service.sql<{ name: string }>(
      "SELECT schemaname || '.snippets' AS name FROM pg_tables WHERE tablename = 'snippets' AND schemaname LIKE 'snippets_v%_b%'"
    )
    await service.sql(`UPDATE ${table!.name} SET name = 'another' WHERE name = 'one'`)
    await cairn().system.replay("snippets")
    assert.deepStrictEqual((await ended("snippets")).differences, [{ table: "snippets", rows: 1 }])
    await cairn().system.replay("snippets", { promote: true })
    assert.deepInclude(await ended("snippets"), { state: "done", promote: true })
    await cairn().system.replay("snippets")
    assert.deepStrictEqual((await ended("snippets")).differences, [])
  })

  it("is one at a time, and ends when it is told to, with nothing left of it", async () => {
    const held = await holdReadModels(service)
    try {
      await cairn().system.replay("keys")
      refused(
        await service.call("POST", "/api/admin/replays", { read_model: "snippets" }),
        409,
        "conflict/replay_running"
      )
      await cairn().system.cancelReplay("keys")
      assert.deepInclude(await ended("keys"), { state: "cancelled", differences: [], fault: null })
    } finally {
      await held.release()
    }
    refused(await service.call("POST", "/api/admin/replays/cancel", { read_model: "keys" }), 404, "not_found/replay")
    const left = await service.sql("SELECT 1 FROM read_models WHERE name = 'keys' AND NOT live")
    assert.lengthOf(left, 0)
    await cairn().system.replay("keys")
    assert.strictEqual((await ended("keys")).state, "done")
  })

  it("of a process that is gone is broken off, and is in nobody's way", async () => {
    await service.sql(
      `INSERT INTO replays (name, id, promote, key, seen_at) VALUES ('logs', gen_random_uuid(), false, 'k', now() - interval '1 minute')`
    )
    assert.strictEqual((await lastOf("logs"))?.state, "broken_off")
    await cairn().system.replay("logs")
    assert.strictEqual((await ended("logs")).state, "done")
  })

  it("is of a read model that there is", async () => {
    for (const path of ["/api/admin/replays", "/api/admin/replays/cancel"])
      refused(await service.call("POST", path, { read_model: "nothing" }), 404, "not_found/read_model")
  })

  it("is the operator's: nobody else's, and begun by no key that only reads", async () => {
    const other = await organization(service, "ENTERPRISE")
    refused(await other.call("GET", "/api/admin/replays"), 403, "permission/operator_required")
    refused(await other.call("POST", "/api/admin/replays", { read_model: "keys" }), 403, "permission/operator_required")
    const admin = await memberKey(service.call, "grace@example.org", "admin")
    refused(await service.as(admin.key)("GET", "/api/admin/replays"), 403, "permission/role_required")
  })

  it("is told with what the read models take of the database", async () => {
    const { readModels } = await cairn().system.status()
    for (const { name, bytes, rows } of readModels) {
      assert.isAbove(bytes ?? 0, 0, name)
      assert.isAtLeast(rows ?? -1, 0, name)
    }
  })
})
