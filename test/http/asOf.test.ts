import { afterAll, afterEach, assert, beforeAll, describe, it, vi } from "vitest"
import { secretColumns } from "#src/audit/asOf.ts"
import { projections } from "#src/readModels.ts"
import { holdBuilds } from "#test/service/cut.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import { type AsOf, Cairn } from "../../clients/typescript/src/index.ts"
import { refused } from "./problem.ts"

const path = "/api/admin/as-of"

describe("read models as of a position, that a service is asked for", () => {
  let service: Service
  const cairn = () => new Cairn({ apiKey: ownerKey, baseUrl: service.url, maxRetries: 0 })
  const stored = async (name: string) =>
    (await cairn().snippets.create({ name, source: `${name} = 1\n`, entrypoint: name, language: "python" })).codeBlockId
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())
  afterEach(async () => {
    for (const { position } of (await cairn().system.asOfs()).asOf) {
      await cairn().system.dropAsOf(position)
      await gone(position)
    }
  })

  const find = async (position: string) => (await cairn().system.asOfs()).asOf.find((one) => one.position === position)
  const made = async (position: string): Promise<AsOf> => {
    const one = await vi.waitFor(async () => {
      const found = await find(position)
      assert.notStrictEqual(found?.state, "making")
      return found
    }, 60_000)
    assert.deepInclude(one, { state: "made", progress: 1, fault: null })
    return one!
  }
  const head = async () => String(await service.head())
  const gone = (position: string) => vi.waitFor(async () => assert.isUndefined(await find(position)), 60_000)
  const schemas = () => service.sql("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'as_of_%'")
  const names = async (position: string) => {
    const { columns, rows } = await cairn().system.asOfRows(position, "snippets_snippets")
    return rows.map((row) => row[columns.indexOf("name")])
  }

  it("are made of a position, looked into as they were then, and removed", async () => {
    const one = await stored("one")
    const position = await head()
    await stored("two")
    const begun = await cairn().system.makeAsOf(position)
    const { keyId } = await cairn().system.access()
    assert.deepInclude(begun, { position, state: "making", keyId })
    const { tables, recordedAt, startedAt, endedAt } = await made(position)
    const expected = projections.flatMap(({ name, tables }) => Object.keys(tables).map((table) => `${name}_${table}`))
    assert.deepStrictEqual(
      tables.map(({ name }) => name),
      expected.sort()
    )
    assert.strictEqual(tables.find(({ name }) => name === "snippets_snippets")?.rows, 1)
    for (const { name, bytes } of tables) assert.isAbove(bytes, 0, name)
    const [event] = await service.sql<{ at: Date }>(`SELECT recorded_at AS at FROM events WHERE position = ${position}`)
    assert.strictEqual(recordedAt, event!.at.toISOString())
    assert.isAtMost(Date.parse(startedAt!), Date.parse(endedAt!))
    assert.deepStrictEqual(await names(position), ["one"])
    const { columns, rows, nextCursor } = await cairn().system.asOfRows(position, "snippets_snippets", { id: one })
    assert.strictEqual(rows[0]![columns.indexOf("source")], "one = 1\n")
    assert.isNull(nextCursor)
    const { rows: others } = await cairn().system.asOfRows(position, "snippets_snippets", { id: "another" })
    assert.isEmpty(others)
    assert.deepStrictEqual((await cairn().system.dropAsOf(position)).asOf, [])
    assert.isEmpty(await schemas())
    refused(await service.call("DELETE", `${path}/${position}`), 404, "not_found/as_of")
    refused(await service.call("GET", `${path}/${position}/snippets_snippets`), 404, "not_found/as_of")
  })

  it("are made of a time, as the last position that was recorded by then", async () => {
    const [first] = await service.sql<{ position: bigint; at: Date }>(
      "SELECT max(position) AS position, recorded_at AS at FROM events GROUP BY recorded_at ORDER BY recorded_at LIMIT 1"
    )
    const { position } = await cairn().system.makeAsOf(first!.at.toISOString())
    assert.strictEqual(position, String(first!.position))
    await made(position)
  })

  it("are read page by page, and long values in part", async () => {
    for (const [index, description] of ["d".repeat(2_000), "short", ""].entries()) {
      const name = `page_${index}`
      await cairn().snippets.create({
        name,
        source: `x = ${index}\n`,
        entrypoint: "x",
        language: "python",
        description
      })
    }
    const position = await head()
    await cairn().system.makeAsOf(position)
    await made(position)
    const seen: Array<ReadonlyArray<string | null>> = []
    let cursor: string | undefined
    let columns: ReadonlyArray<string> = []
    do {
      const page = await cairn().system.asOfRows(position, "snippets_snippets", { limit: 2, cursor })
      assert.isAtMost(page.rows.length, 2)
      columns = page.columns
      seen.push(...page.rows)
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    const all = await names(position)
    assert.deepStrictEqual(
      seen.map((row) => row[columns.indexOf("name")]),
      all
    )
    assert.includeMembers(all, ["page_0", "page_1", "page_2"])
    const said = seen.map((row) => row[columns.indexOf("description")])
    assert.include(said, `${"d".repeat(500)}…`)
    assert.include(said, "short")
  })

  it("show no hash and no secret", async () => {
    const position = await head()
    await cairn().system.makeAsOf(position)
    await made(position)
    for (const [table, hidden] of [
      ["keys_keys", "hash"],
      ["keys_tenants", "secret"]
    ] as const) {
      const { columns, rows } = await cairn().system.asOfRows(position, table)
      assert.isNotEmpty(rows)
      assert.notInclude(columns, hidden)
      for (const row of rows) assert.lengthOf(row, columns.length)
    }
    await cairn().system.dropAsOf(position)
    // what is called as secrets are is one, or known to be none
    const harmless = ["input_hash", "output_hash"]
    const called = projections.flatMap(({ tables }) =>
      Object.values(tables).flatMap(({ columns }) => Object.keys(columns))
    )
    const doubtful = called.filter((column) => /hash|secret|salt|token|password|credential/.test(column))
    const known = ["tokens_per_month", ...harmless, ...secretColumns]
    assert.deepStrictEqual(
      doubtful.filter((column) => !known.includes(column)),
      []
    )
  })

  it("are one at a time and none beside a replay, and end when they are dropped, with nothing left of them", async () => {
    const position = await head()
    const held = await holdBuilds(service)
    try {
      await cairn().system.makeAsOf(position)
      refused(await service.call("POST", path, { at: position }), 409, "conflict/replay_running")
      refused(await service.call("POST", "/api/admin/replays", { read_model: "keys" }), 409, "conflict/replay_running")
      assert.deepStrictEqual((await cairn().system.replays()).replays, [])
      await cairn().system.dropAsOf(position)
    } finally {
      await held.release()
    }
    await gone(position)
    assert.isEmpty(await schemas())
    assert.isEmpty(await service.sql("SELECT 1 FROM read_models WHERE NOT live"))
    assert.isEmpty(await service.sql("SELECT 1 FROM replays"))
  })

  it("are four at most, and of a position one", async () => {
    const last = Number(await head())
    const positions = [1, 2, 3, 4].map((back) => String(last - back))
    for (const position of positions) {
      await cairn().system.makeAsOf(position)
      await made(position)
    }
    refused(await service.call("POST", path, { at: positions[0] }), 409, "conflict/as_of_made")
    refused(await service.call("POST", path, { at: String(last) }), 409, "conflict/as_of_full")
    assert.isUndefined(await find(String(last)))
    await cairn().system.dropAsOf(positions[0]!)
    await cairn().system.makeAsOf(String(last))
    await made(String(last))
  })

  it("of a process that is gone are broken off, and can be dropped and made anew", async () => {
    const position = await head()
    await service.sql(
      `INSERT INTO replays (name, id, promote, key, seen_at) VALUES ('as_of_${position}', gen_random_uuid(), false, 'k', now() - interval '1 minute')`
    )
    await service.sql(`CREATE SCHEMA as_of_${position}`)
    await service.sql(`CREATE TABLE as_of_${position}.keys_keys (id text PRIMARY KEY)`)
    assert.deepInclude(await find(position), { state: "broken_off" })
    refused(await service.call("GET", `${path}/${position}/keys_keys`), 404, "not_found/as_of")
    assert.deepStrictEqual((await cairn().system.dropAsOf(position)).asOf, [])
    await cairn().system.makeAsOf(position)
    await made(position)
  })

  it("that the command line has made, or the database's owner has dropped, are told as what they are", async () => {
    await service.sql("CREATE SCHEMA as_of_1")
    await service.sql("CREATE TABLE as_of_1.keys_keys (id text PRIMARY KEY, hash text)")
    await service.sql("INSERT INTO as_of_1.keys_keys VALUES ('k', 'h')")
    assert.deepInclude(await find("1"), { state: "made", keyId: null, startedAt: null, endedAt: null })
    assert.deepInclude(await cairn().system.asOfRows("1", "keys_keys"), { columns: ["id"], rows: [["k"]] })
    refused(await service.call("GET", `${path}/1/keys_nothing`), 404, "not_found/as_of")
    await cairn().system.dropAsOf("1")
    const position = await head()
    await cairn().system.makeAsOf(position)
    await made(position)
    await service.sql(`DROP SCHEMA as_of_${position} CASCADE`)
    assert.isUndefined(await find(position))
  })

  it("go with an erasure that came behind them, and stay with one from before", async () => {
    const id = await stored("erased")
    const before = await head()
    await cairn().system.makeAsOf(before)
    await made(before)
    assert.include(await names(before), "erased")
    await cairn().snippets.delete(id)
    await gone(before)
    assert.isEmpty(await schemas())
    await cairn().system.makeAsOf(before)
    await made(before)
    assert.notInclude(await names(before), "erased")
    // as though it had begun behind what comes now
    await service.sql(`UPDATE replays SET position = 1000000 WHERE name = 'as_of_${before}'`)
    await cairn().snippets.delete(await stored("erased_later"))
    const deletion = await head()
    const passed = async () =>
      assert.isNotEmpty(
        await service.sql(`SELECT 1 FROM reactions WHERE name = 'drop_erased_as_of' AND position >= ${deletion}`)
      )
    await vi.waitFor(passed, 60_000)
    assert.isDefined(await find(before))
  })

  it("are waited for by an erasure, also when who makes them is killed before it hears that they are to go", async () => {
    const id = await stored("held")
    const before = await head()
    await service.sql(
      `INSERT INTO replays (name, id, promote, key, position, goal) VALUES ('as_of_${before}', gen_random_uuid(), false, 'k', ${before}, ${before})`
    )
    await service.sql(`CREATE SCHEMA as_of_${before}`)
    await service.sql(`CREATE TABLE as_of_${before}.snippets_snippets (id text PRIMARY KEY)`)
    await cairn().snippets.delete(id)
    const deletion = await head()
    const isWanted = async () =>
      assert.isNotEmpty(await service.sql(`SELECT 1 FROM replays WHERE name = 'as_of_${before}' AND cancelled`))
    await vi.waitFor(isWanted, 60_000)
    const passed = () =>
      service.sql(`SELECT 1 FROM reactions WHERE name = 'drop_erased_as_of' AND position >= ${deletion}`)
    assert.isEmpty(await passed())
    // nobody is heard of it for long enough
    await service.sql("UPDATE replays SET seen_at = now() - interval '1 minute'")
    await vi.waitFor(async () => assert.isNotEmpty(await passed()), 60_000)
    assert.isEmpty(await schemas())
  })

  it("are of what has been, in this log", async () => {
    const last = Number(await head())
    const bad = async (at: unknown) =>
      assert.strictEqual(refused(await service.call("POST", path, { at }), 400, "validation/invalid_field").field, "at")
    await bad(String(last + 1_000))
    await bad(new Date(Date.now() + 60_000).toISOString())
    await bad("abcd-1")
    await bad("yesterday")
    await bad("-1")
    await bad(12)
    await bad("")
    refused(await service.call("POST", path, {}), 400, "validation/invalid_field")
    for (const [method, to] of [
      ["DELETE", "x"],
      ["DELETE", "abcd-1"],
      ["GET", "1%27/keys_keys"],
      ["GET", "abcd-1/keys_keys"]
    ] as const)
      refused(await service.call(method, `${path}/${to}`), 400, "validation/invalid_field")
    refused(await service.call("GET", `${path}/1/keys_keys?limit=0`), 400, "validation/invalid_field")
    assert.isEmpty(await schemas())
  })

  it("are the operator's: nobody else's, and made by no key that only reads", async () => {
    const other = await organization(service, "ENTERPRISE")
    const admin = service.as((await memberKey(service.call, "grace@example.org", "admin")).key)
    for (const [method, to, body] of [
      ["GET", path, undefined],
      ["POST", path, { at: "1" }],
      ["DELETE", `${path}/1`, undefined],
      ["GET", `${path}/1/keys_keys`, undefined]
    ] as const) {
      refused(await other.call(method, to, body), 403, "permission/operator_required")
      refused(await admin(method, to, body), 403, "permission/role_required")
    }
    const { keys } = await cairn().keys.list()
    const reads = await cairn().keys.create({ email: keys[0]!.userEmail, keyName: "looks", readOnly: true })
    const looks = service.as(reads.key)
    assert.strictEqual((await looks("GET", path)).status, 200)
    refused(await looks("POST", path, { at: "1" }), 403, "permission/read_only_key")
  })
})
