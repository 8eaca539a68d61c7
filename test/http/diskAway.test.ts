import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { says } from "#test/MessagesApi.ts"
import { asked, chat, ended, scripts, service, startsAgent, turnOf, write } from "./agent.ts"

startsAgent()

/** What is waited for comes at a next try of the service: each may take ten seconds where much else is at work. */
const patient = { timeout: 240_000 }

const folder = () => join(service.dataDir, "workspaces")
const takeAway = () => renameSync(folder(), `${folder()}.away`)
const bringBack = () => renameSync(`${folder()}.away`, folder())
/** A second try of a test has users and prompts of its own: what the first one has left is none of its business. */
const own = (name: string) => `${name} ${tries}`
let tries = 0
beforeEach(() => {
  tries++
})
afterEach(() => {
  if (existsSync(`${folder()}.away`)) bringBack()
})

const typesOf = async (run: string) =>
  (
    await service.sql<{ type: string }>(
      "SELECT type FROM events WHERE correlation_id = $1::uuid AND type NOT LIKE 'WorkspaceOpened' ORDER BY position",
      [run]
    )
  ).map(({ type }) => type)

/** The run of the only chat that has this prompt's user, once the log has its end. */
const endOf = (user: string) =>
  vi.waitFor(async () => {
    const { json } = await service.call("GET", "/api/workspaces")
    const found = json.workspaces.find(({ user_id }: { user_id: string }) => user_id === user)
    assert.strictEqual(found?.commits, 1)
    return found
  }, patient)

describe("while the workspaces' folder is away", () => {
  it("a chat is told to come again, makes nothing in its place, and ends without a restart when it is back", async () => {
    const [prompt, user] = [own("away at first"), own("early")]
    scripts.set(prompt, (turn) => (turn === 1 ? write("a.txt") : says("Done.")))
    takeAway()
    const { status, json, headers } = await chat(service.call, prompt, user)
    assert.deepStrictEqual([status, json.code], [503, "unavailable/workspaces"])
    assert.match(headers.get("retry-after") ?? "", /^\d+$/)
    assert.isFalse(existsSync(folder()))
    bringBack()
    // by itself, also when nobody asks again
    await endOf(user)
    const again = await ended(service.call, prompt, user)
    assert.deepStrictEqual([again.success, again.changed_files], [true, ["a.txt"]])
    assert.deepStrictEqual(asked(prompt).map(turnOf), [1, 2])
    assert.deepStrictEqual(await typesOf(again.session_id), [
      ...["ChatRequested", "ChatStarted", "ModelTurned", "ToolsRan", "ModelTurned", "ChatCompleted"]
    ])
    assert.isTrue(service.log.some((line) => line.includes("a run can't go on yet") && line.includes("ENOENT")))
  })

  it("a run that was at work asks the model for no step again", async () => {
    const [prompt, user] = [own("away meanwhile"), own("midway")]
    await ended(service.call, "make a beginning", user)
    scripts.set(prompt, (turn) => {
      if (turn === 1) takeAway()
      return turn === 1 ? write("b.txt") : says("Done.")
    })
    const { status } = await chat(service.call, prompt, user)
    assert.strictEqual(status, 503)
    bringBack()
    const again = await ended(service.call, prompt, user)
    assert.deepStrictEqual([again.success, again.changed_files], [true, ["b.txt"]])
    assert.deepStrictEqual(asked(prompt).map(turnOf), [1, 2])
  })

  it("commits, clones and erasures are told to come again, and an erasure is carried out when it is back", async () => {
    const { workspace_id: id } = await ended(service.call, "something to lose", own("doomed"))
    takeAway()
    for (const path of [`/api/workspaces/${id}/commits`, `/git/${id}.git/info/refs?service=git-upload-pack`]) {
      const { status, json } = await service.call("GET", path)
      assert.deepStrictEqual([status, json.code], [503, "unavailable/workspaces"], path)
    }
    const erasing = await service.call("DELETE", `/api/workspaces/${id}`)
    assert.deepStrictEqual([erasing.status, erasing.json.code], [503, "unavailable/workspaces"])
    bringBack()
    await vi.waitFor(() => assert.isFalse(existsSync(join(folder(), `${id}.git`))), patient)
  })

  it("an empty folder in its place, as a disk leaves that is not mounted, takes nothing", async () => {
    const user = own("unmounted")
    takeAway()
    mkdirSync(folder())
    const { status } = await chat(service.call, "into nowhere", user)
    assert.strictEqual(status, 503)
    assert.deepStrictEqual(readdirSync(folder()), [])
    rmdirSync(folder())
    bringBack()
    await endOf(user)
  })
})

describe("while one repository can't be written", () => {
  const leftOut = async () => {
    const { json } = await service.call("GET", "/ready")
    return json.left_out.streams as ReadonlyArray<string>
  }

  it("its ref waits, named by /ready, others go on, and it follows its log when it is mended", async () => {
    const user = own("broken")
    scripts.set("first", (turn) => (turn === 1 ? write("a.txt") : says("Done.")))
    const { workspace_id: id, commit } = await ended(service.call, "first", user)
    scripts.set("second", (turn) => (turn === 1 ? write("b.txt") : says("Done.")))
    await ended(service.call, "second", user)
    const gitdir = join(folder(), `${id}.git`)
    renameSync(join(gitdir, "refs"), join(gitdir, "refs.away"))
    writeFileSync(join(gitdir, "refs"), "a disk's idea of a folder")

    const { status, json } = await service.call("POST", `/api/workspaces/${id}/restore`, { commit })
    assert.deepStrictEqual([status, json.code], [503, "unavailable/workspaces"])
    await vi.waitFor(async () => assert.include(await leftOut(), `workspace-${id}`), patient)
    scripts.set("beside it", (turn) => (turn === 1 ? write("c.txt") : says("Done.")))
    const other = await ended(service.call, "beside it", own("whole"))
    assert.deepStrictEqual(other.changed_files, ["c.txt"])

    rmSync(join(gitdir, "refs"))
    renameSync(join(gitdir, "refs.away"), join(gitdir, "refs"))
    await vi.waitFor(async () => assert.notInclude(await leftOut(), `workspace-${id}`), patient)
    const files = (await service.call("GET", `/api/workspaces/${id}/tree`)).json.files
    assert.deepStrictEqual(
      files.map(({ path }: { readonly path: string }) => path),
      ["a.txt"]
    )
    const { workspaces } = (await service.call("GET", "/api/workspaces")).json
    const { head } = workspaces.find(({ workspace_id }: { readonly workspace_id: string }) => workspace_id === id)
    const ref = readFileSync(join(gitdir, "refs", "heads", "main"), "utf8").trim()
    assert.strictEqual(ref, head)
  })
})
