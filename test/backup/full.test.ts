import { mkdtempSync, readdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { from, run } from "#test/copy/command.ts"
import { model } from "#test/copy/filled.ts"
import { ended } from "#test/http/agent.ts"
import { isLong } from "#test/long.ts"
import { type MessagesApi, startMessagesApi } from "#test/MessagesApi.ts"
import { mount, mounts, unmount } from "#test/mount.ts"
import { freshDatabase } from "#test/postgres.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"

const here = isLong && mounts()
const mebibyte = 1024 * 1024

describe.skipIf(!here)("backups, where a disk is full", () => {
  let api: MessagesApi
  let service: Service
  const base = mkdtempSync(join(tmpdir(), "cairn-full-"))
  const mounted: Array<string> = []
  const disk = (name: string, megabytes: number) => {
    const folder = join(base, name)
    mount(folder, megabytes)
    mounted.push(folder)
    return folder
  }
  /** Leaves so much room. */
  const filling = (folder: string) => join(folder, "filling")
  const dataDir = here ? disk("data", 40) : ""
  const failed = async (env: { readonly [name: string]: string }, ...args: ReadonlyArray<string>) => {
    const { code, err, out } = await run(env, ...args)
    assert.strictEqual(code, 1, out)
    assert.strictEqual(err.trimEnd().split("\n").length, 1, err)
    assert.notInclude(err, "unexpected")
    return err
  }
  const at = () => from(service.database, dataDir)

  beforeAll(async () => {
    api = await startMessagesApi(model)
    const database = await Effect.runPromise(freshDatabase)
    // with the reserve, a backup that is sent would be refused before its disk is full
    const env = { ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url, CAIRN_DISK_RESERVE: "off" }
    service = await startService(env, { database, dataDir })
    const { workspace_id } = await ended(service.call, "three", "ada")
    // what can't be compressed
    const bytes = crypto.getRandomValues(new Uint8Array(65_536))
    const put = Buffer.concat(Array.from({ length: 64 }, (_, n) => Buffer.from(bytes.map((byte) => byte ^ n))))
    const answer = await fetch(`${service.url}/api/workspaces/${workspace_id}/files/big.bin`, {
      method: "PUT",
      headers: { authorization: `Bearer ${ownerKey}` },
      body: put
    })
    assert.strictEqual(answer.status, 200, await answer.text())
  })
  afterAll(async () => {
    await service.stop()
    await api.close()
    for (const folder of mounted) unmount(folder)
    rmSync(base, { recursive: true, force: true })
  })

  it("one into a folder says so, leaves none, and is made when there is room", async () => {
    const folder = disk("small", 2)
    assert.match(await failed(at(), "backup", join(folder, "b")), /its disk is full/)
    const left = readdirSync(join(folder, "b"), { recursive: true }).filter((name) => String(name).includes(".json"))
    assert.deepStrictEqual(left, ["cairn-backup.json"])
    assert.match(await failed({}, "backup", join(folder, "b"), "--verify"), /no finished backup/)
    rmSync(join(folder, "b"), { recursive: true })
    assert.strictEqual((await run(at(), "backup", join(base, "b"))).code, 0)
  }, 600_000)

  it("one that the service sends is cut, nothing of it stays, and the next one comes whole", async () => {
    writeFileSync(filling(dataDir), Buffer.alloc(34 * mebibyte))
    const env = { CAIRN_URL: service.url, CAIRN_API_KEY: ownerKey }
    const file = join(base, "sent.tar")
    assert.match(await failed(env, "backup", file), /What came is no backup/)
    assert.notInclude(readdirSync(base), "sent.tar.unfinished")
    assert.notInclude(readdirSync(dataDir), "outgoing")
    assert.isTrue(service.log.some((line) => line.includes("its disk is full")))
    unlinkSync(filling(dataDir))
    assert.strictEqual((await run(env, "backup", file)).code, 0)
  }, 600_000)

  it("a file that comes from elsewhere is not left where the disk here is full", async () => {
    const env = { CAIRN_URL: service.url, CAIRN_API_KEY: ownerKey }
    const folder = disk("here", 2)
    assert.match(
      await failed(env, "backup", join(folder, "sent.tar")),
      /sent\.tar can't be written: .*(ENOSPC|No space left)/
    )
    assert.deepStrictEqual(readdirSync(folder), [])
  }, 600_000)

  it("what is restored goes on when there is room", async () => {
    for (const [name, from_] of [
      ["folder", join(base, "b")],
      ["file", join(base, "sent.tar")]
    ] as const) {
      const folder = disk(`to ${name}`.replace(" ", "-"), 16)
      // the folder itself has to be empty
      const target = from(await Effect.runPromise(freshDatabase), join(folder, "data"))
      writeFileSync(filling(folder), Buffer.alloc(14 * mebibyte))
      assert.match(await failed(target, "restore", from_), /disk is full|ENOSPC|No space/i, name)
      unlinkSync(filling(folder))
      const again = await run(target, "restore", from_, "--json")
      assert.strictEqual(again.code, 0, again.err)
      assert.deepInclude(JSON.parse(again.out), { success: true, found: 0 })
    }
  }, 600_000)
})
