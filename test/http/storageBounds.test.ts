import { randomUUID } from "node:crypto"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { Effect, Layer, Result, Stream } from "effect"
import * as Tar from "effect/encoding/Tar"
import { assert, describe, it, vi } from "vitest"
import { Claims, unshared } from "#engine/ports/Claims.ts"
import { operator } from "#src/actor.ts"
import { upload } from "#src/snippets/store.ts"
import { Storage } from "#src/usage/Storage.ts"
import { says } from "#test/MessagesApi.ts"
import type { Headers } from "#test/service/call.ts"
import { memberKey, organization } from "#test/service/tenants.ts"
import type { Service } from "#test/service.ts"
import { chat, scripts, service, startsAgent, write } from "./agent.ts"
import { sendBundle } from "./bundle.ts"
import { git, good, makesClones, place, urlOf } from "./clone.ts"
import { refused } from "./problem.ts"
import { source, upload as uploading } from "./store.ts"

startsAgent()
makesClones()

type Call = Service["call"]
const set = async (call: Call, bounds: object) => {
  const answer = await call("POST", "/api/bounds", bounds)
  assert.strictEqual(answer.status, 200, answer.text)
}
const storedNow = async (call: Call) => (await call("GET", "/api/usage")).json.stored
const good200 = async (answer: ReturnType<Call>) => {
  const { status, text, json } = await answer
  assert.strictEqual(status, 200, text)
  return json
}
const workspace = async (call: Call, user: string): Promise<string> =>
  (await good200(call("POST", "/api/workspaces", { org_id: "acme", user_id: user }))).workspace_id
/** Files of a repository that hold its objects. */
const objectsOf = (id: string) =>
  readdirSync(join(service.dataDir, "workspaces", `${id}.git`), { recursive: true })
    .map(String)
    .filter((name) => name.startsWith("objects/"))
    .sort()
/** What the list of workspaces says of one. */
const bytesOf = async (call: Call, id: string): Promise<number | null> =>
  (await good200(call("GET", "/api/workspaces"))).workspaces.find(
    ({ workspace_id }: { readonly workspace_id: string }) => workspace_id === id
  ).repository_bytes
const put = (call: Call, id: string, path: string, bytes: number) =>
  call("PUT", `/api/workspaces/${id}/files/${path}`, "x".repeat(bytes))

