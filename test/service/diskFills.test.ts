import { randomBytes } from "node:crypto"
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { refused } from "#test/http/problem.ts"
import { upload } from "#test/http/store.ts"
import { isLong } from "#test/long.ts"
import { mount, mounts, unmount } from "#test/mount.ts"
import { ownerKey } from "#test/service.ts"
import { send } from "./call.ts"
import { startCli, startProcess } from "./process.ts"

const mebibyte = 1024 * 1024
const minute = 60_000

describe.skipIf(!isLong || !mounts())("a small disk that many write to", () => {
  let folder: string
  let small: ReturnType<typeof startProcess>
  const known: Array<string> = []
  let n = 0

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "cairn-small-"))
    mount(folder, 400)
    small = startProcess(
      { database: Redacted.make(""), dataDir: folder },
      { DATABASE_URL: "", CAIRN_OWNER_KEY: ownerKey, CAIRN_RATE_LIMITS: "off", CAIRN_DISK_RESERVE: "80,100" }
    )
  }, 5 * minute)
  afterAll(async () => {
    await small?.stop()
    unmount(folder)
    rmSync(folder, { recursive: true, force: true })
  })

  const left = () => {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  }

  it(
    "refuses what is written before Postgres has no room, answers reads, and goes on by itself",
    async () => {
      const [, url] = (await small.said(/Cairn is at (http:\S+)/)) as unknown as [string, string]
      const call = (method: string, path: string, body?: unknown) =>
        send(url, method, path, body, { authorization: `Bearer ${ownerKey}` })
      const store = async () => {
        const name = `n${n++}`
        const answer = await upload(call, name, {
          file_written: { path: `${name}.py`, content: `# ${name}\n${randomBytes(300_000).toString("base64")}` },
          use_service_ai_voting: false
        })
        if (answer.status === 200) known.push(name)
        return answer
      }
      assert.strictEqual((await store()).status, 200)
      const opened = await call("POST", "/api/workspaces", { user_id: "leaves", org_id: "acme" })
      const id = opened.json.workspace_id
      const headers = { "content-type": "application/octet-stream", authorization: `Bearer ${ownerKey}` }
      const put = { method: "PUT", headers, body: randomBytes(10 * mebibyte) }
      assert.strictEqual((await fetch(`${url}/api/workspaces/${id}/files/large`, put)).status, 200)
      const ballast = join(folder, "ballast")
      writeFileSync(ballast, Buffer.alloc(left() - 140 * mebibyte))

      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (;;) {
            const answer = await store()
            // a machine with much else to do may ask for the same request again; a Postgres that stopped does for ever
            if (answer.status !== 200 && answer.status !== 503) return refused(answer, 507, "unavailable/disk_full")
          }
        })
      )
      assert.isAbove(known.length, 8)
      assert.isAbove(left(), 0)
      const ready = await call("GET", "/ready")
      assert.deepStrictEqual([ready.status, ready.json.nearly_full], [200, ["data", "database", "workspaces"]])
      // beside much else a search may be answered, and say so, before it sees what was just stored
      for (const name of known.slice(-3))
        await vi.waitFor(
          async () => {
            const found = await call("POST", "/api/retrieve/search", { task: `${name} task`, min_verdict_score: 0 })
            assert.isTrue(found.text.includes(`# ${name}\\n`), `${name} is found; stale: ${found.json?.stale}`)
          },
          { timeout: minute }
        )
      assert.strictEqual((await call("POST", "/api/snippets/delete", { snippet_id: known.shift() })).status, 200)
      const repository = join(folder, "workspaces", `${id}.git`)
      assert.isTrue(existsSync(repository))
      assert.strictEqual((await call("DELETE", `/api/workspaces/${id}`)).status, 200)
      await vi.waitFor(() => assert.isFalse(existsSync(repository)), { timeout: minute })
      assert.notInclude(small.output.text, "PANIC")
      console.log(`${known.length} stored, ${Math.floor(left() / mebibyte)} of 80 MiB left when all are refused`)

      // a backup beside the service is taken to another disk
      const elsewhere = mkdtempSync(join(tmpdir(), "cairn-small-backup-"))
      const backup = startCli({ database: Redacted.make(""), dataDir: folder }, "backup", elsewhere)
      assert.strictEqual(await backup.ended, 0, backup.output.text)
      rmSync(elsewhere, { recursive: true })

      rmSync(ballast)
      await vi.waitFor(async () => assert.strictEqual((await store()).status, 200), { timeout: minute, interval: 200 })
      await small.stop()
      const verifying = startCli({ database: Redacted.make(""), dataDir: folder }, "verify")
      assert.strictEqual(await verifying.ended, 0, verifying.output.text)
    },
    5 * minute
  )
})
