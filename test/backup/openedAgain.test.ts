import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { from, rowsOf, run } from "#test/copy/command.ts"
import { model } from "#test/copy/filled.ts"
import { commitsOf, ended } from "#test/http/agent.ts"
import { remove, stored } from "#test/http/store.ts"
import { type MessagesApi, startMessagesApi } from "#test/MessagesApi.ts"
import { freshDatabase } from "#test/postgres.ts"
import {
  newInstallation,
  ownerKey,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"

const erasures = "SELECT tenant, subject, position::int FROM erasures ORDER BY tenant, subject"

describe("a workspace that was erased and opened again before a backup", () => {
  let api: MessagesApi
  let original: TestInstallation
  let service: Service | undefined
  const places: Array<string> = []
  const place = () => {
    const folder = mkdtempSync(join(tmpdir(), "cairn-again-"))
    places.push(folder)
    return folder
  }
  const environment = () => ({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url })
  const done = async (env: { readonly [name: string]: string }, ...args: ReadonlyArray<string>) => {
    const { code, out, err } = await run(env, ...args, "--json")
    assert.strictEqual(code, 0, err)
    return JSON.parse(out)
  }
  const restored = async (...args: ReadonlyArray<string>) => {
    const target = { database: await Effect.runPromise(freshDatabase), dataDir: place() }
    assert.deepInclude(await done(from(target.database, target.dataDir), "restore", ...args), {
      success: true,
      number: 1,
      found: 0
    })
    return target
  }
  /** Whether there are texts of the snippet that was removed, and of the chat in the workspace opened again. */
  const texts = async ({ database }: TestInstallation) => {
    const rows = await rowsOf<{ text: string }>(database, "SELECT convert_from(bytes, 'UTF8') AS text FROM payloads")
    return ["def gone(", '"since"'].map((word) => rows.some(({ text }) => text.includes(word)))
  }
  /** The repositories of the restored place, the owners of its workspaces, and the commits of one of these. */
  const answers = async (target: TestInstallation, workspace: string) => {
    service = await startService(environment(), target)
    try {
      const { json } = await service.call("GET", "/api/workspaces")
      const users: ReadonlyArray<string> = json.workspaces.map(({ user_id }: { user_id: string }) => user_id)
      const commits = users.includes("ada") ? await commitsOf(workspace, service.call) : []
      const repositories = readdirSync(join(target.dataDir, "workspaces")).filter((name) => name.endsWith(".git"))
      return { users, repositories, commits }
    } finally {
      await service.stop()
      service = undefined
    }
  }

  beforeAll(async () => {
    api = await startMessagesApi(model)
    original = await newInstallation()
  })
  afterAll(async () => {
    await service?.stop()
    await api.close()
    removeInstallation(original)
    for (const folder of places) rmSync(folder, { recursive: true, force: true })
  })

  it("is restored with what it has had since, from one file and from a folder with another one's erasures; what was erased after the backup is not", async () => {
    service = await startService(environment(), original)
    const { call, url } = service
    const files = { CAIRN_URL: url, CAIRN_API_KEY: ownerKey }
    const here = from(original.database, original.dataDir)
    const folder = place()
    const [old, newer, newest] = ["old.tar", "newer.tar", "newest.tar"].map((name) => join(folder, name))
    const [first, successor] = [join(folder, "first"), join(folder, "successor")]
    const erase = async (id: string) => assert.strictEqual((await call("DELETE", `/api/workspaces/${id}`)).status, 200)

    await stored(call, "gone")
    assert.strictEqual((await remove(call, "gone")).status, 200)
    const { workspace_id: adas } = await ended(call, "before", "ada")
    await erase(adas)
    assert.strictEqual((await ended(call, "since", "ada")).workspace_id, adas)
    const { workspace_id: zoes } = await ended(call, "another", "zoe")
    const commits = await commitsOf(adas, call)
    const erasedBefore = await service.sql(erasures)
    await done(files, "backup", old!)
    await done(here, "backup", first)
    await erase(zoes)
    await done(files, "backup", newer!)
    await done(here, "backup", successor)
    // the numbers of a folder go on; another one's begin anew
    const [name] = readdirSync(join(successor, "erasures"))
    copyFileSync(join(successor, "erasures", name!), join(first, "erasures", name!.replace("000001", "000002")))
    await erase(adas)
    await done(files, "backup", newest!)
    await service.stop()
    service = undefined

    for (const args of [[old!, "--erasures", newer!], [first]]) {
      const target = await restored(...args)
      assert.deepStrictEqual(await texts(target), [false, true])
      const expected = { users: ["ada"], repositories: [`${adas}-1.git`], commits }
      assert.deepStrictEqual(await answers(target, adas), expected, args[0])
      // what the backup's own log has erased was erased by the events that say so
      assert.includeDeepMembers([...(await rowsOf(target.database, erasures))], [...erasedBefore], args[0])
    }
    const later = await restored(old!, "--erasures", newest!)
    assert.deepStrictEqual(await texts(later), [false, false])
    assert.deepStrictEqual(await answers(later, adas), { users: [], repositories: [], commits: [] })
  }, 600_000)
})
