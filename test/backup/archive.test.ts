import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { get } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { generateX25519Identity, identityToRecipient } from "age-encryption"
import { Effect, Stream } from "effect"
import * as Tar from "effect/encoding/Tar"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { from, run } from "#test/copy/command.ts"
import { fill, model, seen, sees } from "#test/copy/filled.ts"
import { ended } from "#test/http/agent.ts"
import { refused } from "#test/http/problem.ts"
import { matches, remove } from "#test/http/store.ts"
import { type MessagesApi, startMessagesApi } from "#test/MessagesApi.ts"
import { freshDatabase } from "#test/postgres.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import { newInstallation, ownerKey, removeInstallation, type Service, startService } from "#test/service.ts"

const path = "/api/admin/backup"

/** A tar of entries that a person would make. */
const tarOf = async (...entries: ReadonlyArray<Tar.Entry>) =>
  Buffer.concat(
    await Effect.runPromise(Stream.runCollect(Stream.pipeThroughChannel(Stream.fromIterable(entries), Tar.encode())))
  )

describe("a backup in one file", () => {
  let api: MessagesApi
  let service: Service
  let original: Awaited<ReturnType<typeof newInstallation>>
  const places: Array<string> = []
  const place = () => {
    const folder = mkdtempSync(join(tmpdir(), "cairn-archive-"))
    places.push(folder)
    return folder
  }
  const start = () => startService({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url }, original)
  const empty = async () => ({ database: await Effect.runPromise(freshDatabase), dataDir: place() })
  const there = ({ database, dataDir }: Awaited<ReturnType<typeof empty>>) => from(database, dataDir)
  /** One line, and exit code 1. */
  const failed = async (env: { readonly [name: string]: string }, ...args: ReadonlyArray<string>) => {
    const { code, err, out } = await run(env, ...args)
    assert.strictEqual(code, 1, out)
    assert.strictEqual(err.trimEnd().split("\n").length, 1, err)
    return err
  }
  const taken = async (query = "", key = ownerKey) => {
    const answer = await fetch(`${service.url}${path}${query}`, { headers: { authorization: `Bearer ${key}` } })
    assert.strictEqual(answer.status, 200, answer.status === 200 ? "" : await answer.text())
    assert.strictEqual(answer.headers.get("content-type"), "application/x-tar")
    return Buffer.from(await answer.arrayBuffer())
  }
  /** Takes the first bytes and no more, until it is told to go. */
  const held = () =>
    new Promise<() => Promise<void>>((resolve, reject) => {
      const request = get(`${service.url}${path}`, { headers: { authorization: `Bearer ${ownerKey}` } }, (answer) => {
        answer.once("readable", () =>
          resolve(
            () =>
              new Promise((gone) => {
                answer.once("close", gone).destroy()
              })
          )
        )
        answer.on("error", () => {})
      }).on("error", reject)
      request.end()
    })

  beforeAll(async () => {
    api = await startMessagesApi(model)
    original = await newInstallation()
    service = await start()
    await fill(service)
  })
  afterAll(async () => {
    await service.stop()
    await api.close()
    removeInstallation(original)
    for (const folder of places) rmSync(folder, { recursive: true, force: true })
  })

  it("is restored into an empty place, which answers as before; a tar can be unpacked by hand, and then goes on", async () => {
    const bytes = await taken()
    const before = await seen(service.call)
    const file = join(place(), "backup.tar")
    writeFileSync(file, bytes)
    const looked = await run({}, "backup", file, "--verify", "--json")
    assert.deepInclude(JSON.parse(looked.out), { success: true, backups: 1, damaged: [] })

    const target = await empty()
    const told = await run(there(target), "restore", file, "--json")
    assert.strictEqual(told.code, 0, told.err)
    assert.deepInclude(JSON.parse(told.out), { success: true, number: 1, found: 0 })
    // nothing of it stays but what was restored
    assert.isFalse(existsSync(join(target.dataDir, "restoring")))
    const other = await startService({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url }, target)
    try {
      await sees(other.call, before)
    } finally {
      await other.stop()
    }

    const folder = place()
    const entries = Stream.pipeThroughChannel(Stream.make(new Uint8Array(bytes)), Tar.decode<never>())
    await Effect.runPromise(
      Stream.runForEach(entries, ({ header, body }) =>
        Effect.map(Stream.runCollect(body), (pieces) => {
          mkdirSync(join(folder, header.path, ".."), { recursive: true })
          writeFileSync(join(folder, header.path), Buffer.concat(pieces))
        })
      )
    )
    const next = await run(from(original.database, original.dataDir), "backup", folder, "--json")
    assert.strictEqual(next.code, 0, next.err)
    assert.deepInclude(JSON.parse(next.out), { number: 2 })
  }, 600_000)

  it("is restored where a repository went on while it was made, and a pack is the second of its backup", async () => {
    const entries: Array<Tar.Entry> = []
    const second = (text: string) => text.replaceAll(/(repositories\/[^/]+\/000001)\./g, "$1-000002.")
    const decoded = Stream.pipeThroughChannel(Stream.make(new Uint8Array(await taken())), Tar.decode<never>())
    await Effect.runPromise(
      Stream.runForEach(decoded, ({ header, body }) =>
        Effect.map(Stream.runCollect(body), (pieces) => {
          const bytes = Buffer.concat(pieces)
          const isManifest = header.path.startsWith("backups/")
          entries.push(Tar.file(second(header.path), isManifest ? second(bytes.toString()) : bytes))
        })
      )
    )
    const file = join(place(), "backup.tar")
    writeFileSync(file, await tarOf(...entries))
    const restored = await run(there(await empty()), "restore", file, "--json")
    assert.strictEqual(restored.code, 0, restored.err)
    assert.include(entries.map(({ header }) => header.path).join(), "-000002.pack")
    assert.deepInclude(JSON.parse(restored.out), { success: true, number: 1, found: 0 })
  }, 600_000)

  it("comes from another machine, encrypted; is restored from what comes in; what was erased since does not come back", async () => {
    const identity = await generateX25519Identity()
    const env = {
      CAIRN_URL: service.url,
      CAIRN_API_KEY: ownerKey,
      CAIRN_BACKUP_RECIPIENTS: await identityToRecipient(identity)
    }
    const folder = place()
    const [first, second] = [join(folder, "1.tar"), join(folder, "2.tar")]
    await ended(service.call, "kept", "zoe")
    const made = await run(env, "backup", first, "--json")
    assert.strictEqual(made.code, 0, made.err)
    assert.deepInclude(JSON.parse(made.out), { success: true, encrypted: true, bytes: statSync(first).size })
    assert.match(await failed(env, "backup", first), /1\.tar is there already/)
    assert.deepStrictEqual(readdirSync(folder), ["1.tar"])
    const bytes = readFileSync(first)
    for (const word of ["def alpha", "alpha task"]) assert.isFalse(bytes.includes(word), word)

    const [gamma] = await matches(service.call, "gamma task")
    assert.strictEqual((await remove(service.call, gamma!.code_block.name)).status, 200)
    const { json } = await service.call("GET", "/api/workspaces")
    const zoes = json.workspaces.find((workspace: { user_id: string }) => workspace.user_id === "zoe")
    assert.strictEqual((await service.call("DELETE", `/api/workspaces/${zoes.workspace_id}`)).status, 200)
    assert.strictEqual((await run(env, "backup", second, "--json")).code, 0)

    const target = await empty()
    const decrypting = { ...there(target), CAIRN_BACKUP_IDENTITY: identity }
    assert.match(await failed(there(target), "restore", first), /encrypted: give its identity/)
    assert.match(
      await failed(decrypting, "restore", second, "--erasures", first),
      /does not tell what was erased since/
    )
    const told = await run(decrypting, "restore", first, "--erasures", second, "--json")
    assert.strictEqual(told.code, 0, told.err)
    const other = await startService({ ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url }, target)
    try {
      const texts = await other.sql<{ text: string }>("SELECT convert_from(bytes, 'UTF8') AS text FROM payloads")
      const holds = (name: string) => texts.some(({ text }) => text.includes(`def ${name}(`))
      assert.deepStrictEqual(["alpha", "gamma"].map(holds), [true, false])
      const listed: ReadonlyArray<{ user_id: string }> = (await other.call("GET", "/api/workspaces")).json.workspaces
      assert.notInclude(
        listed.map(({ user_id }) => user_id),
        "zoe"
      )
      assert.notInclude(readdirSync(join(target.dataDir, "workspaces")), `${zoes.workspace_id}.git`)
    } finally {
      await other.stop()
    }

    const incoming = await empty()
    const stdin = async function* () {
      yield readFileSync(second)
    }
    const into = { ...there(incoming), CAIRN_BACKUP_IDENTITY: identity }
    const piped = await run(into, "restore", "-", "--json", { stdin: stdin() })
    assert.strictEqual(piped.code, 0, piped.err)
    assert.deepInclude(JSON.parse(piped.out), { success: true, found: 0 })
  }, 600_000)

  it("is refused with one line where it is cut off, changed, or has what no backup has, and nothing is restored", async () => {
    const bytes = await taken()
    const target = await empty()
    const file = join(place(), "backup.tar")
    const restore = async (given: Uint8Array) => {
      writeFileSync(file, given)
      const said = await failed(there(target), "restore", file)
      assert.deepStrictEqual(
        readdirSync(target.dataDir).filter((name) => !name.startsWith("restore.")),
        []
      )
      assert.isTrue((await failed({}, "backup", file, "--verify")).length > 0)
      return said
    }
    const names: Array<string> = []
    const entries = Stream.pipeThroughChannel(Stream.make(new Uint8Array(bytes)), Tar.decode<never>())
    await Effect.runPromise(Stream.runForEach(entries, ({ header }) => Effect.sync(() => void names.push(header.path))))
    assert.deepStrictEqual([names[0], names.at(-1)], ["cairn-backup.json", "backups/000001.json"])
    // where a file ends, and in the midst of one
    const header = bytes.lastIndexOf("backups/000001.json")
    for (const at of [0, 700, 1024, Math.floor(bytes.length / 2) + 1, header, header + 600])
      assert.match(await restore(bytes.subarray(0, at)), /cut off|nothing in it/, `at ${at}`)
    const gzip = bytes.indexOf(Buffer.from([0x1f, 0x8b, 0x08]))
    const changed = Buffer.from(bytes)
    changed[gzip + 60]! ^= 1
    assert.match(await restore(changed), /nothing was restored: 1 file .*has other bytes than were written/)
    assert.match(await restore(Buffer.from("no tar at all".repeat(100))), /is no tar/)
    const manifest = Tar.file("backups/000001.json", "{}")
    const escape = join(target.dataDir, "..", "escaped")
    for (const name of ["../escaped", "/tmp/escaped", "log/../../escaped", "log/a\nb", "log", "backups/1.json"])
      assert.match(await restore(await tarOf(Tar.file(name, "x"), manifest)), /has what none has/, name)
    assert.match(await restore(await tarOf(Tar.symlink("log", "/etc"), manifest)), /has what none has/)
    const link = Tar.symlink("log/000001-000001.ndjson.gz", "/etc/passwd")
    assert.match(await restore(await tarOf(link, manifest)), /has what none has/)
    assert.match(await restore(await tarOf(manifest, manifest)), /backups\/000001\.json twice/)
    assert.match(await restore(await tarOf(manifest)), /no finished backup/)
    assert.isFalse(existsSync(escape))
  }, 600_000)

  it("is made as it is taken, one file at a time, and ends with the key that it was asked for with", async () => {
    const { call } = service
    const bytes = crypto.getRandomValues(new Uint8Array(65_536))
    for (const user of ["one", "two"]) {
      const { json } = await call("POST", "/api/workspaces", { user_id: user, org_id: "acme" })
      for (const n of [1, 2]) {
        const body = Buffer.concat(Array.from({ length: 128 }, (_, m) => Buffer.from(bytes.map((byte) => byte ^ m))))
        const url = `${service.url}/api/workspaces/${json.workspace_id}/files/${user}${n}.bin`
        body[0] = n
        const put = await fetch(url, { method: "PUT", headers: { authorization: `Bearer ${ownerKey}` }, body })
        assert.strictEqual(put.status, 200, await put.text())
      }
    }
    const { key, id } = (
      await call("POST", "/api/keys/org/create", { email: "owner@cairn.local", key_name: "backup", acts_for: "any" })
    ).json
    const response = await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${key}` } })
    const reader = response.body!.getReader()
    let had = 0
    // it waits for its reader in the first of the long packs
    const outgoing = join(original.dataDir, "outgoing")
    while (had < 1_000_000) had += (await reader.read()).value!.length
    assert.isAtMost(readdirSync(outgoing).length, 3)
    assert.strictEqual((await call("POST", "/api/keys/org/revoke", { key_id: id })).status, 200)
    const rest = async () => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return "whole"
        had += value.length
      }
    }
    assert.notStrictEqual(await rest().catch(() => "cut"), "whole")
    assert.isBelow(had, 30_000_000)
    assert.isTrue(service.log.some((line) => line.includes("the key may not have it any more")))
  }, 600_000)

  it("is for an owner of the operator's organization; one is sent at a time, and made as it is taken", async () => {
    const { call } = service
    const stranger = await organization(service, "ENTERPRISE")
    refused(await service.as(stranger.key)("GET", path), 403, "permission/operator_required")
    const admin = await memberKey(call, "admin@example.org", "admin", { acts_for: "any" })
    refused(await service.as(admin.key)("GET", path), 403, "permission/role_required")
    refused(await call("GET", `${path}?recipient=age1nobody`), 400, "validation/invalid_field")
    refused(await call("GET", `${path}?recipient=none`), 400, "validation/invalid_field")

    // what `cairn org create` has made first is somebody's, and no operator's
    const other = await empty()
    const created = await run(
      there(other),
      ...["org", "create", "--name", "First", "--tier", "ENTERPRISE", "--owner-email", "first@example.org", "--json"]
    )
    assert.strictEqual(created.code, 0, created.err)
    const first = await startService({ CAIRN_OWNER_KEY: "" }, other)
    const { key } = JSON.parse(created.out)
    refused(await first.as(key)("GET", path), 403, "permission/operator_required")
    assert.strictEqual((await first.as(key)("GET", "/api/usage")).status, 200)
    await first.stop()

    const outgoing = join(original.dataDir, "outgoing")
    const release = await held()
    refused(await call("GET", path), 409, "conflict/backup_running")
    const pending = (await run({ CAIRN_URL: service.url, CAIRN_API_KEY: ownerKey }, "backup", join(place(), "x.tar")))
      .err
    assert.match(pending, /Another backup is being sent/)
    await release()
    // who went away leaves nothing, and the next one is served
    const deadline = Date.now() + 60_000
    while (existsSync(outgoing) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10))
    assert.isFalse(existsSync(outgoing))
    assert.isAbove((await taken()).length, 1_000)
    const lines = service.log.filter((line) => line.includes("a backup was sent"))
    assert.isNotEmpty(lines)
    for (const line of lines) assert.include(line, '"encrypted"')
  }, 600_000)
})
