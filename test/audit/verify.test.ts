import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { assert, describe, it, vi } from "vitest"
import { ReadModels } from "#engine/ports/ReadModels.ts"
import type { Finding } from "#src/audit/findings.ts"
import { verify } from "#src/audit/verify.ts"
import { audit } from "#src/layers.ts"
import { projections } from "#src/readModels.ts"
import { commitsOf, ended, scripts, service, startsAgent, write } from "#test/http/agent.ts"
import { remove, stored } from "#test/http/store.ts"
import { git, noGit } from "#test/infra/git/git.ts"
import { says } from "#test/MessagesApi.ts"
import { memberKey } from "#test/service/tenants.ts"

const look = () =>
  service.run(verify(projections, () => undefined).pipe(Effect.provide(audit({ dataDir: service.dataDir }))))

/** The findings, in short. */
const found = async () => {
  const { findings, found } = await look()
  assert.strictEqual(found, findings.length)
  return findings
}
const checks = (findings: ReadonlyArray<Finding>) => findings.map(({ position, check }) => [position, check])

const change = (statement: string, ...parameters: ReadonlyArray<unknown>) => service.sql(statement, parameters)
const positionOf = async (type: string): Promise<number> => {
  const [row] = await service.sql<{ position: bigint }>(
    "SELECT max(position) AS position FROM events WHERE type = $1",
    [type]
  )
  return Number(row!.position)
}

