import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { makeFolder } from "./cairn.ts"

/**
 * The command line without a running service, on a server that runs; `process.test.ts` shows it with one of its own.
 */
describe("cairn, alone", () => {
  const folder = makeFolder({ ownPostgres: false })
  const { json, run, refused, file } = folder
  let organization = ""

  beforeAll(async () => {
    const created = await json<Record<string, string>>(
      ...["org", "create", "--name", "Acme", "--tier", "PRO", "--owner-email", "Ada@Acme.test", "--member-limit", "2"]
    )
    organization = created["organization_id"]!
    assert.match(created["key"]!, /^cairn_live_[0-9A-Za-z]{43}$/)
    assert.strictEqual(created["key_prefix"], created["key"]!.slice(0, 20))
    assert.strictEqual(created["user_email"], "ada@acme.test")
  })
  afterAll(folder.remove)

  it("lists organizations, as JSON and for people", async () => {
    const { organizations } = await json<{ organizations: ReadonlyArray<object> }>("org", "list")
    assert.deepStrictEqual(organizations, [{ organization_id: organization, name: "Acme", slug: "acme", tier: "PRO" }])
    const { out } = await run("org", "list")
    assert.match(out, /^ID +SLUG +NAME +TIER\n[0-9a-f-]{36} +acme +Acme +PRO\n$/)
  })

  it("keeps the names of organizations apart, and takes their ids in any case", async () => {
    const again = ["org", "create", "--tier", "FREE", "--owner-email", "a@b.test", "--name"]
    for (const name of ["Acme", " acme"]) assert.include(await refused(...again, name), organization)
    const { keys } = await json<{ keys: ReadonlyArray<object> }>("key", "list", "--org", organization.toUpperCase())
    assert.lengthOf(keys, 1)
  })

  it("gives organizations slugs, and other names, finds them by either, and erases them", async () => {
    const other = ["org", "create", "--tier", "FREE", "--owner-email", "b@b.test", "--name"]
    assert.match(await refused(...other, "Beta", "--slug", "acme"), /has the slug acme/)
    assert.match(await refused(...other, "Beta", "--slug", "No Slug"), /is no slug/)
    const beta = await json<Record<string, string>>(...other, "Beta", "--slug", "beta-labs")
    assert.strictEqual(beta["slug"], "beta-labs")
    const shown = await json<Record<string, unknown>>("org", "show", "beta-labs")
    assert.deepStrictEqual(
      [shown["organization_id"], shown["members"], shown["member_limit"]],
      [beta["organization_id"], 1, 1]
    )
    assert.match((await run("org", "show", "Beta")).out, /Organization Beta: .*\nSlug beta-labs, tier FREE/)
    assert.match(await refused("org", "rename", "beta-labs"), /Nothing is to change/)
    assert.match(await refused("org", "rename", "beta-labs", "--slug", "acme"), /has the slug acme/)
    const renamed = await json<Record<string, string>>(
      "org",
      "rename",
      "beta-labs",
      "--name",
      "Beta Inc",
      "--slug",
      "beta"
    )
    assert.deepStrictEqual([renamed["name"], renamed["slug"]], ["Beta Inc", "beta"])
    assert.match(await refused("org", "show", "beta-labs"), /no organization beta-labs/)
    // what one is called by its slug and another by its name is neither of them
    await json("org", "rename", "beta", "--slug", "gamma", "--name", "acme")
    const said = await refused("key", "list", "--org", "acme")
    for (const id of [organization, beta["organization_id"]!]) assert.include(said, id)
    assert.lengthOf((await json<{ keys: ReadonlyArray<object> }>("key", "list", "--org", "gamma")).keys, 1)
    await json("org", "rename", "gamma", "--name", "Beta")
    // for good, by its slug once more
    assert.match(await refused("org", "delete", "Beta", "--confirm", "Beta"), /the slug of Beta is gamma/)
    assert.match(await refused("org", "erasure", beta["organization_id"]!), /No organization with the id .* was erased/)
    const erased = await json<{ organization_id: string; erased: object; left: object }>(
      "org",
      "delete",
      "Beta",
      "--confirm",
      "gamma"
    )
    assert.deepInclude(erased, { organization_id: beta["organization_id"]!, left: { snippets: 0, workspaces: 0 } })
    assert.deepInclude(erased.erased, { members: 1, keys: 1 })
    assert.match((await run("org", "erasure", beta["organization_id"]!.toUpperCase())).out, /1 key of 1 member revoked/)
    assert.match(await refused("org", "show", beta["organization_id"]!), /no organization/)
  })

  it("makes, lists and revokes keys of an organization and of a person", async () => {
    const created = await json<Record<string, string>>(
      ...["key", "create", "--email", "bob@acme.test", "--name", "ci", "--org", organization, "--role", "admin"]
    )
    const own = await json<Record<string, string>>("key", "create", "--email", "eve@home.test", "--name", "mine")
    assert.strictEqual(own["organization_id"], null)
    assert.match(
      await refused("key", "create", "--email", "c@acme.test", "--name", "x", "--org", "Acme"),
      /limit of 2 members/
    )
    const listed = async (...args: ReadonlyArray<string>) =>
      (await json<{ keys: ReadonlyArray<{ id: string }> }>("key", "list", ...args)).keys.map(({ id }) => id)
    assert.include(await listed("--org", "Acme"), created["key_id"])
    assert.deepStrictEqual(await listed("--email", "EVE@home.test"), [own["key_id"]])
    for (const id of [created["key_id"]!, own["key_id"]!]) {
      assert.deepStrictEqual(await json("key", "revoke", id), { success: true, key_id: id })
      assert.match(await refused("key", "revoke", id), /no live key/)
    }
    assert.notInclude(await listed(), created["key_id"])
    assert.deepStrictEqual(await listed("--email", "eve@home.test"), [])
  })

  it("bounds keys, and changes what people may do", async () => {
    const given = ["--email", "bob@acme.test", "--name", "bounded", "--org", "Acme", "--acts-as", "U-1"]
    const expires_at = "2040-01-31T00:00:00.000Z"
    const workspace = "00000000-0000-4000-8000-00000000000A"
    const bounds = ["--expires", "2040-01-31", "--in-workspace", workspace, "--model", "haiku", "--model", "opus"]
    const made = await json<Record<string, unknown>>("key", "create", ...given, "--acts-for", "own", ...bounds)
    const id = String(made["key_id"])
    const told = { acts_for: "own", read_only: false, expires_at, models: ["haiku", "opus"] }
    assert.deepInclude(made, { ...told, role: "admin", acts_as: "U-1", workspaces: [workspace.toLowerCase()] })
    const limited = await json("key", "limit", id, "--read-only", "--acts-for", "any")
    const now = { ...told, acts_for: "any", read_only: true, workspaces: [workspace.toLowerCase()] }
    assert.deepStrictEqual(limited, { success: true, key_id: id, ...now })
    const { keys } = await json<{ keys: ReadonlyArray<{ id: string }> }>("key", "list", "--org", "Acme")
    assert.deepInclude(keys.find((key) => key.id === id) as object, now)
    const table = (await run("key", "list")).out
    assert.match(table, /^ID +NAME +.*ROLE +ACTS FOR +BOUNDS +CREATED +LAST USED +EXPIRES +ORGANIZATION\n/)
    // of a key that nobody has used yet
    assert.match(
      table,
      /bob@acme\.test +admin +any +reads, 1 workspaces, haiku, opus +\S+Z +- +2040-01-31T00:00:00\.000Z /
    )
    assert.match(await refused("key", "limit", id), /No bound/)
    assert.match(await refused("key", "limit", id, "--expires", "2020-01-31"), /over/)
    assert.match(await refused("key", "limit", workspace, "--read-only"), /no live key/)
    assert.match(await refused("key", "create", "--email", "e@f.g", "--name", "x", "--read-only"), /personal key/)

    const { user_id } = await json<{ user_id: string }>("user", "role", "Bob@acme.test", "reader", "--org", "Acme")
    const { users } = await json<{ users: ReadonlyArray<{ user_id: string }> }>("user", "list", "--org", "Acme")
    const bob = users.find((user) => user.user_id === user_id)
    assert.deepInclude(bob as object, { user_email: "bob@acme.test", role: "reader", keys: 1 })
    assert.match(await refused("user", "role", "ada@acme.test", "member", "--org", "Acme"), /answer for it/)
    assert.match(await refused("user", "role", "eve@home.test", "member", "--org", "Acme"), /no user/)
    const people = (await run("user", "list")).out
    assert.match(people, /^ID +E-MAIL +ROLE +KEYS +JOINED +LAST USED +ORGANIZATION\n/)
    assert.match(people, /bob@acme\.test +reader/)
    await json("key", "revoke", id)
  })

  it("says what is wrong on one line", async () => {
    assert.match(await refused("nothing"), /Unknown subcommand/)
    assert.match(await refused("org", "create", "--name", "x", "--tier", "GOLD", "--owner-email", "a@b.c"), /tier/)
    assert.match(await refused("key", "list", "--org", "nobody"), /no organization nobody/)
    assert.match(
      await refused("key", "create", "--email", "a@b.c", "--name", "x", "--org", "Acme", "--personal"),
      /exclude/
    )
    assert.match(await refused("import", "missing.jsonl"), /missing\.jsonl can't be read/)
    assert.match(await refused("replay", "--projection", "nothing"), /nothing/)
    assert.match(await refused("workspace", "log", "nobody"), /no workspace nobody/)
  })

  it("imports the good lines of a file and tells the bad ones", async () => {
    const path = file("mixed.jsonl", [
      JSON.stringify({ id: 7, name: "one", source: "def one():\n    return 1\n", language: "python", tags: ["a"] }),
      "",
      "{not json",
      JSON.stringify({ name: "no source" }),
      JSON.stringify({ source: "nul \0" }),
      '{"source":"half \\ud83d"}',
      JSON.stringify({ source: "x".repeat(1_048_577) }),
      JSON.stringify({ source: "ok = 2  # \u2028 is no end of a line" }),
      JSON.stringify({ source: "x", tags: "a" }),
      JSON.stringify({
        name: "two",
        source: "def two():\n    return 2\n",
        language: "python",
        example_queries: ["get two"]
      })
    ])
    const { code, out, err } = await run("import", path, "--json")
    const answer = JSON.parse(out)
    assert.strictEqual(code, 1)
    assert.match(err, /6 lines could not be stored; 3 snippets stored\.\n$/)
    assert.include(answer, { success: false, lines: 9, stored: 3, merged: 0, unchanged: 0, failed: 6 })
    assert.deepStrictEqual(
      answer.errors.map(({ line }: { line: number }) => line),
      [3, 4, 5, 6, 7, 9]
    )
    assert.match(answer.errors[0].reason, /not valid JSON/)
    assert.match(answer.errors[1].reason, /source is missing/)
    assert.match(answer.errors[2].reason, /NUL/)
    assert.match(answer.errors[4].reason, /larger than 1 MiB/)

    const again = JSON.parse((await run("import", path, "--json")).out)
    assert.include(again, { lines: 9, stored: 0, merged: 0, unchanged: 3, failed: 6, position: "0" })
  })

  it("exports what was imported, and imports it elsewhere", async () => {
    const { out } = await run("export")
    const lines = out.trimEnd().split("\n")
    const one = lines.map((line) => JSON.parse(line)).find(({ name }) => name === "one")
    assert.include(one, { id: "7", source: "def one():\n    return 1\n", language: "python", public: false })
    assert.deepStrictEqual(one.tags, ["a"])
    const { snippets } = await json<{ snippets: ReadonlyArray<object> }>("export")
    assert.strictEqual(snippets.length, 3)

    const path = file("exported.jsonl", lines)
    const there = await json<Record<string, unknown>>("import", path, "--workspace", "client-1", "--public")
    assert.include(there, { stored: 3, failed: 0 })
    const client = await json<{ snippets: ReadonlyArray<{ public: boolean }> }>("export", "--workspace", "client-1")
    assert.deepStrictEqual(
      client.snippets.map((snippet) => snippet.public),
      [true, true, true]
    )
    // the same again at home: other lines, but code that is there
    assert.include(await json<Record<string, unknown>>("import", path), { stored: 0, merged: 3 })
  })

  it("prints events, a page at a time and without secrets", async () => {
    interface Page {
      readonly events: ReadonlyArray<{ position: string; type: string; data: Record<string, unknown> }>
      readonly next_after: string
    }
    const first = await json<Page>("events", "--limit", "2")
    assert.deepStrictEqual(
      first.events.map(({ type }) => type),
      ["OrganizationRegistered", "MemberAdded"]
    )
    assert.notProperty(first.events[0]!.data["text"], "secret")
    const next = await json<Page>("events", "--after", first.next_after, "--limit", "1")
    assert.strictEqual(next.events[0]!.type, "KeyCreated")
    assert.notProperty(next.events[0]!.data, "hash")
    const snippets = await json<Page>("events", "--type", "SnippetUploaded", "--org", "Acme")
    assert.strictEqual(snippets.events.length, 6)
    const none = await json<Page>("events", "--stream", "organization-none")
    assert.deepStrictEqual(none, { events: [], next_after: "0" })
  })

  it("imports no code for everyone of which a secret was told when it was imported before", async () => {
    const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`
    const line = (description: string) => JSON.stringify({ name: "quoll", source: "quoll = 1\n", description })
    await json("import", file("own.jsonl", [line(`Use ${token}.`)]), "--workspace", "client-2")
    const { code, err } = await run(
      "import",
      file("all.jsonl", [line("A quoll.")]),
      "--workspace",
      "client-2",
      "--public"
    )
    assert.strictEqual(code, 1)
    assert.match(err, /^line 1: its code is stored already, .* secret: stored\.description, line 1 \(github/m)
    assert.notInclude(err, token)
    const { snippets } = await json<{ snippets: ReadonlyArray<object> }>("export", "--workspace", "client-2")
    assert.deepInclude(snippets[0], { public: false })
  })
})
