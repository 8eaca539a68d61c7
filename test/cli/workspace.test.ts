import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { type Running, serve } from "#src/cli/demo/programs.ts"
import { makeFolder } from "./cairn.ts"

interface Chat {
  readonly workspace_id: string
  readonly commit: string
  readonly workspace_files: ReadonlyArray<string>
}
interface Restored {
  readonly success: boolean
  readonly commit: string
}
interface Log {
  readonly commits: ReadonlyArray<{ readonly sha: string; readonly session_id: string | null }>
  readonly next_before: string | null
}

/** `cairn workspace restore` and `erase`, first beside a running service, then without one. */
describe("cairn workspace", () => {
  const folder = makeFolder()
  const { json, refused, file } = folder
  let service: Running | undefined
  afterAll(async () => {
    await service?.stop()
    folder.remove()
  })

  const names = ["tide_table", "moon_phase"]
  const imported = () =>
    json(
      "import",
      file(
        "a.jsonl",
        names.map((name) => {
          const words = name.replace("_", " ")
          const source = `echo the ${words} of today\n`
          return JSON.stringify({ name, description: `Print the ${words}`, source, language: "bash" })
        })
      )
    )
  const chat = (name: string) =>
    service!.ask<Chat>("POST", "/api/agent-chat", {
      user_query: `print the ${name.replace("_", " ")}`,
      user_id: "ann",
      org_id: "sea",
      model: "local"
    })
  /** Who made the last commit of the one workspace that there is. */
  const lastBy = async () =>
    (await json<{ workspaces: ReadonlyArray<{ updated_by: object }> }>("workspace", "list")).workspaces[0]!.updated_by
  const repositories = () => readdirSync(join(folder.dataDir, "workspaces")).filter((name) => name.endsWith(".git"))

  it("restores and erases beside a service, which sees it at once", async () => {
    service = await serve(folder.dataDir)
    await imported()
    const [first, second] = [await chat("tide_table"), await chat("moon_phase")]
    const id = first.workspace_id
    assert.sameMembers([...second.workspace_files], ["moon_phase.sh", "tide_table.sh"])
    const restored = await json<Restored>("workspace", "restore", id, first.commit)
    assert.isTrue(restored.success)
    const { files } = await service.ask<{ files: ReadonlyArray<{ path: string }> }>("GET", `/api/workspaces/${id}/tree`)
    assert.deepStrictEqual(
      files.map(({ path }) => path),
      ["tide_table.sh"]
    )
    // what a list shows of them is enough to name them
    const { out } = await folder.run("workspace", "list")
    assert.include(out, restored.commit.slice(0, 12))
    // with no key, nobody else than the operator
    const nobody = { key_id: null, user_id: null, organization_id: null, email: null }
    assert.deepStrictEqual(await lastBy(), nobody)
    const digits = id.slice(0, 8).toUpperCase()
    const shown = await json<{ sha: string }>("workspace", "files", digits, "--at", first.commit.slice(0, 12))
    assert.strictEqual(shown.sha, first.commit)
    assert.match(await refused("workspace", "files", id, "--at", first.commit.slice(0, 3)), /no commit/)
    const pair = ["--org-id", "sea", "--user-id", "ann"]
    assert.deepStrictEqual(await json<Restored>("workspace", "restore", ...pair, first.commit), restored)
    assert.match(await refused("workspace", "restore", id, "f".repeat(40)), /no commit f/)
    assert.match(await refused("workspace", "restore", "nobody", first.commit), /no workspace nobody/)
    const { commits } = await json<Log>("workspace", "log", id)
    assert.deepStrictEqual(
      commits.map(({ sha, session_id }) => [sha, session_id !== null]),
      [
        [restored.commit, false],
        [second.commit, true],
        [first.commit, true]
      ]
    )

    assert.include(await json<object>("workspace", "erase", id), {
      success: true
    })
    assert.deepStrictEqual(repositories(), [])
    const { workspaces } = await service.ask<{ workspaces: ReadonlyArray<object> }>("GET", "/api/workspaces")
    assert.isEmpty(workspaces)
    assert.match(await refused("workspace", "erase", id), /no workspace/)
    assert.match(await refused("workspace", "log", id), /no workspace/)
    const anew = await chat("tide_table")
    assert.deepStrictEqual([anew.workspace_id, ...anew.workspace_files], [id, "tide_table.sh"])
    assert.strictEqual((await json<Log>("workspace", "log", ...pair)).commits.length, 1)
  })

  it("imports a folder and an archive beside a service, into a workspace that it makes", async () => {
    const source = join(folder.dataDir, "..", `${basename(folder.dataDir)}-source`)
    mkdirSync(join(source, ".git"), { recursive: true })
    mkdirSync(join(source, "lib"))
    writeFileSync(join(source, ".git", "config"), "x")
    writeFileSync(join(source, "lib", "a.py"), "a = 1\n")
    writeFileSync(join(source, "run.sh"), "#!/bin/sh\n", { mode: 0o755 })
    symlinkSync("lib/a.py", join(source, "link"))
    const pair = ["--org-id", "sea", "--user-id", "imported"]
    interface Imported {
      readonly workspace_id: string
      readonly commit: string
      readonly created: number
      readonly deleted: number
    }
    try {
      const first = await json<Imported>("workspace", "import", source, ...pair)
      assert.strictEqual(first.created, 3)
      const id = first.workspace_id
      type Files = { files: ReadonlyArray<{ path: string; mode: string }> }
      const filesOf = async () =>
        (await service!.ask<Files>("GET", `/api/workspaces/${id}/tree`)).files.map(({ path, mode }) => [path, mode])
      assert.deepStrictEqual(await filesOf(), [
        ["lib/a.py", "100644"],
        ["link", "120000"],
        ["run.sh", "100755"]
      ])
      // the same changes nothing
      assert.strictEqual((await json<Imported>("workspace", "import", source, ...pair)).commit, first.commit)
      const archive = join(source, "..", `${basename(source)}.tgz`)
      execFileSync("tar", ["-czf", archive, "-C", source, "--exclude=.git", "./lib", "./link"])
      const second = await json<Imported>("workspace", "import", id, archive, "--path", "in", "--replace")
      assert.deepInclude(second, { created: 2, deleted: 0 })
      assert.deepStrictEqual((await filesOf())[0], ["in/lib/a.py", "100644"])
      const { commits } = await json<Log>("workspace", "log", id)
      assert.deepStrictEqual(commits.map(({ sha }) => sha).slice(0, 2), [second.commit, first.commit])
      // a link that leads out is refused as a whole
      symlinkSync("/etc/passwd", join(source, "out"))
      assert.match(await refused("workspace", "import", source, ...pair), /leads out/)
      assert.match(await refused("workspace", "import", join(source, "nothing"), ...pair), /no /)
      assert.match(await refused("workspace", "import", "nobody", source), /no workspace nobody/)
      assert.match(await refused("workspace", "import", id, archive, "--path", "../x"), /path can't be/)
      assert.strictEqual((await json<Log>("workspace", "log", id)).commits.length, commits.length)
      rmSync(archive)
      await json("workspace", "erase", id)
    } finally {
      rmSync(source, { recursive: true, force: true })
    }
  })

  it("does the same without a service", async () => {
    const [first, second] = [await chat("moon_phase"), await chat("tide_table")]
    const id = first.workspace_id
    await service!.stop()
    service = undefined
    assert.deepInclude(await lastBy(), { email: "owner@cairn.local" })
    assert.match((await folder.run("workspace", "list")).out, /BY +HEAD\n.* owner@cairn\.local +/)
    const before = (await json<Log>("workspace", "log", id)).commits.at(-1)!.sha
    const restored = await json<Restored>("workspace", "restore", id, before)
    const { commits } = await json<Log>("workspace", "log", id)
    assert.strictEqual(commits[0]!.sha, restored.commit)
    assert.notInclude([first.commit, second.commit], restored.commit)
    const newest = await json<Log>("workspace", "log", id, "--limit", "1")
    assert.deepStrictEqual([newest.commits, newest.next_before], [commits.slice(0, 1), restored.commit])
    assert.match(await refused("workspace", "log", id, "--limit", "0"), /expected a number from 1/)
    // page by page, each behind the one before, to the first commit
    const listed: Array<string> = []
    for (let next: string | null = commits[0]!.sha; next !== null; ) {
      const page: Log = await json<Log>("workspace", "log", id, "--limit", "1", "--before", next.slice(0, 12))
      listed.push(...page.commits.map(({ sha }) => sha))
      next = page.next_before
    }
    assert.deepStrictEqual(
      listed,
      commits.slice(1).map(({ sha }) => sha)
    )
    const { out, err } = await folder.run("workspace", "log", id, "--limit", "1")
    assert.strictEqual(out.trim().split("\n").length, 1)
    assert.include(err, `Earlier ones: --before ${restored.commit}`)
    const at = await json<Log>("workspace", "log", id, "--at", commits[1]!.sha)
    assert.deepStrictEqual(at.commits, commits.slice(1))
    const ofFile = await json<Log>("workspace", "log", id, "--path", "moon_phase.sh")
    assert.isNotEmpty(ofFile.commits)
    for (const { sha } of ofFile.commits) {
      const { diff } = await json<{ diff: string }>("workspace", "diff", id, "--at", sha)
      assert.include(diff, "moon_phase.sh")
    }
    const others = commits.filter(({ sha }) => !ofFile.commits.some((one) => one.sha === sha))
    for (const { sha } of others) {
      const { diff } = await json<{ diff: string }>("workspace", "diff", id, "--at", sha)
      assert.notInclude(diff, "moon_phase.sh")
    }
    assert.match(
      await refused("workspace", "log", id, "--at", before, "--before", before),
      /--at goes with no --before/
    )
    assert.match(await refused("workspace", "log", id, "--before", "f".repeat(40)), /no commit f/)
    const { erased } = await json<{ erased: object }>("workspace", "erase", id)
    assert.deepStrictEqual(erased, { commits: commits.length, chats: commits.length - 1, files: 1 })
    assert.deepStrictEqual(repositories(), [])
    assert.match(await refused("workspace", "restore", id, before), /no workspace/)
    assert.isTrue(existsSync(folder.dataDir))
    assert.isTrue((await json<{ success: boolean }>("replay", "--verify")).success)
  })
})