describe("verify", () => {
  startsAgent()
  let workspace: string
  let gitdir: string

  it("finds nothing in a store that is as it was written, with erased text and git", async () => {
    await stored(service.call, "kept")
    const member = await memberKey(service.call, "max@example.org")
    const { keys } = (await service.call("POST", "/api/keys/org/list")).json
    const { user_id } = keys.find(({ id }: { id: string }) => id === member.id)
    assert.strictEqual((await service.call("DELETE", `/api/users/${user_id}`)).status, 200)
    for (const turn of ["one", "two"]) {
      scripts.set(turn, (at) => (at === 1 ? write(`${turn}.txt`, turn) : says("Done.")))
      workspace = (await ended(service.call, turn, "w")).workspace_id
    }
    gitdir = join(service.dataDir, "workspaces", `${workspace}.git`)
    const { findings, ...verified } = await look()
    assert.deepStrictEqual(findings, [])
    assert.deepInclude(verified, { found: 0, erased: 2, undigested: 0, workspaces: 1, commits: 2, refsBehind: 0 })
    assert.strictEqual(verified.events, verified.position)
  })

  it("finds an event that is gone, in the midst and at the end", async () => {
    const position = await positionOf("SnippetUploaded")
    await change("CREATE TABLE saved AS SELECT * FROM events WHERE position = $1", position)
    await change("DELETE FROM events WHERE position = $1", position)
    const findings = await found()
    await change("INSERT INTO events SELECT * FROM saved")
    assert.deepInclude(checks(findings), [position, "position"])
    // what was said of it is there without it
    assert.deepInclude(checks(findings), [null, "text"])

    const head = await service.head()
    await change("TRUNCATE saved")
    await change("INSERT INTO saved SELECT * FROM events WHERE position = $1", head)
    await change("DELETE FROM events WHERE position = $1", head)
    const cut = await found()
    await change("INSERT INTO events SELECT * FROM saved")
    assert.deepInclude(checks(cut), [head, "position"])
    assert.deepStrictEqual(await found(), [])
  })

  it("finds what was changed in an event, whatever it is", async () => {
    const position = await positionOf("MemberErased")
    const before = "SELECT * FROM events WHERE position = $1"
    const [row] = await service.sql<Record<string, unknown>>(before, [position])
    for (const [column, value] of [
      ["data", String(row!["data"]).replace("user/", "user/x")],
      ["type", "KeyRevoked"],
      ["actor_user", "somebody"],
      ["recorded_at", new Date("2020-01-01")],
      ["data", "{"]
    ] as const) {
      await change(`UPDATE events SET ${column} = $2 WHERE position = $1`, position, value)
      const findings = await found()
      await change(`UPDATE events SET ${column} = $2 WHERE position = $1`, position, row![column])
      assert.deepInclude(checks(findings), [position, "digest"], column)
    }
    await change("UPDATE events SET digest = NULL WHERE position = $1", position)
    assert.deepStrictEqual(checks(await found()), [[position, "digest"]])
    await change("UPDATE events SET digest = $2 WHERE position = $1", position, row!["digest"])
    await change("UPDATE events SET command_id = gen_random_uuid() WHERE position = $1", position)
    assert.deepInclude(checks(await found()), [position, "event_id"])
    await change("UPDATE events SET command_id = $2 WHERE position = $1", position, row!["command_id"])
    await change("UPDATE events SET revision = revision + 1 WHERE position = $1", position)
    assert.deepInclude(checks(await found()), [position, "revision"])
    await change("UPDATE events SET revision = revision - 1 WHERE position = $1", position)
    assert.deepStrictEqual(await found(), [])
  })

  it("finds a text that was changed, is missing, lies elsewhere, or is there although it was erased", async () => {
    const position = await positionOf("SnippetUploaded")
    const which = "id = (SELECT event_id FROM events WHERE position = $1)"
    await change(`CREATE TABLE texts AS SELECT * FROM payloads WHERE ${which}`, position)
    for (const damage of [
      `UPDATE payloads SET bytes = set_byte(bytes, 5, 255 - get_byte(bytes, 5)) WHERE ${which}`,
      `UPDATE payloads SET subject = 'another' WHERE ${which}`,
      `DELETE FROM payloads WHERE ${which}`
    ]) {
      await change(damage, position)
      assert.deepStrictEqual(checks(await found()), [[position, "text"]], damage)
      await change(`DELETE FROM payloads WHERE ${which}`, position)
      await change("INSERT INTO payloads SELECT * FROM texts")
    }
    await change("INSERT INTO erasures SELECT tenant, subject, 1 FROM texts")
    assert.deepInclude(checks(await found()), [position, "text"])
    await change("DELETE FROM erasures x USING texts t WHERE x.subject = t.subject")
    assert.deepStrictEqual(await found(), [])
  })

  it.skipIf(noGit)("finds a git object that is gone, and one that was changed", async () => {
    const [newest] = await commitsOf(workspace)
    const loose = (sha: string) => join(gitdir, "objects", sha.slice(0, 2), sha.slice(2))
    const position = await positionOf("ChatCompleted")
    const reached = git(gitdir, ["rev-list", "--objects", "main"]).trim().split("\n")
    for (const name of reached.map((line) => line.slice(0, 40))) {
      const path = loose(name)
      const bytes = readFileSync(path)
      rmSync(path)
      const gone = await found()
      writeFileSync(path, Buffer.from("no git object"))
      const changed = await found()
      rmSync(path)
      writeFileSync(path, bytes)
      if (name === newest!.sha) assert.deepInclude(checks(gone), [position, "commit"])
      assert.isNotEmpty(gone, `${name} gone`)
      assert.isNotEmpty(changed, `${name} changed`)
    }
    assert.deepStrictEqual(await found(), [])
  })

  it("finds a ref that is not at the log's head", async () => {
    const [newest, older] = await commitsOf(workspace)
    const path = join(gitdir, "refs", "heads", "main")
    writeFileSync(path, `${older!.sha}\n`)
    const findings = await found()
    writeFileSync(path, `${newest!.sha}\n`)
    assert.deepStrictEqual(
      findings.map(({ check }) => check),
      ["ref"]
    )
    assert.include(findings[0]!.message, newest!.sha)
    assert.deepStrictEqual(await found(), [])
  })

  it("finds a repository that should have gone with its workspace", async () => {
    scripts.set("short", (turn) => (turn === 1 ? write("gone.txt") : says("Done.")))
    const { workspace_id } = await ended(service.call, "short", "gone")
    const before = join(service.dataDir, "workspaces", `${workspace_id}.git`)
    const copy = `${service.dataDir}/copy.git`
    cpSync(before, copy, { recursive: true })
    assert.strictEqual((await service.call("DELETE", `/api/workspaces/${workspace_id}`)).status, 200)
    assert.deepStrictEqual(await found(), [])
    await vi.waitFor(async () => {
      const reached = await service.run(Effect.flatMap(ReadModels, (models) => models.reaction("remove_repositories")))
      assert.isAtLeast(reached, await service.head())
    }, 60_000)
    cpSync(copy, before, { recursive: true })
    const findings = await found()
    assert.deepStrictEqual(checks(findings), [[await positionOf("WorkspaceErased"), "git"]])
    rmSync(before, { recursive: true })
    assert.deepStrictEqual(await found(), [])
  })

  it("finds nothing beside a service that writes, erases and commits", async () => {
    let done = false
    const busy = async () => {
      for (let i = 0; i < 5; i++) {
        const name = `busy_${i}`
        await stored(service.call, name)
        assert.strictEqual((await remove(service.call, name)).status, 200)
        scripts.set(name, (turn) => (turn === 1 ? write(`${name}.txt`) : says("Done.")))
        await ended(service.call, name, `w${i % 2}`)
      }
    }
    const writing = busy().finally(() => {
      done = true
    })
    const seen: Array<Finding> = []
    while (!done) seen.push(...(await found()))
    await writing
    assert.deepStrictEqual([...seen, ...(await found())], [])
  })
})
