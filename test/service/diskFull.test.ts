import { randomBytes } from "node:crypto"
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { turnOf, write } from "#test/http/agent.ts"
import { isLong } from "#test/long.ts"
import { type MessagesApi, says, startMessagesApi } from "#test/MessagesApi.ts"
import { mount, mounts, unmount } from "#test/mount.ts"
import { ownerKey } from "#test/service.ts"
import { send } from "./call.ts"
import { startCli, startProcess } from "./process.ts"

/** Takes all the room that a file system has; answers how to give it back. */
const fill = (folder: string) => {
  const file = join(folder, "ballast")
  writeFileSync(file, "")
  for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 4)) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size))
    } catch {
      // no room for so much
    }
  }
  return () => rmSync(file)
}

const minute = 60_000

describe.skipIf(!isLong || !mounts())("a disk that is full", () => {
  let dataDir: string
  let api: MessagesApi
  let service: ReturnType<typeof startProcess>
  let url: string
  const stored: Array<string> = []

  const environment = () => ({
    DATABASE_URL: "",
    CAIRN_OWNER_KEY: ownerKey,
    CAIRN_RATE_LIMITS: "off",
    // what comes when the reserve is gone, too
    CAIRN_DISK_RESERVE: "off",
    ANTHROPIC_API_KEY: api.key,
    ANTHROPIC_BASE_URL: api.url
  })
  const call = (method: string, path: string, body?: unknown) =>
    send(url, method, path, body, { authorization: `Bearer ${ownerKey}` })
  let n = 0
  const upload = async (bytes: number) => {
    const name = `n${n++}`
    const source = `# ${name}\n${randomBytes(bytes).toString("base64")}`
    const answer = await call("POST", "/api/store/execution-result", {
      task: `Compute ${name}`,
      file_written: { path: `${name}.py`, content: source },
      succeeded: true,
      use_service_ai_voting: false
    })
    if (answer.status === 200) stored.push(name)
    return answer
  }

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "cairn-full-"))
    mount(dataDir, 300)
    mount(join(dataDir, "workspaces"), 20)
    api = await startMessagesApi((request) => (turnOf(request) === 1 ? write("a.txt") : says("Done.")))
    service = startProcess({ database: Redacted.make(""), dataDir }, environment())
    url = (await service.said(/Cairn is at (http:\S+)/))[1]!
  }, 5 * minute)
  afterAll(async () => {
    await service?.stop()
    await api?.close()
    unmount(join(dataDir, "workspaces"))
    unmount(dataDir)
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** A write was refused as what goes by itself, and nothing of it is there. */
  const isRefused = ({ status, json, text }: Awaited<ReturnType<typeof call>>, code: RegExp) => {
    assert.strictEqual(status, 503, text)
    assert.match(json.code, code)
    assert.strictEqual(json.error, json.code)
  }
  const goesOn = (again: () => Promise<{ readonly status: number; readonly text: string }>) =>
    vi.waitFor(
      async () => {
        const { status, text } = await again()
        assert.strictEqual(status, 200, text)
      },
      { timeout: 2 * minute, interval: 200 }
    )
  const isFound = async (name: string) => {
    const { json, text } = await call("POST", "/api/retrieve/search", { task: `Compute ${name}`, min_verdict_score: 0 })
    const found = json.matches?.some(({ code_block }: { code_block: { source: string } }) =>
      code_block.source.includes(`# ${name}\n`)
    )
    assert.isTrue(found, `${name}: ${text.slice(0, 300)}`)
  }

  it(
    "under the embedded Postgres refuses writes, answers reads, loses nothing, and goes on when there is room",
    async () => {
      assert.strictEqual((await upload(100)).status, 200)
      const makeRoom = fill(dataDir)
      const answers = await Promise.all(Array.from({ length: 5 }, () => upload(300_000)))
      for (const answer of answers) isRefused(answer, /^unavailable\/(busy|store)$/)
      await isFound(stored[0]!)
      makeRoom()
      await goesOn(() => upload(100))
      assert.lengthOf(stored, 2)
      for (const name of stored) await vi.waitFor(() => isFound(name), { timeout: minute })
    },
    5 * minute
  )

  it(
    "under the repositories refuses chats, and carries them out when there is room",
    async () => {
      const chat = (user: string) =>
        call("POST", "/api/agent-chat", { user_query: "begin", user_id: user, org_id: "acme" })
      assert.strictEqual((await chat("before")).status, 200)
      const makeRoom = fill(join(dataDir, "workspaces"))
      isRefused(await chat("while"), /^unavailable\/workspaces$/)
      // what stands elsewhere goes on
      assert.strictEqual((await upload(100)).status, 200)
      makeRoom()
      await goesOn(() => chat("while"))
      const { json } = await chat("before")
      assert.deepStrictEqual(json.workspace_files, ["a.txt"])
    },
    5 * minute
  )

  it(
    "leaves a log, read models and repositories that are sound",
    async () => {
      await service.stop()
      const verifying = startCli({ database: Redacted.make(""), dataDir }, "verify")
      assert.strictEqual(await verifying.ended, 0, verifying.output.text)
    },
    2 * minute
  )
})
