import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { Effect, Redacted } from "effect"
import { afterAll, afterEach, assert, beforeAll, describe, it, vi } from "vitest"
import { operations } from "#domain/access/operations.ts"
import { type Disk, disksOf } from "#src/disks.ts"
import { chat, ended, turnOf, write } from "#test/http/agent.ts"
import { git, good, makesClones, place, urlOf } from "#test/http/clone.ts"
import { asked, endpoints, nowhere } from "#test/http/everyOperation.ts"
import { refused } from "#test/http/problem.ts"
import { findByName, stored, upload, vote } from "#test/http/store.ts"
import { noGit } from "#test/infra/git/git.ts"
import { type MessagesApi, type MessagesRequest, type Reply, says, startMessagesApi } from "#test/MessagesApi.ts"
import { call as callTool, request } from "#test/mcp/rpc.ts"
import { ownerKey, type Service, startService } from "#test/service.ts"
import type { Answer } from "./call.ts"
import { memberKey, organization } from "./tenants.ts"

const mebibyte = 1024 * 1024
const plenty = 10_000 * mebibyte
const patient = { timeout: 60_000 }

/** What is free where each of them is, which a test changes. */
const free: Record<Disk, number> = { data: plenty, database: plenty, workspaces: plenty }
/** How often that was asked for. */
let looks = 0

let dataDir: string
let api: MessagesApi
let service: Service
/** What the model does at each turn of a chat, by what it was asked for. */
const scripts = new Map<string, (turn: number) => Reply | PromiseLike<Reply>>()
const promptOf = ({ body }: MessagesRequest) => String(body.messages[0]!.content)
const turnsOf = (prompt: string) => api.requests.filter((one) => promptOf(one).startsWith(prompt)).length

