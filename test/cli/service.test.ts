import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import { schemaOf } from "#engine/Projection.ts"
import { Snippets } from "#projections/Snippets/tables.ts"
import { within } from "#src/cli/demo/programs.ts"
import { makeFolder, served } from "./cairn.ts"

interface Found {
  readonly matches: ReadonlyArray<{ readonly code_block: { readonly id: string; readonly name: string } }>
}
interface Noted {
  readonly position: string
  readonly data: { readonly snippets: ReadonlyArray<string>; readonly scores: ReadonlyArray<number | null> }
}
interface Replay {
  readonly success: boolean
  readonly projections: ReadonlyArray<{
    readonly name: string
    readonly promoted: boolean
    readonly differences: ReadonlyArray<{ readonly table: string; readonly id: string; readonly in: string }>
  }>
}

/** The command line beside a running service; `workspace.test.ts` has one that is a process, with its own Postgres. */
describe("cairn, beside a service", () => {
  const folder = makeFolder({ ownPostgres: false })
  const { json, run, refused, file } = folder
  let service: Awaited<ReturnType<typeof served>>

  const search = (task: string) => service.ask<Found>("POST", "/api/retrieve/search", { task })
  const snippet = (name: string, what: string) =>
    JSON.stringify({
      name,
      description: what,
      source: `def ${name}():\n    """${what}"""\n    return "${name}"\n`,
      language: "python"
    })

  beforeAll(async () => {
    service = await served(folder)
  })
  afterAll(async () => {
    // it may not have started
    await (service as typeof service | undefined)?.stop()
    folder.remove()
  })

  it("imports what the service's next search finds", async () => {
    const path = file("a.jsonl", [
      snippet("moon_phase", "Compute the phase of the moon"),
      snippet("tide", "Predict the tide")
    ])
    assert.include(await json<object>("import", path), { stored: 2 })
    assert.strictEqual((await search("phase of the moon")).matches[0]!.code_block.name, "moon_phase")
  })

  it("makes keys that count at once, and revokes them at once", async () => {
    const { key, key_id } = await json<{ key: string; key_id: string }>(
      "key",
      "create",
      "--email",
      "p@q.test",
      "--name",
      "k"
    )
    const asked = () =>
      fetch(`${service.url}/api/retrieve/search`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ task: "anything" })
      })
    assert.strictEqual((await asked()).status, 200)
    await json("key", "revoke", key_id)
    assert.strictEqual((await asked()).status, 401)
  })

  it("publishes nothing where CAIRN_PUBLIC is off, and says so before it stores any", async () => {
    const path = file("shy.jsonl", [snippet("shy", "Hide from everyone")])
    vi.stubEnv("CAIRN_PUBLIC", "off")
    try {
      assert.match(await refused("import", path, "--public"), /nothing can be public here: CAIRN_PUBLIC is off/)
      assert.include(await json<object>("import", path), { success: true, stored: 1, unchanged: 0 })
    } finally {
      vi.unstubAllEnvs()
    }
    const everyones = await fetch(`${service.url}/api/snippets/public/list`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}"
    })
    assert.strictEqual((await everyones.json()).total, 0)
  })

  it("names no deleted snippet in the log that it prints", async () => {
    const path = file("gone.jsonl", [snippet("ebb", "Tell when the tide goes out")])
    await json("import", path)
    const { id } = (await search("Tell when the tide goes out")).matches[0]!.code_block
    const noted = () => json<{ events: ReadonlyArray<Noted> }>("events", "--type", "SearchAnswered", "--limit", "10000")
    const before = await within(30_000, "the search's note", async () =>
      (await noted()).events.find(({ data }) => data.snippets.includes(id))
    )
    await service.ask("POST", "/api/snippets/delete", { snippet_id: id })
    const { events } = await noted()
    assert.notInclude(JSON.stringify(events), id)
    const place = before.data.snippets.indexOf(id)
    const { data } = events.find(({ position }) => position === before.position)!
    assert.deepStrictEqual([data.snippets[place], data.scores[place]], ["deleted", null])
    assert.isNotNull(before.data.scores[place])
    const { out } = await run("events", "--type", "SearchAnswered")
    assert.include(out, "SearchAnswered")
    assert.notInclude(out, id)
  })

  it("finds a row that was tampered with, and mends it", async () => {
    assert.isTrue((await json<Replay>("replay", "--verify")).success)
    await service.sql(`UPDATE ${schemaOf(Snippets)}.snippets SET description = 'forged' WHERE name = 'tide'`)
    await service.sql(
      `DELETE FROM ${schemaOf(Snippets)}.votes WHERE id = (SELECT id FROM ${schemaOf(Snippets)}.snippets WHERE name = 'tide')`
    )
    const { code, out, err } = await run("replay", "--verify")
    assert.strictEqual(code, 1)
    assert.match(out, /snippets: differs from its rebuild/)
    assert.match(out, /snippets [0-9a-f-]{36}: description is "forged", rebuilt "Predict the tide"/)
    assert.match(out, /votes [0-9a-f-]{36}: only in the rebuilt one/)
    assert.match(err, /snippets: not what the log says/)
    const verified = JSON.parse((await run("replay", "--verify", "--projection", "snippets", "--json")).out) as Replay
    assert.deepStrictEqual(
      verified.projections.map(({ name, promoted, differences }) => [name, promoted, differences.length]),
      [["snippets", false, 2]]
    )
    const mended = await json<Replay>("replay", "--projection", "snippets")
    assert.isTrue(mended.projections[0]!.promoted)
    assert.isTrue((await json<Replay>("replay", "--verify")).success)
    assert.strictEqual((await search("predict the tide")).matches[0]!.code_block.name, "tide")
  })

  it("replays while the service reads and writes", async () => {
    let going = true
    let uploads = 0
    const write = async () => {
      while (going) {
        const name = `busy_${uploads++}`
        await service.ask("POST", "/api/store/execution-result", {
          task: `keep busy number ${uploads}`,
          file_written: { path: `${name}.py`, content: `def ${name}():\n    return ${uploads}\n` },
          succeeded: true
        })
        // within a second, unless the machine has much else to do
        await within(60_000, `finding ${name}`, async () =>
          (await search(`keep busy number ${uploads}`)).matches.find(({ code_block }) => code_block.name === name)
        )
        if (uploads % 3 === 0) await service.ask("POST", "/api/snippets/delete", { snippet_id: name })
        // as much as replays are to meet, and no more
        await new Promise((resolve) => setTimeout(resolve, 300))
      }
    }
    const writing = write()
    // it is awaited below, perhaps long after it failed
    writing.catch(() => {})
    try {
      for (let round = 0; round < 3; round++) {
        const { success, projections } = await json<Replay>("replay")
        assert.isTrue(success)
        assert.deepStrictEqual(
          projections.flatMap(({ differences }) => differences),
          []
        )
      }
      assert.isTrue((await json<Replay>("replay", "--verify")).success)
    } finally {
      going = false
      await writing
    }
    assert.isTrue((await json<Replay>("replay", "--verify")).success)
  })

  it("shows workspaces", async () => {
    const source = "echo hello from the tide table\n"
    const path = file("b.jsonl", [
      JSON.stringify({ name: "tide_table", description: "Print the tide table", source, language: "bash" })
    ])
    await json("import", path)
    const chat = await service.ask<{ workspace_id: string; commit: string; success: boolean }>(
      "POST",
      "/api/agent-chat",
      {
        user_query: "print the tide table",
        user_id: "ann",
        org_id: "sea",
        model: "local"
      }
    )
    assert.isTrue(chat.success)
    const { workspace_id: id, commit } = chat
    const { workspaces } = await json<{ workspaces: ReadonlyArray<object> }>("workspace", "list")
    assert.match((await run("workspace", "list")).out, /BY +HEAD\n.* owner@cairn\.local +/)
    assert.strictEqual(workspaces.length, 1)
    assert.include(workspaces[0], {
      workspace_id: id,
      org_id: "sea",
      user_id: "ann",
      head: commit,
      commits: 1,
      files: 1
    })
    const { commits } = await json<{ commits: ReadonlyArray<object> }>(
      "workspace",
      "log",
      "--org-id",
      "sea",
      "--user-id",
      "ann"
    )
    assert.include(commits[0], { sha: commit })
    const { files } = await json<{ files: ReadonlyArray<{ path: string; size: number }> }>("workspace", "files", id)
    assert.include(workspaces[0], { repository_bytes: files[0]!.size })
    assert.deepStrictEqual(
      files.map(({ path }) => path),
      ["tide_table.sh"]
    )
    assert.match((await run("workspace", "diff", id)).out, /\+echo hello from the tide table/)
    assert.strictEqual((await run("workspace", "cat", id, "tide_table.sh", "--at", commit)).out, source)
    assert.strictEqual(
      (await run("workspace", "cat", "--org-id", "sea", "--user-id", "ann", "tide_table.sh")).out,
      source
    )
    assert.match(await refused("workspace", "cat", id, "nothing"), /no file nothing/)
  })
})
