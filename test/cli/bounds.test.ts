import { afterAll, assert, describe, it } from "@effect/vitest"
import { makeFolder } from "./cairn.ts"

interface Shown {
  readonly key_id: string | null
  readonly chats_per_day: number | null
  readonly max_turns: number | null
}

describe("cairn bounds and usage", () => {
  const { json, run, refused, remove } = makeFolder({ ownPostgres: false })
  afterAll(remove)

  it("sets and lists bounds, and tells what is used of them", async () => {
    await json("org", "create", "--name", "Acme", "--tier", "ENTERPRISE", "--owner-email", "o@acme.test")
    const { key_id } = await json<{ key_id: string }>(
      "key",
      "create",
      "--org",
      "Acme",
      "--email",
      "m@acme.test",
      "--name",
      "k"
    )
    const models = ["--model", "sonnet", "--model", "haiku"]
    const all = ["--chats-per-day", "9", "--cost-per-month", "2.5", ...models]
    const set = await json<object>("bounds", "set", "--org", "Acme", ...all)
    assert.deepInclude(set, {
      key_id: null,
      chats_per_day: 9,
      cost_per_month: 2.5,
      max_turns: null,
      models: ["haiku", "sonnet"]
    })
    await json("bounds", "set", "--org", "Acme", "--key", key_id, "--max-turns", "3")
    const listed = async () => (await json<{ bounds: ReadonlyArray<Shown> }>("bounds", "list", "--org", "Acme")).bounds
    assert.deepStrictEqual(
      (await listed()).map(({ key_id, chats_per_day, max_turns }) => [key_id, chats_per_day, max_turns]),
      [
        [null, 9, null],
        [key_id, null, 3]
      ]
    )
    const usage = await json<{ total: object; bounds: ReadonlyArray<object> }>(
      "usage",
      "--org",
      "Acme",
      "--by",
      "model"
    )
    assert.deepInclude(usage.total, { chats: 0, cost: 0 })
    assert.deepInclude(usage.bounds[0], { bound: "chats_per_day", limit: 9, used: 0 })
    assert.include((await run("usage", "--org", "Acme")).out, "chats_per_day")
    const stored = ["--snippets", "4", "--repository-bytes", "1000000"]
    assert.deepInclude(await json<object>("bounds", "set", "--org", "Acme", ...stored), {
      chats_per_day: null,
      snippets: 4,
      repository_bytes: 1_000_000
    })
    const { out } = await run("usage", "--org", "Acme")
    assert.include(out, "0 snippets stored, 0 bytes committed to workspaces")
    assert.match(out, /repository_bytes +0 +1000000/)
    // who forgets what to set takes nothing away
    assert.include(await refused("bounds", "set", "--org", "Acme"), "Say what is bounded")
    assert.include(await refused("bounds", "set", "--org", "Acme", "--none", "--max-turns", "3"), "--none goes with no")
    assert.include((await run("usage", "--org", "Acme")).out, "repository_bytes")
    assert.deepInclude(await json<object>("bounds", "set", "--org", "Acme", "--none"), { snippets: null })
    assert.deepStrictEqual((await listed()).length, 2)
  })

  it("refuses keys of others, models of one key, and days that are none", async () => {
    const nobody = "00000000-0000-4000-8000-000000000000"
    assert.include(await refused("bounds", "set", "--org", "Acme", "--key", nobody, "--max-turns", "3"), "no live key")
    assert.include(await refused("usage", "--org", "Acme", "--since", "2026-13-01"), "expected a day")
  })
})
