import { assert, describe, it, vi } from "vitest"
import { Cairn } from "../../../clients/typescript/src/index.ts"
import { refused } from "../../http/problem.ts"
import { vote } from "../../http/store.ts"
import { serviceOnDouble } from "../../kurrent/service.ts"
import { connectTo } from "../../postgres.ts"
import { ownerKey } from "../../service.ts"

const within = { timeout: 60_000, interval: 5 }

describe("read models as of a position, with the log in KurrentDB", () => {
  const world = serviceOnDouble()

  it("have no text that an event before their beginning erases, also when it is not yet gone", async () => {
    const { double, service } = world
    const cairn = new Cairn({ apiKey: ownerKey, baseUrl: service.url, maxRetries: 0 })
    const create = (name: string) =>
      cairn.snippets.create({ name, source: `${name} = 1\n`, entrypoint: name, language: "python" })
    const { codeBlockId } = await create("erased")
    const kept = await create("kept")
    const position = (await vote(service.call, kept.codeBlockId)).headers.get("cairn-position")!
    const { query, close } = await connectTo(service)
    // texts go in meanwhile, and none is removed
    await query("SELECT pg_advisory_lock_shared(5020720)")
    const waiting = async () =>
      (
        await query(`SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE d.datname = current_database() AND locktype = 'advisory' AND objid = 5020720 AND NOT granted`)
      ).length
    const deleted = cairn.snippets.delete(codeBlockId)
    await vi.waitFor(async () => {
      assert.isNotEmpty(double.records.all.filter(({ type }) => type === "SnippetDeleted"))
      // who deletes, the reaction, and who reads on behind it
      assert.strictEqual(await waiting(), 3)
    }, within)
    const find = async () => (await cairn.system.asOfs()).asOf.find((one) => one.position === position)
    await cairn.system.makeAsOf(position)
    await vi.waitFor(async () => assert.isTrue((await waiting()) === 4 || (await find())?.state !== "making"), within)
    await query("SELECT pg_advisory_unlock_shared(5020720)")
    await deleted
    await vi.waitFor(async () => assert.strictEqual((await find())?.state, "made"), within)
    const { recordedAt } = (await find())!
    assert.isAtMost(Date.parse(recordedAt!), Date.now())
    refused(
      await service.call("POST", "/api/admin/as-of", { at: String(Number(position) - 1) }),
      400,
      "validation/invalid_field"
    )
    const { columns, rows } = await cairn.system.asOfRows(position, "snippets_snippets")
    const names = rows.map((row) => row[columns.indexOf("name")])
    assert.include(names, "kept")
    assert.notInclude(names, "erased")
    await close()
  })
})