makesClones()
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "cairn-nearly-full-"))
  api = await startMessagesApi((one) => scripts.get(promptOf(one))?.(turnOf(one)) ?? says("Done."))
  const diskOf = (folder: string): Disk => {
    if (folder === dataDir) return "data"
    return basename(folder) === "workspaces" ? "workspaces" : "database"
  }
  // without a server's URL the database is the embedded one, whose disk is ours
  const environment = {
    CAIRN_DISK_RESERVE: "512,640",
    ANTHROPIC_API_KEY: api.key,
    ANTHROPIC_BASE_URL: api.url
  }
  const space = {
    of: (folder: string) =>
      Effect.sync(() => {
        looks += 1
        return { free: free[diskOf(folder)], size: 2 * plenty }
      })
  }
  service = await startService(environment, { database: Redacted.make(""), dataDir }, undefined, undefined, space)
}, 120_000)
afterAll(async () => {
  await service?.close()
  await api?.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** What a service has seen of its disks is in `/ready`, which goes on to say that it serves. */
const nearlyFull = (...disks: ReadonlyArray<Disk>) =>
  vi.waitFor(async () => {
    const { status, json } = await service.call("GET", "/ready")
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(json.nearly_full, disks)
  }, patient)
const leave = async (megabytes: number, ...disks: ReadonlyArray<Disk>) => {
  for (const disk of disks) free[disk] = megabytes * mebibyte
  const now = (Object.keys(free) as ReadonlyArray<Disk>).filter((disk) => free[disk] < 512 * mebibyte)
  await nearlyFull(...now)
}
const makeRoom = async () => {
  for (const disk of Object.keys(free)) free[disk as Disk] = plenty
  await nearlyFull()
}
afterEach(makeRoom)
/** Until all of them have been looked at once more. */
const looked = () => {
  const before = looks
  return vi.waitFor(() => assert.isAtLeast(looks, before + 2 * Object.keys(free).length), patient)
}
const isFull = (answer: Answer) => {
  const { message } = refused(answer, 507, "unavailable/disk_full")
  assert.strictEqual(answer.headers.get("retry-after"), "60")
  return message
}
const put = (id: string, content: string) => {
  const headers = { "content-type": "application/octet-stream", authorization: `Bearer ${ownerKey}` }
  return fetch(`${service.url}/api/workspaces/${id}/files/b.txt`, { method: "PUT", headers, body: content })
}

describe("while a disk is nearly full", () => {
  it("what wants room on it is refused in the one error body, and whatever else is asked for is not", async () => {
    await leave(511, "data", "database", "workspaces")
    for (const [id, endpoint] of endpoints) {
      // it would go on for ever
      if (id === "events.eventStream") continue
      const [method, path, body] = asked(id, endpoint)
      const answer = await service.call(method, path, body)
      if (disksOf(id).length > 0) isFull(answer)
      else assert.notInclude([500, 507], answer.status, `${id}: ${answer.text}`)
    }
    assert.isAbove(endpoints.filter(([id]) => disksOf(id).length > 0).length, 15)
    const push = await service.call("GET", `/git/${nowhere}.git/info/refs?service=git-receive-pack`)
    assert.include(
      isFull(push),
      "The disk of the database is nearly full: 511 MiB are free, and 512 MiB are kept free."
    )
    const fetched = await service.call("GET", `/git/${nowhere}.git/info/refs?service=git-upload-pack`)
    refused(fetched, 404, "not_found/workspace")
  })

  it("reads go on, what is stored can be deleted, keys revoked and people erased; it is over by itself", async () => {
    const { call, key } = await organization(service, "ENTERPRISE")
    for (const name of ["kept", "gone"]) await stored(call, name)
    const member = await memberKey(call, "leaves@example.org", "member")
    const reader = await memberKey(call, "reads@example.org", "reader")
    const users = (await call("GET", "/api/users")).json.users
    const user = users.find(({ user_email }: { user_email: string }) => user_email === "leaves@example.org")
    const snippet = (await findByName(call, "kept"))!.code_block.id
    await leave(100, "database")

    isFull(await upload(call, "refused"))
    // whoever may not do it is told that, and no more
    refused(await upload(service.as(reader.key), "refused"), 403, "permission/role_required")
    refused(await upload(service.as(`${ownerKey.slice(0, -1)}0`), "refused"), 401, "auth/invalid_api_key")
    isFull(await vote(call, snippet))
    assert.isDefined(await findByName(call, "kept"))
    const found = await callTool(service.url, key, "search", { task: "kept task" })
    assert.isFalse(found.failed, found.text)
    const given = { task: "by MCP", file: { path: "m.py", content: "def m(): pass" } }
    const tool = await request(service.url, key, "tools/call", { name: "upload", arguments: given })
    assert.strictEqual(tool.json.result._meta["cairn/answer"].code, "unavailable/disk_full", tool.text)

    const deleted = await call("POST", "/api/snippets/delete", { snippet_id: "gone" })
    assert.strictEqual(deleted.status, 200, deleted.text)
    assert.isUndefined(await findByName(call, "gone"))
    const revoked = await call("POST", "/api/keys/org/revoke", { key_id: member.id })
    assert.strictEqual(revoked.status, 200, revoked.text)
    refused(await service.as(member.key)("GET", "/api/usage"), 401, "auth/invalid_api_key")
    const erased = await call("DELETE", `/api/users/${user.user_id}`)
    assert.include([200, 202], erased.status, erased.text)

    // not before there is as much as the second bound says
    free.database = 639 * mebibyte
    await looked()
    const said = () => service.log.filter((line) => line.includes("has room again")).length
    const before = said()
    isFull(await upload(call, "refused"))
    free.database = 640 * mebibyte
    await nearlyFull()
    assert.strictEqual(said(), before + 1)
    assert.strictEqual((await upload(call, "refused")).status, 200)
    assert.isDefined(await findByName(call, "refused"))
    assert.isTrue(service.log.some((line) => /"level":"WARN".*100 MiB are free.*CAIRN_DISK_RESERVE/.test(line)))
  })

  it("a search leaves no note in the log, and does again when there is room", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    await stored(call, "noted")
    const notes = () =>
      service.sql<{ n: number }>("SELECT count(*)::int AS n FROM events WHERE type = 'SearchAnswered'")
    const count = async () => (await notes())[0]!.n
    await leave(100, "database")
    const before = await count()
    for (let n = 0; n < 3; n++) assert.isDefined(await findByName(call, "noted"))
    await makeRoom()
    assert.isDefined(await findByName(call, "noted"))
    // what was noted before it is there, too, when this is
    await vi.waitFor(async () => assert.isAbove(await count(), before), patient)
    assert.strictEqual(await count(), before + 1)
  })

  it.skipIf(noGit)(
    "under the repositories alone, chats, files and pushes are refused, and all else goes on",
    async () => {
      scripts.set("begin", (turn) => (turn === 1 ? write("a.txt") : says("Done.")))
      const { workspace_id: id } = await ended(service.call, "begin", "pushes")
      const clone = place()
      await good("clone", "-q", urlOf(id, ownerKey, service), clone)
      writeFileSync(join(clone, "pushed.txt"), "x\n")
      await good("-C", clone, "add", "-A")
      await good("-C", clone, "-c", "user.name=P", "-c", "user.email=p@example.org", "commit", "-q", "-m", "pushed")
      const head = async () => (await service.call("GET", `/api/workspaces/${id}/commits`)).json.commits[0].sha
      const before = await head()
      await leave(511, "workspaces")

      assert.include(isFull(await chat(service.call, "begin", "pushes")), "The disk of the workspaces")
      assert.strictEqual((await put(id, "y")).status, 507)
      const push = await git("-C", clone, "push", "origin", "main")
      assert.notStrictEqual(push.code, 0)
      assert.include(push.err, "507")
      assert.strictEqual(await head(), before)
      assert.strictEqual((await service.call("GET", `/api/workspaces/${id}/files/a.txt`)).text, "x\n")
      await good("clone", "-q", urlOf(id, ownerKey, service), place())
      assert.strictEqual((await upload(service.call, "elsewhere")).status, 200)

      await makeRoom()
      await good("-C", clone, "push", "-q", "origin", "main")
      assert.notStrictEqual(await head(), before)
      assert.strictEqual((await put(id, "y")).status, 200)
      await leave(0, "workspaces")
      assert.strictEqual((await service.call("DELETE", `/api/workspaces/${id}`)).status, 200)
      refused(await service.call("GET", `/api/workspaces/${id}/commits`), 404, "not_found/workspace")
      await makeRoom()
    }
  )

  it("a backup is not sent, as it would wait in the data folder", async () => {
    await leave(511, "data")
    assert.include(isFull(await service.call("GET", "/api/admin/backup")), "The disk of the data folder")
    assert.strictEqual((await upload(service.call, "beside")).status, 200)
  })
})

describe("a chat that runs when a disk becomes nearly full", () => {
  it.each(["database", "workspaces"] as const)(
    "takes no further turn, and keeps what it has written (%s)",
    async (disk) => {
      const prompt = `fills the disk of the ${disk}`
      scripts.set(prompt, async (turn) => {
        if (turn === 1) await leave(300, disk)
        return write(`${turn}.txt`)
      })
      const { json, status, text } = await chat(service.call, prompt, disk)
      assert.strictEqual(status, 200, text)
      assert.strictEqual(turnsOf(prompt), 1)
      assert.deepInclude(json, { success: false, changed_files: ["1.txt"] })
      assert.match(json.error, /nearly full: 300 MiB are free, and 512 MiB are kept free.*what it had written is saved/)
      const run = await service.call("GET", `/api/runs/${json.session_id}`)
      assert.strictEqual(run.json.failure, "interrupted", run.text)
      await makeRoom()

      scripts.set(`${prompt}, again`, (turn) => (turn === 1 ? write("2.txt") : says("Done.")))
      const again = await ended(service.call, `${prompt}, again`, disk)
      assert.deepStrictEqual([again.success, again.workspace_files], [true, ["1.txt", "2.txt"]])
    }
  )

  it("is ended well where it was done, and its model is not asked for what is to be remembered", async () => {
    const prompt = "ends on a full disk"
    scripts.set(prompt, async () => {
      await leave(300, "database")
      return says("Done.")
    })
    const { json, text } = await chat(service.call, prompt, "remembers", { memory: true })
    assert.isTrue(json.success, text)
    assert.lengthOf(
      api.requests.filter(({ body }) => JSON.stringify(body).includes(prompt)),
      1
    )
    const file = await service.call("GET", `/api/workspaces/${json.workspace_id}/files/.cairn/memory.md`)
    assert.include(file.text, prompt)
  })
})

it("the table of who may do what says of each operation which disks it wants room on", () => {
  const known = new Set<string>(endpoints.map(([id]) => id))
  assert.deepStrictEqual(
    Object.keys(operations).filter((id) => disksOf(id).length > 0 && !known.has(id)),
    ["git.push"]
  )
})
