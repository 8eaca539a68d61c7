import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { projections } from "#src/readModels.ts"
import { makeFolder, served } from "./cairn.ts"

interface Verified {
  readonly success: boolean
  readonly events: number
  readonly commits: number
  readonly findings: ReadonlyArray<{ readonly position: string | null; readonly check: string }>
}
interface AsOf {
  readonly position: string
  readonly schema: string
  readonly tables: ReadonlyArray<{
    readonly projection: string
    readonly table: string
    readonly name: string
    readonly rows: number
  }>
}

describe("cairn, auditing beside a service", () => {
  const folder = makeFolder({ ownPostgres: false })
  const { json, run, refused } = folder
  let service: Awaited<ReturnType<typeof served>>

  beforeAll(async () => {
    service = await served(folder)
    await service.ask("POST", "/api/store/execution-result", {
      task: "predict the tide",
      file_written: { path: "tide.py", content: "def tide():\n    return 1\n" },
      succeeded: true
    })
    await service.ask("POST", "/api/agent-chat", { user_query: "predict the tide", user_id: "ann", org_id: "sea" })
  })
  afterAll(async () => {
    // it may not have started
    await (service as typeof service | undefined)?.stop()
    folder.remove()
  })

  it("verifies every read model at once", async () => {
    const { success, projections: done } = await json<{
      success: boolean
      projections: ReadonlyArray<{ name: string }>
    }>("replay", "--verify")
    assert.isTrue(success)
    assert.deepStrictEqual(
      done.map(({ name }) => name),
      projections.map(({ name }) => name)
    )
  })

  it("verifies the log, the texts and git, and names what is wrong", async () => {
    const fine = await json<Verified>("verify")
    assert.deepInclude(fine, { success: true, commits: 1, findings: [] })
    assert.match((await run("verify")).out, /All of it is as it was written\.\n$/)

    await service.sql("UPDATE events SET actor_user = 'x' WHERE position = 2")
    const { code, out, err } = await run("verify", "--json")
    assert.strictEqual(code, 1)
    const wrong = JSON.parse(out) as Verified
    assert.isFalse(wrong.success)
    assert.deepStrictEqual(
      wrong.findings.map(({ position, check }) => [position, check]),
      [["2", "digest"]]
    )
    assert.match(err, /^cairn: 1 thing/)
    assert.match((await run("verify")).out, /^2 {2}digest: MemberAdded was changed/m)
    await service.sql("UPDATE events SET actor_user = NULL WHERE position = 2")
    assert.isTrue((await json<Verified>("verify")).success)
  })

  it("makes read models as of a position or a time, and removes them", async () => {
    const now = new Date().toISOString()
    const whole = await json<AsOf>("replay", "--as-of", now)
    const rows = (asOf: AsOf, wanted: string) =>
      asOf.tables.find(({ name }) => name === `${asOf.schema}.${wanted}`)!.rows
    assert.strictEqual(rows(whole, "snippets_snippets"), 1)
    const early = await json<AsOf>("replay", "--as-of", "3")
    assert.deepStrictEqual([early.schema, early.position], ["as_of_3", "3"])
    assert.deepStrictEqual([rows(early, "snippets_snippets"), rows(early, "keys_members")], [0, 1])
    const one = await json<AsOf>("replay", "--as-of", "3", "--projection", "keys")
    assert.sameMembers([...new Set(one.tables.map(({ projection }) => projection))], ["keys"])
    for (const at of ["3", whole.position]) await json("replay", "--as-of", at, "--drop")
    assert.match(await refused("replay", "--as-of", "3", "--drop"), /no read models as of position 3/)
  })

  it("refuses times and positions that are none", async () => {
    for (const at of ["2026-13-01", "2026-11-21T10:00"]) {
      assert.match(await refused("replay", "--as-of", at), /neither a position nor a time/)
    }
    assert.match(await refused("replay", "--as-of", "999999999"), /has come to position/)
    assert.match(await refused("replay", "--as-of", "1", "--verify"), /exclude/)
    assert.match(await refused("replay", "--drop"), /needs --as-of/)
  })

  it("erases a member, by e-mail or id, and never the owner", async () => {
    for (const by of ["user_email", "user_id"] as const) {
      const made = await json<Record<string, string>>(
        "key",
        "create",
        "--email",
        "Max@q.test",
        "--name",
        "k",
        "--org",
        "Cairn"
      )
      const erased = await json<object>("user", "erase", made[by]!, "--org", "Cairn")
      assert.deepInclude(erased, { success: true, user_id: made["user_id"], erased: { users: 1, keys: 1 } })
      assert.match(await refused("user", "erase", made[by]!, "--org", "Cairn"), /no user .* in Cairn/)
    }
    assert.match(await refused("user", "erase", "owner@cairn.local", "--org", "Cairn"), /owner of an organization/)
  })

  it("erases a person without an organization", async () => {
    await json("key", "create", "--email", "p@q.test", "--name", "k")
    assert.match(await refused("user", "erase", "p@q.test", "--org", "Cairn"), /no user p@q\.test in Cairn/)
    assert.deepInclude(await json<object>("user", "erase", "P@q.test"), { erased: { users: 1, keys: 1 } })
    assert.match(await refused("user", "erase", "p@q.test"), /without an organization/)
    assert.deepStrictEqual(await json("key", "list", "--email", "p@q.test"), { keys: [] })
  })
})