describe("bounds", () => {
  it("of snippets hold for whatever stores them, and a delete makes room", async () => {
    const { call, id } = await organization(service, "ENTERPRISE")
    const member = await memberKey(call, "m@example.org", "member", { acts_for: "any" })
    const theirs = service.as(member.key)
    await good200(uploading(theirs, "kept_one"))
    await set(call, { key_id: member.id, snippets: 2 })
    await good200(sendBundle(theirs, ["kept_one", "kept_two"]))
    // what follows by itself has come: both keys were noted, and the bundle's files are in its snippets
    await vi.waitFor(async () => {
      const followed = "SELECT type FROM events WHERE tenant = $1 AND type IN ('KeyUsed', 'UploadStored') ORDER BY type"
      const types = (await service.sql<{ type: string }>(followed, [id])).map(({ type }) => type)
      assert.deepStrictEqual(types, ["KeyUsed", "KeyUsed", "UploadStored"])
    }, 60_000)
    const head = await service.head()
    const answers = [
      await uploading(theirs, "third"),
      await sendBundle(theirs, ["kept_one", "third"]),
      await theirs("POST", "/api/store/code-block", {
        name: "third",
        language: "python",
        entrypoint: "third",
        description: "A third.",
        source: source("third")
      }),
      await theirs("POST", "/api/store/repo", {
        task: "t",
        files: [{ path: "a.py", content: source("third") }]
      })
    ]
    for (const answer of answers) refused(answer, 403, "bound/reached")
    assert.include(
      answers[0]!.json.message,
      "This API key may store 2 snippets (snippets): 2 used, and 1 more asked for."
    )
    assert.include(answers[0]!.json.message, "It does not reset: delete snippets to make room")
    assert.strictEqual(await service.head(), head)
    // what is there takes no room
    await good200(uploading(theirs, "kept_one"))
    // and another key has its own
    const third = await good200(uploading(call, "of_another_key"))
    assert.strictEqual(third.code_blocks_stored, 1)
    assert.deepStrictEqual(await storedNow(call), {
      snippets: 3,
      repository_bytes: 0,
      bounds: [{ key_id: member.id, bound: "snippets", limit: 2, used: 2 }]
    })
    await set(call, { snippets: 3 })
    refused(await uploading(call, "fourth"), 403, "bound/reached")
    await good200(call("POST", "/api/snippets/delete", { snippet_id: "kept_two" }))
    assert.deepInclude(await storedNow(theirs), { snippets: 1 })
    await good200(uploading(theirs, "third"))
    refused(await uploading(call, "fourth"), 403, "bound/reached")
  })

  it("of snippets let what was stored before be sent again, also when it was deleted and nothing else has room", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    const uploads = {
      files: (headers: Headers) => uploading(call, "again_file", {}, headers),
      bundle: (headers: Headers) => sendBundle(call, ["again_bundle"], {}, headers),
      block: (headers: Headers) =>
        call(
          "POST",
          "/api/store/code-block",
          {
            name: "again_block",
            language: "python",
            entrypoint: "again_block",
            description: "A block.",
            source: source("again_block")
          },
          headers
        ),
      repository: (headers: Headers) =>
        call(
          "POST",
          "/api/store/repo",
          { task: "t", files: [{ path: "a.py", content: source("again_repository") }] },
          headers
        )
    }
    for (const [name, send] of Object.entries(uploads)) {
      await set(call, { snippets: 1 })
      const headers = { "idempotency-key": randomUUID() }
      assert.isTrue((await good200(send(headers))).success)
      const [uploaded] = await service.sql<{ id: string }>(
        "SELECT data::json->>'snippet' AS id FROM events WHERE type = 'SnippetUploaded' ORDER BY position DESC LIMIT 1"
      )
      await good200(call("POST", "/api/snippets/delete", { snippet_id: uploaded!.id }))
      await set(call, { snippets: 0 })
      assert.isTrue((await good200(send(headers))).success, name)
      refused(await send({ "idempotency-key": randomUUID() }), 403, "bound/reached")
      // stored anew behind a deletion, it is another generation of the same code
      await set(call, { snippets: 1 })
      const anew = { "idempotency-key": randomUUID() }
      assert.isTrue((await good200(send(anew))).success)
      const [second] = await service.sql<{ id: string }>(
        "SELECT data::json->>'snippet' AS id FROM events WHERE type = 'SnippetUploaded' ORDER BY position DESC LIMIT 1"
      )
      assert.notStrictEqual(second!.id, uploaded!.id)
      await good200(call("POST", "/api/snippets/delete", { snippet_id: second!.id }))
      await set(call, { snippets: 0 })
      assert.isTrue((await good200(send(anew))).success, `${name}, anew`)
      refused(await send({ "idempotency-key": randomUUID() }), 403, "bound/reached")
    }
    assert.deepInclude(await storedNow(call), { snippets: 0 })
  })

  it("of snippets hold for uploads that come at once", async () => {
    const { call, key } = await organization(service, "ENTERPRISE")
    await set(call, { snippets: 5 })
    const names = Array.from({ length: 8 }, (_, n) => `at_once_${n}`)
    const answers = await Promise.all([
      ...names.map((name) => uploading(service.as(key), name)),
      sendBundle(call, names.slice(0, 3))
    ])
    for (const answer of answers) if (answer.status !== 200) refused(answer, 403, "bound/reached")
    assert.deepInclude(await storedNow(call), { snippets: 5 })
  })

  it("that are set while a bundle is stored hold for its next files, and its caller is told which they leave out", async () => {
    const { call, id } = await organization(service, "ENTERPRISE")
    await set(call, { snippets: 3 })
    const mine = Promise.withResolvers<void>()
    const had = Promise.withResolvers<void>()
    const turn = Effect.gen(function* () {
      yield* (yield* Claims).claim(`storage-${id}`)
      mine.resolve()
      yield* Effect.promise(() => had.promise)
    })
    const holding = service.run(Effect.scoped(turn))
    await mine.promise
    const headers = { "idempotency-key": randomUUID() }
    const sending = sendBundle(call, ["bundled_one", "bundled_two", "bundled_three"], {}, headers)
    // it was let in; its files wait for their turn
    await vi.waitFor(async () => {
      const received = "SELECT 1 FROM events WHERE tenant = $1 AND type = 'UploadReceived'"
      assert.lengthOf(await service.sql(received, [id]), 1)
    }, 60_000)
    await set(call, { snippets: 1 })
    had.resolve()
    await holding
    const answer = await good200(sending)
    assert.deepInclude(answer, { success: false, code_blocks_stored: 1 })
    const names = ["bundled_one", "bundled_two", "bundled_three"]
    const stored = names.filter((name) => !answer.message.includes(`"/srv/app/${name}.py"`))
    assert.lengthOf(stored, 1, answer.message)
    assert.include(answer.message, "Stored 1 file.")
    assert.match(
      answer.message,
      / 2 files could not be stored: "[^"]+", "[^"]+"\. All keys of this account together may store 1 snippets \(snippets\): 1 used, and 1 more asked for\. It does not reset: delete snippets/
    )
    assert.deepInclude(await storedNow(call), { snippets: 1 })
    // the same request is answered as then
    assert.deepStrictEqual(await good200(sendBundle(call, names, {}, headers)), answer)
    const left = "SELECT data::json->'leftOut' AS left FROM events WHERE tenant = $1 AND type = 'UploadStored'"
    const [told] = await service.sql<{ left: ReadonlyArray<object> }>(left, [id])
    assert.lengthOf(told!.left, 2)
    // and once there is room, another one has it
    await set(call, { snippets: 3 })
    assert.isTrue((await good200(sendBundle(call, names))).success)
  })

  it("of snippets hold for what one process stores at once, when it shares its database with none", async () => {
    const { call, id } = await organization(service, "ENTERPRISE")
    await set(call, { snippets: 2 })
    const store = Effect.fnUntraced(function* (n: number) {
      const { tenant, secret } = { tenant: id, secret: "secret" }
      const given = {
        home: id,
        workspace: null,
        agent: null,
        path: "a.py",
        source: source(`alone_${n}`),
        succeeded: true
      }
      const metadata = { commandId: randomUUID(), correlationId: id, actor: operator }
      return yield* Effect.result(upload({ tenant, secret, user: null }, given, metadata))
    })
    const alone = Layer.fresh(Storage.layer).pipe(Layer.provide(Layer.succeed(Claims, unshared)))
    const all = Effect.forEach([1, 2, 3, 4, 5, 6], store, { concurrency: 6 }).pipe(Effect.provide(alone))
    assert.lengthOf((await service.run(all)).filter(Result.isSuccess), 2)
    assert.deepInclude(await storedNow(call), { snippets: 2 })
  })

  it("of bytes are a key's own, too, of what it brought to whichever workspace", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    const member = await memberKey(call, "m@example.org", "member", { acts_for: "any" })
    const theirs = service.as(member.key)
    const [one, other] = [await workspace(call, "one"), await workspace(call, "other")]
    await set(call, { key_id: member.id, repository_bytes: 1_000 })
    await good200(put(call, one, "of-another-key.txt", 5_000))
    await good200(put(theirs, one, "a.txt", 600))
    const large = await put(theirs, other, "b.txt", 401)
    assert.include(
      refused(large, 403, "bound/reached").message,
      "This API key may commit 1000 bytes to workspaces (repository_bytes): 600 used, and 401 more asked for."
    )
    await good200(put(theirs, other, "b.txt", 400))
    await good200(put(call, other, "c.txt", 5_000))
    const bounds = [{ key_id: member.id, bound: "repository_bytes", limit: 1_000, used: 1_000 }]
    assert.deepInclude(await storedNow(theirs), { repository_bytes: 1_000, bounds })
    assert.deepInclude(await storedNow(call), { repository_bytes: 11_000, bounds })
  })

  it("of bytes hold for files and archives, and erasing a workspace makes room", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    const id = await workspace(call, "files")
    await good200(put(call, id, "a.txt", 400))
    await set(call, { repository_bytes: 1_000 })
    const before = objectsOf(id)
    const large = await put(call, id, "b.txt", 601)
    refused(large, 403, "bound/reached")
    assert.include(
      large.json.message,
      "(repository_bytes): 400 used, and 601 more asked for. It does not reset: erase workspaces"
    )
    assert.deepStrictEqual(objectsOf(id), before)
    await good200(put(call, id, "a.txt", 600))
    // the history has what is deleted
    await good200(call("DELETE", `/api/workspaces/${id}/files/a.txt`))
    assert.deepStrictEqual(await storedNow(call), {
      snippets: 0,
      repository_bytes: 1_000,
      bounds: [{ key_id: null, bound: "repository_bytes", limit: 1_000, used: 1_000 }]
    })
    assert.strictEqual(await bytesOf(call, id), 1_000)
    refused(await put(call, id, "b.txt", 1), 403, "bound/reached")
    const refusal = await chat(call, "work", "files")
    refused(refusal, 403, "bound/reached")
    assert.include(refusal.json.message, "1000 used. It does not reset")
    await good200(call("DELETE", `/api/workspaces/${id}`))
    assert.deepInclude(await storedNow(call), { repository_bytes: 0 })
    const again = await workspace(call, "files")
    assert.strictEqual(await bytesOf(call, again), 0)
    const both = await Promise.all([put(call, again, "c.txt", 700), put(call, again, "d.txt", 700)])
    assert.deepStrictEqual(both.map(({ status }) => status).sort(), [200, 403])
    assert.deepInclude(await storedNow(call), { repository_bytes: 700 })
  })

  it("of bytes hold for archives before anything of them is stored, as do their paths", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    const id = await workspace(call, "archives")
    // more than is in memory before a part is stored
    const large = Array.from({ length: 5 }, (_, n) => Tar.file(`large/${n}`, Buffer.alloc(8 * 1024 * 1024, `${n}`)))
    const unpack = async (...entries: ReadonlyArray<ReturnType<typeof Tar.file>>) => {
      const tar = Stream.fromIterable(entries).pipe(Stream.pipeThroughChannel(Tar.encode()), Stream.runCollect)
      const archive = gzipSync(Buffer.concat([...(await Effect.runPromise(tar))]))
      return call("POST", `/api/workspaces/${id}/archive`, archive)
    }
    const before = objectsOf(id)
    refused(await unpack(...large, Tar.file("../out", "x")), 400, "validation/invalid_archive")
    assert.deepStrictEqual(objectsOf(id), before)
    await set(call, { repository_bytes: 40 * 1024 * 1024 + 1 })
    refused(await unpack(...large, Tar.file("one", "xx")), 403, "bound/reached")
    assert.deepStrictEqual(objectsOf(id), before)
    // what is sent twice, or is there already, takes its room once
    await good200(unpack(...large, large[0]!))
    await good200(unpack(...large))
    refused(await unpack(Tar.file("one", "xx")), 403, "bound/reached")
  })

  it("of bytes hold for pushes, in git's words", async () => {
    const { call, key } = await organization(service, "ENTERPRISE")
    const id = await workspace(call, "pushes")
    const clone = place()
    await good("clone", "-q", urlOf(id, key), clone)
    const commit = async (bytes: number) => {
      writeFileSync(join(clone, "a.txt"), "x".repeat(bytes))
      await good("-C", clone, "add", "-A")
      await good("-C", clone, "-c", "user.name=P", "-c", "user.email=p@example.org", "commit", "-q", "-m", "m")
    }
    await set(call, { repository_bytes: 5_000 })
    await commit(6_000)
    const before = objectsOf(id)
    const large = await git("-C", clone, "push", "origin", "HEAD:main")
    assert.notStrictEqual(large.code, 0)
    assert.include(large.err.replace(/\s+/g, " "), "(repository_bytes): 0 used, and 6000 more asked for")
    assert.deepStrictEqual(objectsOf(id), before)
    await good("-C", clone, "reset", "-q", "--hard", "HEAD~")
    await commit(5_000)
    await good("-C", clone, "push", "-q", "origin", "HEAD:main")
    assert.deepInclude(await storedNow(call), { repository_bytes: 5_000 })
    assert.strictEqual(await bytesOf(call, id), 5_000)
    await commit(1)
    const full = await git("-C", clone, "push", "origin", "HEAD:main")
    assert.include(full.err.replace(/\s+/g, " "), "5000 used. It does not reset")
  })

  it("of bytes end a run at its next turn, with what it had written", async () => {
    const { call } = await organization(service, "ENTERPRISE")
    await set(call, { repository_bytes: 100 })
    scripts.set("write on", (turn) => (turn < 5 ? write(`${turn}.txt`, "x".repeat(60)) : says("ok")))
    const ended = await good200(chat(call, "write on", "runs"))
    assert.isFalse(ended.success)
    assert.include(ended.error, "(repository_bytes): 0 used, and 120 more asked for")
    assert.deepStrictEqual(ended.changed_files, ["1.txt", "2.txt"])
    assert.deepInclude(await storedNow(call), { repository_bytes: 120 })
  })
})
