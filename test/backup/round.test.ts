import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { generateX25519Identity, identityToRecipient } from "age-encryption"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { from, rowsOf, run } from "#test/copy/command.ts"
import { fill, model, seen, sees } from "#test/copy/filled.ts"
import { ended } from "#test/http/agent.ts"
import { matches, remove, stored } from "#test/http/store.ts"
import { noGit } from "#test/infra/git/git.ts"
import { type MessagesApi, startMessagesApi } from "#test/MessagesApi.ts"
import { freshDatabase } from "#test/postgres.ts"
import { organization } from "#test/service/tenants.ts"
import {
  newInstallation,
  ownerKey,
  removeInstallation,
  type Service,
  startService,
  type TestInstallation
} from "#test/service.ts"

const git = promisify(execFile)

/** Pushes two commits on top of a workspace's head: the log names the last of them alone. */
const pushed = async (url: string, id: string) => {
  const clone = mkdtempSync(join(tmpdir(), "cairn-clone-"))
  const run = (...args: ReadonlyArray<string>) =>
    git("git", ["-C", clone, "-c", "user.name=n", "-c", "user.email=n@n", ...args])
  try {
    await run("clone", "-q", `${url.replace("//", `//x:${ownerKey}@`)}/git/${id}.git`, ".")
    for (const name of ["first.txt", "second.txt"]) {
      writeFileSync(join(clone, name), name)
      await run("add", "-A")
      await run("commit", "-q", "-m", name)
    }
    await run("push", "-q", "origin", "HEAD:main")
  } finally {
    rmSync(clone, { recursive: true, force: true })
  }
}

/** Whatever was decided; searches are noted in the background, and so are keys. */
const counting = `SELECT type, count(*)::int AS count FROM events
  WHERE type NOT IN ('SearchAnswered', 'KeyUsed') GROUP BY type ORDER BY type`

describe("backups of a service that runs", () => {
  let api: MessagesApi
  let service: Service | undefined
  const places: Array<string> = []
  const place = () => {
    const folder = mkdtempSync(join(tmpdir(), "cairn-backup-"))
    places.push(folder)
    return folder
  }
  const environment = () => ({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url })
  const empty = async (): Promise<TestInstallation> => ({
    database: await Effect.runPromise(freshDatabase),
    dataDir: place()
  })
  const at = ({ database, dataDir }: TestInstallation) => from(database, dataDir)
  const backed = async (installation: TestInstallation, folder: string, env: object = {}) => {
    const ran = await run({ ...at(installation), ...env }, "backup", folder, "--json")
    assert.strictEqual(ran.code, 0, ran.err)
    return JSON.parse(ran.out)
  }
  const restored = async (
    installation: TestInstallation,
    folder: string,
    env: object = {},
    ...more: ReadonlyArray<string>
  ) => {
    const ran = await run({ ...at(installation), ...env }, "restore", folder, "--json", ...more)
    assert.strictEqual(ran.code, 0, ran.err)
    return JSON.parse(ran.out)
  }
  const refused = async (installation: TestInstallation, verb: string, folder: string, env: object = {}) => {
    const { code, err } = await run({ ...at(installation), ...env }, verb, ...(folder === "" ? [] : [folder]))
    assert.strictEqual(code, 1)
    assert.strictEqual(err.trimEnd().split("\n").length, 1, err)
    return err
  }

  let original: TestInstallation
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

  it("are restored into an empty place, which answers as before and does nothing again; what was erased since stays erased", async () => {
    service = await startService(environment(), original)
    const { call } = service
    await fill(service)
    const gone = await organization(service, "FREE")
    await stored(gone.call, "theirs")
    const folder = place()
    assert.match(await refused(original, "psql", ""), /The database is the one that DATABASE_URL names/)
    const first = await backed(original, folder)
    assert.deepInclude(first, { success: true, number: 1, encrypted: false })
    assert.isAbove(first.repositories, 0)

    const { workspace_id: adas } = await ended(call, "three", "ada")
    assert.strictEqual((await call("PUT", `/api/workspaces/${adas}/files/put.txt`, "put")).status, 200)
    if (!noGit) await pushed(service.url, adas)
    await ended(call, "another", "zoe")
    const [beta] = await matches(call, "beta task")
    assert.strictEqual((await remove(call, beta!.code_block.name)).status, 200)
    const { json } = await call("GET", "/api/workspaces")
    const zoes = json.workspaces.find((workspace: { user_id: string }) => workspace.user_id === "zoe")
    const second = await backed(original, folder)
    assert.deepInclude(second, { number: 2, repositories: 2 })
    assert.isBelow(second.events, first.events)
    assert.strictEqual((await call("DELETE", `/api/workspaces/${zoes.workspace_id}`)).status, 200)
    await stored(call, "epsilon", { user_vote: 1 })
    const [gamma] = await matches(call, "gamma task")
    assert.strictEqual((await remove(call, gamma!.code_block.name)).status, 200)
    const { slug } = (await gone.call("GET", "/api/organization")).json
    assert.strictEqual((await gone.call("POST", "/api/organization/delete", { slug })).status, 202)
    const erased = async (of: Service) =>
      vi.waitFor(
        async () => {
          assert.strictEqual((await call("GET", `/api/erasures/${gone.id}`)).json.state, "erased")
          // what follows of it has followed
          assert.deepStrictEqual(await of.sql("SELECT FROM keys_v4.slugs WHERE id = $1", [gone.id]), [])
        },
        { timeout: 60_000, interval: 50 }
      )
    await erased(service)
    assert.deepInclude(await backed(original, folder), { number: 3 })
    const before = await seen(call)
    const events = await service.sql(counting)
    const asked = api.requests.length
    await service.stop()

    const looked = await run(at(original), "backup", folder, "--verify", "--json")
    assert.strictEqual(looked.code, 0, looked.err)
    assert.deepInclude(JSON.parse(looked.out), { success: true, backups: 3, damaged: [] })

    const target = await empty()
    assert.deepInclude(await restored(target, folder), { success: true, number: 3, found: 0 })
    service = await startService(environment(), target)
    await sees(service.call, before)
    assert.deepStrictEqual(await service.sql(counting), events)
    assert.strictEqual(api.requests.length, asked)
    await service.stop()
    service = undefined

    // an older one: gamma's text and zoe's workspace were erased since
    const older = await empty()
    const told = await restored(older, folder, {}, "--backup", "2")
    assert.deepInclude(told, { success: true, number: 2, found: 0 })
    service = await startService(environment(), older)
    const again = service
    const late = await again.as(gone.key)("GET", "/api/organization")
    assert.strictEqual(late.status, 401, "an organization that was erased since has its keys again")
    await vi.waitFor(
      async () => assert.strictEqual((await again.call("GET", `/api/erasures/${gone.id}`)).json.state, "erased"),
      { timeout: 60_000, interval: 50 }
    )
    const texts = await service.sql<{ text: string }>("SELECT convert_from(bytes, 'UTF8') AS text FROM payloads")
    const holds = (name: string) => texts.some(({ text }) => text.includes(`def ${name}(`))
    assert.deepStrictEqual(["alpha", "beta", "gamma", "theirs"].map(holds), [true, false, false, false])
    const kept = (await service.call("GET", "/api/workspaces")).json.workspaces
    assert.notInclude(
      kept.map(({ user_id }: { user_id: string }) => user_id),
      "zoe"
    )
    assert.notInclude(readdirSync(join(older.dataDir, "workspaces")), `${zoes.workspace_id}.git`)
    await service.stop()
    service = undefined
    const manifest = (number: number) => JSON.parse(readFileSync(join(folder, `backups/00000${number}.json`), "utf8"))
    assert.strictEqual(told.erasures_known_until, manifest(3).began)

    // where the erasures since are lost, it says from when on
    for (const name of readdirSync(join(folder, "erasures")))
      if (name.startsWith("000003")) rmSync(join(folder, "erasures", name))
    const lost = await restored(await empty(), folder, {}, "--backup", "2")
    assert.strictEqual(lost.erasures_known_until, manifest(2).began)
    const forPeople = await run(at(await empty()), "restore", folder, "--backup", "2")
    assert.strictEqual(forPeople.code, 0, forPeople.err)
    assert.include(
      forPeople.out,
      `What was erased is known up to ${manifest(2).began}: what was erased after it has come back`
    )

    // what is damaged is named, and nothing is restored
    const [log] = readdirSync(join(folder, "log"))
    const bytes = readFileSync(join(folder, "log", log!))
    bytes[100]! ^= 1
    writeFileSync(join(folder, "log", log!), bytes)
    const untouched = await empty()
    assert.include(await refused(untouched, "restore", folder), `log/${log} has other bytes than were written`)
    assert.include((await run(at(original), "backup", folder, "--verify")).err, `log/${log}`)
    assert.isFalse(existsSync(join(untouched.dataDir, "workspaces")))
  }, 600_000)

  it("know by the erasures of a newer one that an organization was erased since, though no workspace was", async () => {
    const there = await newInstallation()
    places.push(there.dataDir)
    service = await startService({}, there)
    const { call, url } = service
    const gone = await organization(service, "FREE")
    await stored(gone.call, "theirs")
    const folder = place()
    const [old, newer] = [join(folder, "old.tar"), join(folder, "newer.tar")]
    const backedInto = async (file: string) => {
      const ran = await run({ CAIRN_URL: url, CAIRN_API_KEY: ownerKey }, "backup", file, "--json")
      assert.strictEqual(ran.code, 0, ran.err)
    }
    await backedInto(old)
    const { slug } = (await gone.call("GET", "/api/organization")).json
    assert.strictEqual((await gone.call("POST", "/api/organization/delete", { slug })).status, 202)
    await vi.waitFor(
      async () => assert.strictEqual((await call("GET", `/api/erasures/${gone.id}`)).json.state, "erased"),
      { timeout: 60_000, interval: 50 }
    )
    await backedInto(newer)
    await service.stop()
    service = undefined

    const target = await empty()
    assert.deepInclude(await restored(target, old, {}, "--erasures", newer), { success: true, number: 1, found: 0 })
    const newest = "SELECT type, tenant FROM events ORDER BY position DESC LIMIT 1"
    assert.deepStrictEqual(
      [...(await rowsOf(target.database, newest))],
      [{ type: "OrganizationErased", tenant: gone.id }]
    )
    service = await startService({}, target)
    assert.strictEqual((await service.as(gone.key)("GET", "/api/organization")).status, 401)
    await service.stop()
    service = undefined
  }, 600_000)

  it("are encrypted for a recipient; each thing that can't be done is one line", async () => {
    const folder = place()
    const identity = await generateX25519Identity()
    const env = { CAIRN_BACKUP_RECIPIENTS: await identityToRecipient(identity) }
    assert.deepInclude(await backed(original, folder, env), { number: 1, encrypted: true })
    for (const name of readdirSync(join(folder, "log"))) assert.match(name, /\.age$/)
    const target = await empty()
    assert.match(await refused(target, "restore", folder), /encrypted: give its identity/)
    const other = { CAIRN_BACKUP_IDENTITY: await generateX25519Identity() }
    assert.match(await refused(target, "restore", folder, other), /not one that this backup was encrypted for/)
    assert.match(await refused(target, "restore", folder, { CAIRN_BACKUP_IDENTITY: "nothing" }), /no identity of age/)
    assert.match(await refused(original, "backup", folder), /encrypted, and no recipient is given/)
    const never = join(place(), "never")
    assert.match(await refused(original, "backup", never, { CAIRN_BACKUP_RECIPIENTS: "age1x" }), /no recipient of age/)
    assert.isFalse(existsSync(never))
    const link = join(place(), "link")
    symlinkSync(never, link)
    for (const path of [link, join(link, "backups"), "/proc/nothing/backups"])
      assert.match(await refused(original, "backup", path), /or a folder that it is in, is not there \(ENOENT\)\.$/m)
    const named = { ...original, dataDir: place() }
    assert.match(await refused(named, "restore", folder, { CAIRN_BACKUP_IDENTITY: identity }), /has a log of its own/)
    const filled = await empty()
    writeFileSync(join(filled.dataDir, "note.txt"), "mine")
    assert.match(await refused(original, "backup", filled.dataDir), /files that are no backup \(note.txt\)/)
    assert.match(await refused(target, "restore", filled.dataDir), /has no finished backup/)
    assert.match(
      await refused(filled, "restore", folder, { CAIRN_BACKUP_IDENTITY: identity }),
      /files that no unfinished restore has left \(note\.txt\): name an empty folder/
    )
    assert.deepInclude(await restored(target, folder, { CAIRN_BACKUP_IDENTITY: identity }), { success: true, found: 0 })

    const stranger = await startService(environment())
    assert.match(await refused(stranger, "backup", folder, env), /backups of another Cairn/)
    assert.match(
      await refused(stranger, "restore", folder, { CAIRN_BACKUP_IDENTITY: identity }),
      /It can't be restored: /
    )
    await stranger.close()
    const mark = join(folder, "cairn-backup.json")
    writeFileSync(mark, readFileSync(mark, "utf8").replace('"version": 1', '"version": 2'))
    assert.match(await refused(original, "backup", folder, env), /newer format/)
    assert.match(await refused(await empty(), "restore", folder), /newer format/)
  }, 600_000)
})
